import type { Redis } from "ioredis";
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import type { RequestCounts } from "../events/event-channel.js";
import type { EventHub } from "../events/event-hub.js";
import { ServiceError } from "../platform/errors.js";
import type { Logger } from "../platform/log.js";

/** Requests per minute: of one caller, and of one address without good credentials. */
export type RateLimitSettings = { caller: number; address: number } | "off";

/** What rate limits need besides their settings. */
export interface RateLimitSources {
  redis: Redis | undefined;
  /** By which instances without Redis tell each other what they count. */
  events: EventHub;
  log: Logger;
}

/** Milliseconds between two messages of what was counted. */
const tellingInterval = 1_000;
const longestTold = 64;

/**
 * Counts requests and refuses with RATE_LIMITED beyond the limit, for all instances together: in Redis, where there is one;
 * else each counts by itself and tells the others every second. While they cannot hear each other each counts alone: nobody
 * is refused for that, and nobody unlimited.
 */
export class RateLimits {
  readonly #limiters: { caller: RateLimiterAbstract; address: RateLimiterAbstract } | undefined;
  readonly #events: EventHub | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  #untold: RequestCounts = {};

  constructor(settings: RateLimitSettings, { redis, events, log }: RateLimitSources) {
    if (settings === "off") return;
    const limiters = { caller: limiter("caller", settings.caller, redis), address: limiter("address", settings.address, redis) };
    this.#limiters = limiters;
    if (redis || !events.sharesCounts) return;
    this.#events = events;
    events.onCounted((counts) => {
      for (const [name, count] of Object.entries(counts)) {
        const [kind = "", key = ""] = name.split(/ (.*)/s);
        if (kind === "caller" || kind === "address") void limiters[kind].penalty(key, count);
      }
    });
    this.#timer = setInterval(() => {
      this.#tell().catch((error) => log.debug({ err: error }, "the other instances could not be told what was counted"));
    }, tellingInterval).unref();
  }

  countCaller(id: string): Promise<void> {
    return this.#count("caller", id);
  }

  countAddress(address: string): Promise<void> {
    return this.#count("address", address);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #count(kind: "caller" | "address", key: string): Promise<void> {
    if (!this.#limiters) return;
    // A proxy may be told any text for an address.
    if (this.#events && key.length <= longestTold) this.#untold[`${kind} ${key}`] = (this.#untold[`${kind} ${key}`] ?? 0) + 1;
    try {
      await this.#limiters[kind].consume(key);
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      throw new ServiceError("RATE_LIMITED", "Too many requests; try again later", { retryAfter: error.msBeforeNext / 1000 });
    }
  }

  async #tell(): Promise<void> {
    const counts = this.#untold;
    this.#untold = {};
    if (Object.keys(counts).length > 0) await this.#events?.tellCounts(counts);
  }
}

function limiter(name: string, points: number, redis: Redis | undefined): RateLimiterAbstract {
  const alone = new RateLimiterMemory({ points, duration: 60, keyPrefix: name });
  if (!redis) return alone;
  return new RateLimiterRedis({
    storeClient: redis,
    points,
    duration: 60,
    keyPrefix: `camera-monitoring:${name}`,
    insuranceLimiter: alone,
    rejectIfRedisNotReady: true,
    // Whoever is over the limit is told so without asking again.
    inMemoryBlockOnConsumed: points + 1,
  });
}
