import type { Redis } from "ioredis";
import { LRUCache } from "lru-cache";
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from "rate-limiter-flexible";
import { ServiceError } from "../../platform/errors/errors.js";
import { networkOf } from "../../platform/network/ip-address.js";
import { hasKey } from "../../platform/record.js";
import type { Logger } from "../../platform/telemetry/log.js";
import { countRefusal } from "../../platform/telemetry/refusals.js";
import type { RequestCounts } from "../events/event-channel.js";
import type { EventHub } from "../events/event-hub.js";

/**
 * What is allowed per minute: requests of one caller, requests of one address (or one /64 network of IPv6) without
 * valid credentials, and frames of detections of one caller.
 */
type RateLimitSettings = Record<RateLimit, number> | "off";
type RateLimit = "caller" | "address" | "detections";

interface RateLimitDependencies {
  redis: Redis | undefined;
  /** Shares the counts between instances without Redis. */
  events: EventHub;
  log: Logger;
}

const counted: Record<RateLimit, string> = {
  caller: "requests",
  address: "requests",
  detections: "frames of detections",
};

/** The time between two broadcasts of an instance's counts. */
const broadcastIntervalMs = 1_000;
/** The keys of each kind counted in memory. Beyond it, the least recently counted keys are forgotten. */
const maxKeys = 50_000;

/**
 * Counts requests, and throws RATE_LIMITED over the limit that all instances share. Redis counts if configured.
 * Otherwise, each instance counts by itself and broadcasts its counts every second. An instance that cannot reach the
 * others counts alone: it neither refuses requests for that reason nor lifts the limit.
 */
export class RateLimits {
  readonly #limiters: Record<RateLimit, Limiter> | undefined;
  readonly #events: EventHub | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #log: Logger;
  #pending: RequestCounts = {};

  constructor(settings: RateLimitSettings, { redis, events, log }: RateLimitDependencies) {
    this.#log = log;
    if (settings === "off") return;
    const limiters = {
      caller: new Limiter("caller", settings.caller, redis),
      address: new Limiter("address", settings.address, redis),
      detections: new Limiter("detections", settings.detections, redis),
    };
    this.#limiters = limiters;
    if (redis || !events.needsCountBroadcast) return;
    this.#events = events;
    events.onCounts((counts) => {
      for (const [name, count] of Object.entries(counts)) {
        const [kind = "", key = ""] = name.split(/ (.*)/s);
        // A later version may count more kinds.
        if (hasKey(limiters, kind)) void limiters[kind].add(key, count);
      }
    });
    this.#timer = setInterval(() => {
      this.#broadcast().catch((error) =>
        log.debug({ err: error }, "the counts of requests could not be broadcast"),
      );
    }, broadcastIntervalMs).unref();
  }

  countCaller(id: string): Promise<void> {
    return this.#count("caller", id);
  }

  countAddress(address: string): Promise<void> {
    return this.#count("address", networkOf(address));
  }

  /** Counts frames of detections against their sender. */
  countDetections(callerId: string, frames: number): Promise<void> {
    return this.#count("detections", callerId, frames);
  }

  /** Takes back the count of a caller's request that another limit counts instead. */
  uncountCaller(id: string): void {
    if (!this.#limiters) return;
    this.#announce("caller", id, -1);
    this.#limiters.caller
      .add(id, -1)
      .catch((error) => this.#log.debug({ err: error }, "the count of a request could not be taken back"));
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #count(kind: RateLimit, key: string, count = 1): Promise<void> {
    if (!this.#limiters) return;
    this.#announce(kind, key, count);
    try {
      await this.#limiters[kind].consume(key, count);
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      if (kind === "detections") countRefusal("detections", "caller");
      else countRefusal("rate", kind);
      throw new ServiceError("RATE_LIMITED", `Too many ${counted[kind]}; try again later`, {
        retryAfter: error.msBeforeNext / 1000,
      });
    }
  }

  /** Counts for the other instances, if they need the counts of this one. */
  #announce(kind: RateLimit, key: string, count: number): void {
    if (!this.#events) return;
    const name = `${kind} ${key}`;
    this.#pending[name] = (this.#pending[name] ?? 0) + count;
  }

  async #broadcast(): Promise<void> {
    const counts = this.#pending;
    this.#pending = {};
    if (Object.keys(counts).length > 0) await this.#events?.broadcastCounts(counts);
  }
}

/** Counts requests by keys of one kind, for a limited number of keys in memory. */
class Limiter {
  readonly #limiter: RateLimiterAbstract;
  readonly #keys: LRUCache<string, true>;

  constructor(name: string, points: number, redis: Redis | undefined) {
    const local = new RateLimiterMemory({ points, duration: 60, keyPrefix: name });
    this.#limiter = redis ? redisLimiter(name, points, redis, local) : local;
    this.#keys = new LRUCache({ max: maxKeys, dispose: (_value, key) => void local.delete(key) });
  }

  /** Counts requests. Throws a {@link RateLimiterRes} over the limit. */
  async consume(key: string, count: number): Promise<void> {
    this.#keys.set(key, true);
    await this.#limiter.consume(key, count);
  }

  /** Adds requests that another instance has counted. A negative number takes requests back. */
  async add(key: string, count: number): Promise<void> {
    this.#keys.set(key, true);
    await this.#limiter.penalty(key, count);
  }
}

function redisLimiter(
  name: string,
  points: number,
  redis: Redis,
  local: RateLimiterAbstract,
): RateLimiterAbstract {
  return new RateLimiterRedis({
    storeClient: redis,
    points,
    duration: 60,
    keyPrefix: `camera-monitoring:${name}`,
    insuranceLimiter: local,
    rejectIfRedisNotReady: true,
    // Refuse requests over the limit without a round trip to Redis.
    inMemoryBlockOnConsumed: points + 1,
  });
}
