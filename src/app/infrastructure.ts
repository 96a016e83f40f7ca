import path from "node:path";
import type { Redis } from "ioredis";
import { Registry } from "prom-client";
import { connectionConfig, type DatabaseSettings, openDatabase } from "../database/client.js";
import { Connection } from "../database/connection.js";
import type { Environment } from "../environment.js";
import type { ChannelEmitter, EventChannel } from "../events/event-channel.js";
import { EventHub } from "../events/event-hub.js";
import { inProcessChannel } from "../events/in-process-channel.js";
import { PostgresqlChannel } from "../events/postgresql-channel.js";
import { RedisChannel } from "../events/redis-channel.js";
import type { Logger } from "../platform/log.js";
import { openRedis } from "../platform/redis.js";
import { Worker } from "../platform/worker.js";
import { WorkerGroup } from "../platform/worker-group.js";
import { WorkspaceTurns } from "../platform/workspace-turns.js";
import { LocalObjectStore } from "../storage/local.js";
import { removeObjects } from "../storage/object-removal.js";
import type { ObjectStore } from "../storage/object-store.js";
import { TemporaryFiles } from "../storage/temporary-files.js";
import type { Runtime } from "./runtime.js";
import { openTokenVerifier } from "./token-verifier.js";

/** The data stores of the gateway, its connections to other instances and to the identity provider, its background workers and its metrics. */
export type Infrastructure = Awaited<ReturnType<typeof openInfrastructure>>;

/** Opens the verifier of tokens, the database, Redis, the event channel, the temporary files and the object store. */
export async function openInfrastructure(runtime: Runtime, onStatement?: (sql: string) => void) {
  const { environment, log, now, disposers } = runtime;
  const tokens = await openTokenVerifier(runtime);
  const database = await openDatabase(databaseSettings(environment), {
    ...(onStatement && { onStatement }),
    onConnectionLost: (error) => log.warn({ err: error }, "a database connection was lost"),
  });
  disposers.defer(() => database.close());
  const redis = environment.REDIS_URL ? await openRedis(environment.REDIS_URL, log) : undefined;
  disposers.defer(() => redis?.disconnect());
  const registry = new Registry();
  const events = await EventHub.open((emitter) => openChannel(environment, { redis, emitter, log }), registry);
  disposers.defer(() => events.close());
  const temporary = await TemporaryFiles.open(path.join(environment.DATA_DIR, "temporary"));
  disposers.defer(() => temporary.close());
  // Closed after the store, which aborts its requests: a worker may be waiting for a bucket that does not respond.
  const workers = new WorkerGroup();
  disposers.defer(() => workers.close());
  const store = await openStore(environment, temporary);
  disposers.defer(() => store.close());
  const removal = { prisma: database.prisma, store, turns: new WorkspaceTurns(), now };
  const objectRemoval = new Worker("deleting stored objects", () => removeObjects(removal), log);
  workers.add(objectRemoval);
  return { tokens, database, redis, events, temporary, store, workers, objectRemoval, registry };
}

function databaseSettings(environment: Environment): DatabaseSettings {
  if (!environment.DATABASE_URL) return { directory: environment.DATA_DIR };
  return {
    url: environment.DATABASE_URL,
    poolSize: environment.DATABASE_POOL_SIZE,
    connectTimeoutMs: environment.DATABASE_CONNECT_TIMEOUT,
    statementTimeoutMs: environment.DATABASE_STATEMENT_TIMEOUT,
    listens: !environment.REDIS_URL && !environment.DATABASE_LISTEN_URL,
  };
}

/** Events travel through Redis if there is one, else through the database server, else within the process. */
async function openChannel(
  environment: Environment,
  { redis, emitter, log }: { redis: Redis | undefined; emitter: ChannelEmitter; log: Logger },
): Promise<EventChannel> {
  if (redis) return RedisChannel.open(redis, emitter, log);
  const url = environment.DATABASE_LISTEN_URL ?? environment.DATABASE_URL;
  if (!url) return inProcessChannel(emitter);
  const config = connectionConfig({ url, connectTimeoutMs: environment.DATABASE_CONNECT_TIMEOUT });
  return PostgresqlChannel.open((settings) => new Connection({ ...config, ...settings }), emitter, log);
}

async function openStore({ DATA_DIR, S3_BUCKET, S3_REGION, S3_ENDPOINT }: Environment, temporary: TemporaryFiles): Promise<ObjectStore> {
  if (!S3_BUCKET) return new LocalObjectStore(path.join(DATA_DIR, "objects"), temporary);
  // Imported on demand, because the SDK takes 20 MB of memory.
  const { S3ObjectStore } = await import("../storage/s3.js");
  return new S3ObjectStore({ bucket: S3_BUCKET, region: S3_REGION, ...(S3_ENDPOINT && { endpoint: S3_ENDPOINT }) });
}
