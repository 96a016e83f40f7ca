import { Authenticator } from "../access/authenticator.js";
import { RateLimits } from "../access/rate-limits.js";
import { FairQueue } from "../platform/fair-queue.js";
import type { GatewayServices } from "../request/gateway-services.js";
import { OperationPlaces, statementLimits } from "../request/operation-places.js";
import { PictureUploads } from "../storage/picture-uploads.js";
import { SignedLinks } from "../storage/signed-link.js";
import type { Infrastructure } from "./infrastructure.js";
import type { Runtime } from "./runtime.js";

/** Creates what all requests share. */
export function createServices(runtime: Runtime, infrastructure: Infrastructure, publicUrl: () => string): GatewayServices {
  const { environment, log, now, disposers } = runtime;
  const { database, redis, events, tokens, temporary, store, workers, objectRemoval } = infrastructure;
  const rateLimits = new RateLimits(
    environment.RATE_LIMIT === "off" ? "off" : { caller: environment.RATE_LIMIT_CALLER, address: environment.RATE_LIMIT_ADDRESS },
    { redis, events, log },
  );
  disposers.defer(() => rateLimits.close());
  return {
    database,
    events,
    pictures: new PictureUploads({
      prisma: database.prisma,
      store,
      temporary,
      log,
      now,
      maxBytes: environment.MAX_UPLOAD_BYTES,
      onReleased: () => objectRemoval.wake(),
    }),
    links: new SignedLinks({ publicUrl, secret: environment.LINK_SECRET, now }),
    authenticator: new Authenticator({ database, rateLimits, now, verifyToken: tokens.verify }),
    rateLimits,
    operations: new OperationPlaces(),
    statements: new FairQueue(statementLimits(environment.DATABASE_POOL_SIZE)),
    log,
    now,
    wakeWorkers: () => workers.wake(),
    settings: {
      heartbeatTimeout: environment.HEARTBEAT_TIMEOUT,
      streamRequestTtl: environment.STREAM_REQUEST_TTL,
      maxPageSize: environment.MAX_PAGE_SIZE,
      maxQueryCost: environment.MAX_QUERY_COST,
      supportHashSecret: environment.SUPPORT_HASH_SECRET,
      storageClass: store.kind,
      hasFeedServer: environment.FEED_SERVER_URL !== undefined,
    },
  };
}
