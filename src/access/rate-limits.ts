import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { ServiceError } from "../platform/errors.js";

/** Requests per minute: of one caller, and of one address without good credentials. */
export type RateLimitSettings = { caller: number; address: number } | "off";

/** Counts requests and refuses with RATE_LIMITED beyond the limit. */
export class RateLimits {
  readonly #caller: RateLimiterMemory | undefined;
  readonly #address: RateLimiterMemory | undefined;

  constructor(settings: RateLimitSettings) {
    if (settings === "off") return;
    this.#caller = new RateLimiterMemory({ points: settings.caller, duration: 60, keyPrefix: "caller" });
    this.#address = new RateLimiterMemory({ points: settings.address, duration: 60, keyPrefix: "address" });
  }

  countCaller(id: string): Promise<void> {
    return consume(this.#caller, id);
  }

  countAddress(address: string): Promise<void> {
    return consume(this.#address, address);
  }
}

async function consume(limiter: RateLimiterMemory | undefined, key: string): Promise<void> {
  try {
    await limiter?.consume(key);
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    throw new ServiceError("RATE_LIMITED", "Too many requests; try again later", { retryAfter: error.msBeforeNext / 1000 });
  }
}
