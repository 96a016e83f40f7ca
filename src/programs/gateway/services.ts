import { randomUUID } from "node:crypto";
import { Counter, Gauge, type Registry } from "prom-client";
import { Authenticator } from "../../engine/access/authenticator.js";
import { RateLimits } from "../../engine/access/rate-limits.js";
import { SignInLinks } from "../../engine/access/sign-in-links.js";
import type { GatewayServices } from "../../engine/operation/gateway-services.js";
import { IdempotencyKeys } from "../../engine/operation/idempotency.js";
import { OperationSlots, recordingLimits, statementLimits } from "../../engine/operation/operation-slots.js";
import { cameraFeedOf } from "../../engine/settings/camera-feed.js";
import type { Environment } from "../../engine/settings/environment.js";
import { DerivedPictures } from "../../engine/storage/derived-pictures.js";
import { PictureConversions } from "../../engine/storage/picture-conversions.js";
import { PictureUploads } from "../../engine/storage/picture-uploads.js";
import { RemotePictures } from "../../engine/storage/remote-pictures.js";
import { SignedLinks } from "../../engine/storage/signed-link.js";
import { configuredChannels } from "../../features/delivery/channels/delivery-channels.js";
import { outbox } from "../../features/delivery/outbox/outbox.js";
import { acceptInvitation } from "../../features/invitation/invitation-acceptance.js";
import { publicAddresses } from "../../platform/input/setting-rules.js";
import { NetworkAddresses } from "../../platform/network/network-addresses.js";
import { FairQueue } from "../../platform/queues/fair-queue.js";
import type { Tracing } from "../../platform/telemetry/tracing.js";
import type { Infrastructure } from "./infrastructure.js";
import type { Runtime } from "./runtime.js";

export function createServices(
  runtime: Runtime,
  infrastructure: Infrastructure,
  tracing: Tracing | undefined,
  { publicUrl, newestFrame }: Pick<GatewayServices, "newestFrame"> & { publicUrl: () => string },
): GatewayServices {
  const { environment, log, now, disposers } = runtime;
  const { database, redis, events, tokens, temporary, store, objectRemoval, registry } = infrastructure;
  const rateLimits = new RateLimits(
    environment.RATE_LIMIT === "off"
      ? "off"
      : {
          caller: environment.RATE_LIMIT_CALLER,
          address: environment.RATE_LIMIT_ADDRESS,
          detections: environment.RATE_LIMIT_DETECTIONS,
        },
    { redis, events, log },
  );
  disposers.defer(() => rateLimits.close());
  const ofPictures = {
    database,
    store,
    temporary,
    conversions: new PictureConversions(),
    log,
    now,
  };
  const pictures = new PictureUploads({
    ...ofPictures,
    maxBytes: environment.MAX_UPLOAD_BYTES,
    maxClipBytes: environment.MAX_CLIP_BYTES,
    onReleased: () => objectRemoval.wake(),
  });
  const derivedPictures = () =>
    new DerivedPictures({ ...ofPictures, onScheduled: () => objectRemoval.wake() });
  const operations = new OperationSlots();
  const statements = new FairQueue(statementLimits(environment.DATABASE_POOL_SIZE));
  const recordings = new FairQueue(recordingLimits(environment.DATABASE_POOL_SIZE));
  addQueueMetrics(registry, () => ({
    ...operations.usage,
    statements: statements.usage,
    recordings: recordings.usage,
    uploads: pictures.slots.usage,
  }));
  const alertsRecorded = new Counter({
    name: "gateway_alerts_recorded_total",
    help: "Alerts that were recorded",
    registers: [registry],
  });
  const { userInfo } = tokens;
  const authenticator = new Authenticator({
    database,
    rateLimits,
    now,
    verifyToken: tokens.verify,
    invitations: userInfo && {
      findEmail: (token, subject) => userInfo.emailFor(token, subject),
      accept: (subject) => acceptInvitation({ database, events, now }, subject),
    },
  });
  return {
    instanceId: randomUUID(),
    database,
    events,
    pictures,
    derivedPictures: derivedPictures(),
    proxiedPictures: derivedPictures(),
    remotePictures: remotePicturesOf(runtime),
    links: new SignedLinks({ publicUrl, secrets: environment.LINK_SECRET, now }),
    idempotencyKeys: new IdempotencyKeys(environment.LINK_SECRET),
    authenticator,
    signInLinks: new SignInLinks({
      publicUrl,
      secrets: environment.LINK_SECRET,
      hasIssuer: userInfo !== undefined,
    }),
    rateLimits,
    operations,
    statements,
    recordings,
    log,
    tracing,
    now,
    newestFrame,
    react: outbox(configuredChannels(environment)),
    countAlerts: (recorded) => alertsRecorded.inc(recorded),
    settings: {
      heartbeatTimeout: environment.HEARTBEAT_TIMEOUT,
      pictureFreshness: pictureFreshnessOf(environment),
      streamRequestTtl: environment.STREAM_REQUEST_TTL,
      maxPageSize: environment.MAX_PAGE_SIZE,
      maxCameras: environment.MAX_CAMERAS,
      maxQueryCost: environment.MAX_QUERY_COST,
      sessionSecret: environment.AUTH_JWT_SECRET,
      supportHashSecret: environment.SUPPORT_HASH_SECRET,
      storageClass: store.kind,
      deliveryChannels: configuredChannels(environment),
      strictPermissions: environment.STRICT_PERMISSIONS === "on",
      hasFeedServer: environment.FEED_SERVER_URL !== undefined,
      hasBuiltinFeed: "ffmpegPath" in cameraFeedOf(environment),
      hasRings: "ffmpegPath" in cameraFeedOf(environment) && environment.FEED_RING > 0,
      keepsDetections: environment.KEEP_DETECTIONS === "on",
    },
  };
}

/** How long a picture is fresh, in seconds: two refreshes, so that one may be late; of 300 s if there are none. */
const pictureFreshnessOf = ({ CAMERA_REFRESH }: Environment): number => 2 * (CAMERA_REFRESH || 300);

function remotePicturesOf({ environment, disposers }: Runtime): RemotePictures | undefined {
  const { PICTURE_PROXY_NETWORKS: allowed, MAX_UPLOAD_BYTES: maxBytes } = environment;
  if (!allowed) return undefined;
  const addresses = new NetworkAddresses(
    allowed.filter((network) => network !== publicAddresses),
    { resolver: "dns", allowsPublic: allowed.includes(publicAddresses) },
  );
  const pictures = new RemotePictures({ addresses, maxBytes });
  disposers.defer(() => pictures.close());
  return pictures;
}

function addQueueMetrics(registry: Registry, usage: () => Record<string, FairQueue["usage"]>): void {
  for (const [state, help] of [
    ["active", "Work in progress, by the queue in which it has a slot"],
    ["waiting", "Work that waits for a slot, by queue"],
  ] as const) {
    new Gauge({
      name: `gateway_queue_${state}`,
      help,
      labelNames: ["queue"],
      registers: [registry],
      collect() {
        for (const [queue, { [state]: count }] of Object.entries(usage())) this.set({ queue }, count);
      },
    });
  }
}
