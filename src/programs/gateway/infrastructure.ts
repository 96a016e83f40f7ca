import type { Redis } from "ioredis";
import { Registry } from "prom-client";
import { type Database, type DatabaseSettings, openDatabase } from "../../engine/database/client.js";
import { addConnectionMetrics, statementTimes } from "../../engine/database/database-metrics.js";
import { describeReplaced } from "../../engine/database/time-zones.js";
import type { ChannelEmitter, EventChannel } from "../../engine/events/event-channel.js";
import { EventHub } from "../../engine/events/event-hub.js";
import { inProcessChannel } from "../../engine/events/in-process-channel.js";
import { PostgresqlChannel } from "../../engine/events/postgresql-channel.js";
import { RedisChannel } from "../../engine/events/redis-channel.js";
import type { StepOutcome } from "../../engine/leases/worker.js";
import { WorkerGroup } from "../../engine/leases/worker-group.js";
import type { Environment } from "../../engine/settings/environment.js";
import { objectRemover } from "../../engine/storage/object-removal.js";
import { openStore, openTemporaryFiles } from "../../engine/storage/open-store.js";
import { findPeople } from "../../features/session/people-by-address.js";
import { openRedis } from "../../platform/network/redis.js";
import type { Logger } from "../../platform/telemetry/log.js";
import type { Runtime } from "./runtime.js";
import { openTokenVerifier } from "./token-verifier.js";

/** The database may return as another version with other time zones while the gateway runs. */
const timeZoneCheckMs = 60_000;

/** The step of a worker that checks the time zones of facilities, and logs unknown ones. */
function checkTimeZones(database: Database, log: Logger): () => Promise<StepOutcome> {
  let logged = "";
  return async () => {
    await database.updateTimeZones();
    const replaced = (await database.replacedTimeZones()).map(describeReplaced);
    const found = replaced.join("\n");
    if (found !== logged) for (const line of replaced) log.warn(line);
    logged = found;
    return { dueInMs: timeZoneCheckMs };
  };
}

export type Infrastructure = Awaited<ReturnType<typeof openInfrastructure>>;

/** Opens the token verifier, the database, Redis, the event channel, the temporary files and the object store. */
export async function openInfrastructure(runtime: Runtime, onStatement?: (sql: string) => void) {
  const { environment, log, now, disposers } = runtime;
  const tokens = await openTokenVerifier(runtime);
  const registry = new Registry();
  const database = await openDatabase(databaseSettings(environment), {
    ...(onStatement && { onStatement }),
    onStatementEnd: statementTimes(registry),
    onConnectionLost: (error) => log.warn({ err: error }, "a database connection was lost"),
    // `npm run sign-in` asks who has an email address.
    answer: async (prisma, email) => JSON.stringify(await findPeople(prisma, email)),
    onWarning: (message) => log.warn(message),
  });
  disposers.defer(() => database.close());
  addConnectionMetrics(registry, database.connections);
  const redis = environment.REDIS_URL ? await openRedis(environment.REDIS_URL, log) : undefined;
  disposers.defer(() => redis?.disconnect());
  const events = await EventHub.open((emitter) => openChannel(database, { redis, emitter, log }), registry);
  disposers.defer(() => events.close());
  const temporary = await openTemporaryFiles(environment);
  disposers.defer(() => temporary.close());
  // Close the workers after the store, which aborts its requests: a worker may be waiting for a bucket that does not
  // respond.
  const workers = new WorkerGroup(log);
  disposers.defer(() => workers.close());
  events.onWork((workspaceId) => workers.wake(workspaceId));
  const store = await openStore(environment, temporary);
  disposers.defer(() => store.close());
  const objectRemoval = workers.add("deleting stored objects", objectRemover({ database, store, now }));
  const timeZones = workers.add("looking up the time zones of facilities", checkTimeZones(database, log));
  // Runs before the first request: a statement with a time zone unknown to the database would fail.
  timeZones.wake();
  await timeZones.idle();
  return { tokens, database, redis, events, temporary, store, workers, objectRemoval, registry };
}

function databaseSettings(environment: Environment): DatabaseSettings {
  if (!environment.DATABASE_URL) return { directory: environment.DATA_DIR };
  const listenUrl = listenUrlOf(environment);
  return {
    url: environment.DATABASE_URL,
    poolSize: environment.DATABASE_POOL_SIZE,
    connectTimeoutMs: environment.DATABASE_CONNECT_TIMEOUT,
    statementTimeoutMs: environment.DATABASE_STATEMENT_TIMEOUT,
    ...(listenUrl && { listenUrl }),
  };
}

/** The address to LISTEN at for events; undefined if events travel otherwise. */
const listenUrlOf = ({ REDIS_URL, DATABASE_LISTEN_URL, DATABASE_URL }: Environment): string | undefined =>
  REDIS_URL ? undefined : (DATABASE_LISTEN_URL ?? DATABASE_URL);

/**
 * Opens the channel of events: through Redis if configured, else through the database server, else within
 * the process.
 */
async function openChannel(
  { createListener }: Database,
  { redis, emitter, log }: { redis: Redis | undefined; emitter: ChannelEmitter; log: Logger },
): Promise<EventChannel> {
  if (redis) return RedisChannel.open(redis, emitter, log);
  return createListener ? PostgresqlChannel.open(createListener, emitter, log) : inProcessChannel(emitter);
}
