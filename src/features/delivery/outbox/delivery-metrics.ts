import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { Prisma, type PrismaClient } from "../../../generated/prisma/client.js";
import { readNowAndThen } from "../../../platform/telemetry/occasional-read.js";
import { channelNames } from "../channels/delivery-channels.js";
import type { DeliveryContent } from "./delivery-content.js";

/** The maximum count per workspace: parked deliveries stay for a month, so counting would cost ever more. */
const maxCounted = 10_000;
const notification = Prisma.sql`delivery."workspaceId" = workspace."id" AND delivery."streamRequestId" IS NULL`;
const counted = Prisma.sql`delivery."channel", delivery."state", delivery."queuedAt"`;
const oldestFirst = Prisma.sql`ORDER BY delivery."createdAt", delivery."id" LIMIT ${Prisma.raw(String(maxCounted))}`;

interface Waiting {
  channel: string;
  state: string;
  count: number;
  oldest: Date;
}

/** Metrics of notifications: the events of this instance, and the deliveries that wait in the database. */
export class DeliveryMetrics {
  readonly #attempts: Counter<"channel" | "outcome">;
  readonly #latency: Histogram<"channel">;

  constructor(registry: Registry, prisma: PrismaClient, now: () => Date) {
    const registers = [registry];
    this.#attempts = new Counter({
      name: "gateway_deliveries_total",
      help: "Deliveries that were sent or parked, and attempts that failed, by this instance",
      labelNames: ["channel", "outcome"],
      registers,
    });
    // Create the counter early: Prometheus sees no increase in a counter that first appears with its first event.
    for (const channel of channelNames) this.#attempts.inc({ channel, outcome: "parked" }, 0);
    this.#latency = new Histogram({
      name: "gateway_delivery_latency_seconds",
      help: "Time from the recording of an alert, or the wish to send it again, until it was delivered",
      labelNames: ["channel"],
      buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 3_600, 86_400],
      registers,
    });
    const waiting = readNowAndThen(() => readWaiting(prisma), now);
    for (const [name, state, help] of [
      [
        "gateway_deliveries_pending",
        "PENDING",
        `Deliveries that wait to be sent; of a workspace up to ${maxCounted} are counted`,
      ],
      [
        "gateway_deliveries_parked",
        "PARKED",
        `Deliveries that were given up and are still kept; of a workspace up to ${maxCounted} are counted`,
      ],
    ] as const) {
      new Gauge({
        name,
        help,
        labelNames: ["channel"],
        registers,
        async collect() {
          this.reset();
          for (const row of await waiting())
            if (row.state === state) this.set({ channel: row.channel }, row.count);
        },
      });
    }
    new Gauge({
      name: "gateway_deliveries_oldest_pending_seconds",
      help: "The age of the oldest delivery that waits to be sent",
      labelNames: ["channel"],
      registers,
      async collect() {
        this.reset();
        for (const { channel, state, oldest } of await waiting()) {
          if (state === "PENDING")
            this.set({ channel }, Math.max(0, (now().getTime() - oldest.getTime()) / 1000));
        }
      },
    });
  }

  recordSent(channel: string, contents: readonly DeliveryContent[], sentAt: Date): void {
    this.#attempts.inc({ channel, outcome: "sent" }, contents.length);
    for (const { delivery } of contents) {
      const owedSince = Math.max(delivery.createdAt.getTime(), delivery.queuedAt.getTime());
      this.#latency.observe({ channel }, Math.max(0, (sentAt.getTime() - owedSince) / 1000));
    }
  }

  recordFailure(channel: string): void {
    this.#attempts.inc({ channel, outcome: "failed" });
  }

  recordParked(channel: string, count: number): void {
    this.#attempts.inc({ channel, outcome: "parked" }, count);
  }
}

/** Counts by workspace, the oldest first. The index leads to waiting deliveries, past all sent ones. */
function readWaiting(prisma: PrismaClient): Promise<Waiting[]> {
  return prisma.$queryRaw<Waiting[]>(Prisma.sql`
    SELECT waiting."channel", waiting."state", count(*)::int AS "count", min(waiting."queuedAt") AS "oldest"
    FROM "Workspace" AS workspace CROSS JOIN LATERAL (
      (SELECT ${counted} FROM "Delivery" AS delivery WHERE ${notification} AND delivery."state" = 'PENDING' ${oldestFirst})
      UNION ALL
      (SELECT ${counted} FROM "Delivery" AS delivery WHERE ${notification} AND delivery."state" = 'PARKED' ${oldestFirst})
    ) AS waiting
    GROUP BY 1, 2`);
}
