import type { Redis } from "ioredis";
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import type { RequestCounts } from "../events/event-channel.js";
import type { EventHub } from "../events/event-hub.js";
import { ServiceError } from "../platform/errors.js";
import type { Logger } from "../platform/log.js";

/** Requests per minute: of one caller, and of one address without valid credentials. */
export type RateLimitSettings = { caller: number; address: number } | "off";

/** What {@link RateLimits} needs of the gateway. */
export interface RateLimitDependencies {
  redis: Redis | undefined;
  /** Shares the counts between instances that have no Redis. */
  events: EventHub;
  log: Logger;
}

/** How often an instance broadcasts its counts. */
const broadcastIntervalMs = 1_000;
const maxSharedKeyLength = 64;

/**
 * Counts requests and throws RATE_LIMITED over the limit, for all instances together: in Redis if it is configured; otherwise each
 * instance counts by itself and broadcasts its counts every second. Instances that cannot reach each other count alone: no
 * request is refused because of that, and none is unlimited.
 */
export class RateLimits {
  readonly #limiters: { caller: RateLimiterAbstract; address: RateLimiterAbstract } | undefined;
  readonly #events: EventHub | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  #pending: RequestCounts = {};

  constructor(settings: RateLimitSettings, { redis, events, log }: RateLimitDependencies) {
    if (settings === "off") return;
    const limiters = { caller: limiter("caller", settings.caller, redis), address: limiter("address", settings.address, redis) };
    this.#limiters = limiters;
    if (redis || !events.needsCountBroadcast) return;
    this.#events = events;
    events.onCounts((counts) => {
      for (const [name, count] of Object.entries(counts)) {
        const [kind = "", key = ""] = name.split(/ (.*)/s);
        if (kind === "caller" || kind === "address") void limiters[kind].penalty(key, count);
      }
    });
    this.#timer = setInterval(() => {
      this.#broadcast().catch((error) => log.debug({ err: error }, "the counts of requests could not be broadcast"));
    }, broadcastIntervalMs).unref();
  }

  /** Counts a request against its caller. */
  countCaller(id: string): Promise<void> {
    return this.#count("caller", id);
  }

  /** Counts a request without valid credentials against its address. */
  countAddress(address: string): Promise<void> {
    return this.#count("address", address);
  }

  /** Stops broadcasting. */
  close(): void {
    clearInterval(this.#timer);
  }

  async #count(kind: "caller" | "address", key: string): Promise<void> {
    if (!this.#limiters) return;
    // Behind a proxy, the address is whatever text the client sends as X-Forwarded-For.
    if (this.#events && key.length <= maxSharedKeyLength) this.#pending[`${kind} ${key}`] = (this.#pending[`${kind} ${key}`] ?? 0) + 1;
    try {
      await this.#limiters[kind].consume(key);
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      throw new ServiceError("RATE_LIMITED", "Too many requests; try again later", { retryAfter: error.msBeforeNext / 1000 });
    }
  }

  async #broadcast(): Promise<void> {
    const counts = this.#pending;
    this.#pending = {};
    if (Object.keys(counts).length > 0) await this.#events?.broadcastCounts(counts);
  }
}

function limiter(name: string, points: number, redis: Redis | undefined): RateLimiterAbstract {
  const local = new RateLimiterMemory({ points, duration: 60, keyPrefix: name });
  if (!redis) return local;
  return new RateLimiterRedis({
    storeClient: redis,
    points,
    duration: 60,
    keyPrefix: `camera-monitoring:${name}`,
    insuranceLimiter: local,
    rejectIfRedisNotReady: true,
    // Requests over the limit are refused without a round trip to Redis.
    inMemoryBlockOnConsumed: points + 1,
  });
}
