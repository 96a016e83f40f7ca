import { setTimeout as sleep } from "node:timers/promises";
import { retryDelay } from "../../../platform/network/retry-delay.js";
import type { Logger } from "../../../platform/telemetry/log.js";
import { messageOf } from "../../../platform/thrown.js";
import { GatewayError } from "./gateway-client.js";

/** How long connectors wait after failures: a second at first, a minute at most. */
export const delayAfter = (failures: number): number =>
  retryDelay(failures, { firstMs: 1000, maxMs: 60_000, jitter: { from: 0.5, to: 1 } });

interface RetryOptions {
  /** Ends the waiting and the retries. */
  signal: AbortSignal;
  log: Logger;
  /** What fails, as the log calls it, such as “Detections”. */
  what: string;
  /** Whether an error may pass; by default those of the gateway that may. */
  mayPass?: (error: unknown, attempts: number) => boolean;
}

/** Repeats what fails until it succeeds or fails for good. The log tells the first failure and the end of it. */
export async function untilDone<Result>(
  work: () => Promise<Result>,
  { signal, log, what, mayPass = isTransient }: RetryOptions,
): Promise<Result> {
  for (let failures = 0; ; ) {
    try {
      const result = await work();
      if (failures > 0) log.info(`${what}: works again`);
      return result;
    } catch (error) {
      signal.throwIfAborted();
      failures += 1;
      if (!mayPass(error, failures)) throw error;
      if (failures === 1) log.warn(`${what}: ${messageOf(error)}; trying again`);
      const asked = error instanceof GatewayError ? (error.retryAfterMs ?? 0) : 0;
      await sleep(Math.max(asked, delayAfter(failures)), undefined, { signal });
    }
  }
}

const isTransient = (error: unknown) => error instanceof GatewayError && error.mayPass;
