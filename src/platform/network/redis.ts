import type { Redis } from "ioredis";
import type { Logger } from "../telemetry/log.js";
import { type Backoff, retryDelay } from "./retry-delay.js";

const connectTimeout = 5_000;
/** A connection counts as lost after this time without a reply. */
const responseTimeoutMs = 2_000;
const backoff: Backoff = { firstMs: 200, maxMs: 5_000, jitter: { from: 0.5, to: 1 } };

/** Connects to Redis, which need not be available yet: the client keeps reconnecting in the background. */
export async function openRedis(url: string, log: Logger): Promise<Redis> {
  const { Redis } = await import("ioredis");
  const redis = new Redis(url, {
    connectionName: "camera-monitoring-gateway",
    connectTimeout,
    socketTimeout: responseTimeoutMs,
    // Otherwise commands would wait forever once the connection is lost. Commands that wait for a connection fail, too,
    // but the client still sends them once it has one.
    commandTimeout: responseTimeoutMs,
    maxRetriesPerRequest: null,
    retryStrategy: (attempt) => retryDelay(attempt, backoff),
    lazyConnect: true,
    // Redis may have executed a command without a reply.
    autoResendUnfulfilledCommands: false,
  });
  redis.on("error", (error) => log.warn({ err: error }, "the connection to Redis was lost, reconnecting"));
  await redis.connect().catch((error) => log.debug({ err: error }, "Redis is not available yet"));
  return redis;
}
