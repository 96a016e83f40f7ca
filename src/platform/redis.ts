import type { Redis } from "ioredis";
import { type Backoff, retryDelay } from "./retry-delay.js";
import type { Logger } from "./telemetry/log.js";

const connectTimeout = 5_000;
/** A connection counts as lost if a command gets no reply for so long. */
const responseTimeoutMs = 2_000;
const backoff: Backoff = { firstMs: 200, maxMs: 5_000, jitter: true };

/**
 * Connects to Redis. It need not be available yet: the client keeps reconnecting in the
 * background.
 */
export async function openRedis(url: string, log: Logger): Promise<Redis> {
  const { Redis } = await import("ioredis");
  const redis = new Redis(url, {
    connectionName: "camera-monitoring-gateway",
    connectTimeout,
    socketTimeout: responseTimeoutMs,
    // Otherwise commands that are unanswered when the connection is lost would wait
    // forever. Those that wait for a connection fail too, but are still sent once there
    // is one.
    commandTimeout: responseTimeoutMs,
    maxRetriesPerRequest: null,
    retryStrategy: (attempt) => retryDelay(attempt, backoff),
    lazyConnect: true,
    // A command without a reply may have been executed.
    autoResendUnfulfilledCommands: false,
  });
  redis.on("error", (error) => log.warn({ err: error }, "the connection to Redis was lost, reconnecting"));
  await redis.connect().catch((error) => log.debug({ err: error }, "Redis is not available yet"));
  return redis;
}
