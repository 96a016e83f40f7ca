import { Counter, type Registry } from "prom-client";
import { dueTimes } from "../../engine/leases/due-rows.js";
import type { PrismaClient } from "../../generated/prisma/client.js";
import { addGauge } from "../../platform/telemetry/gauge.js";
import { readNowAndThen } from "../../platform/telemetry/occasional-read.js";
import { dueFeeds } from "./due-feeds.js";
import { type FeedErrorCode, feedErrorCodes } from "./feed-error.js";

/** Metrics of the streams that this instance opens, and of those that wait for it. */
export class FeedMetrics {
  readonly #pictures: Counter<"outcome">;

  constructor(registry: Registry, prisma: PrismaClient, now: () => Date) {
    const registers = [registry];
    this.#pictures = new Counter({
      name: "gateway_feed_pictures_total",
      help: "Pictures of cameras that this instance took or failed to take, by outcome",
      labelNames: ["outcome"],
      registers,
    });
    // Create the counters early: Prometheus sees no increase in a counter that first appears with its first event.
    for (const outcome of ["TAKEN", ...feedErrorCodes]) this.#pictures.inc({ outcome }, 0);
    const next = readNowAndThen(async () => [await dueTimes(prisma, dueFeeds("UNFAILED"))], now);
    addGauge(
      registry,
      "gateway_feed_oldest_due_seconds",
      "For how long the camera has waited whose stream was due to be opened first; 0 if none waits. Without cameras whose last attempt failed",
      async () => {
        const [due] = await next();
        return due?.first ? Math.max(0, (now().getTime() - due.first.getTime()) / 1000) : 0;
      },
    );
  }

  recordTaken(): void {
    this.#pictures.inc({ outcome: "TAKEN" });
  }

  recordFailure(code: FeedErrorCode): void {
    this.#pictures.inc({ outcome: code });
  }
}
