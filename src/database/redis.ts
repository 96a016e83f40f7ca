import { Redis } from "ioredis";
import type { Logger } from "../platform/log.js";

const connectTimeout = 5_000;
/** Milliseconds without an answer after which a connection counts as lost. */
const answerTime = 2_000;
const lastRetry = 5_000;

/** Opens the Redis at an address. It need not be there: the connection is opened again for as long as that takes. */
export async function openRedis(url: string, log: Logger): Promise<Redis> {
  const redis = new Redis(url, {
    connectionName: "camera-monitoring-gateway",
    connectTimeout,
    socketTimeout: answerTime,
    maxRetriesPerRequest: null,
    retryStrategy: (attempt) => Math.min(100 * 2 ** Math.min(attempt, 10), lastRetry) * (0.5 + Math.random() / 2),
    lazyConnect: true,
    // What was sent and not answered may have been done.
    autoResendUnfulfilledCommands: false,
  });
  redis.on("error", (error) => log.warn({ err: error }, "the connection to Redis was lost, and is opened again"));
  await redis.connect().catch((error) => log.debug({ err: error }, "Redis is not there yet"));
  return redis;
}
