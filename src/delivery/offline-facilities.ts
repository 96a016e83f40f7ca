import { Prisma, type PrismaClient } from "../generated/prisma/client.js";
import { Due } from "../platform/due.js";
import { WorkspaceTurns } from "../platform/queues/workspace-turns.js";
import type { StepOutcome } from "../platform/workers/worker.js";
import type { ConfiguredChannels } from "./alert-deliveries.js";
import { queueFacilityOutages } from "./outages.js";

/** The dependencies of {@link OfflineFacilities}. */
export interface OfflineFacilitiesOptions {
  prisma: PrismaClient;
  channels: ConfiguredChannels;
  /** A facility counts as online for this time after its last heartbeat, in seconds. */
  heartbeatTimeout: number;
  now: () => Date;
}

/** A facility must be offline for this time before anyone hears about it. */
const offlineMs = 10 * 60_000;
/**
 * Heartbeats keep changing when the next facility is due. Asking for that time would be
 * as much work as looking for due facilities.
 */
const pollIntervalMs = 30_000;
const batchSize = 500;
/**
 * The limits for connecting and for running a batch, in milliseconds. They are generous,
 * because a busy gateway still hears heartbeats.
 */
const timeouts = { maxWait: 10_000, timeout: 30_000 };

/**
 * Marks facilities that have been offline for ten minutes, once for all instances, and
 * queues the news for the addresses of their cameras.
 */
export class OfflineFacilities {
  readonly #options: OfflineFacilitiesOptions;
  /**
   * Lists no workspaces. While a node is away, heartbeats of its facilities cannot be
   * recorded, so wait until the node is back.
   */
  readonly #turns = new WorkspaceTurns(async () => []);
  readonly #silenceMs: number;
  /**
   * The start of the current recording of heartbeats. Earlier silence means nothing: the
   * gateway or its database was away.
   */
  #listeningSince: Date;

  constructor(options: OfflineFacilitiesOptions) {
    this.#options = options;
    this.#silenceMs = options.heartbeatTimeout * 1000 + offlineMs;
    this.#listeningSince = options.now();
  }

  /** Marks due facilities of the next workspace that has any. */
  async step(): Promise<StepOutcome> {
    const { prisma, now, heartbeatTimeout } = this.#options;
    const at = now();
    const silentSince = new Date(at.getTime() - this.#silenceMs);
    // The clock may have been set back.
    if (this.#listeningSince > at) this.#listeningSince = at;
    if (this.#listeningSince > silentSince)
      return { dueInMs: this.#listeningSince.getTime() - silentSince.getTime() };
    // A heartbeat of a time to come, by a clock that was ahead, says nothing.
    const silent = new Due(silentSince, this.#silenceMs + heartbeatTimeout * 1000);
    try {
      const marked = await this.#turns.claim(
        (following) =>
          prisma.facility.findFirst({
            where: {
              workspaceId: following,
              offlineToldAt: null,
              ...silent.where("lastHeartbeatAt"),
              removedAt: null,
            },
            orderBy: { workspaceId: "asc" },
            select: { workspaceId: true },
          }),
        (workspaceId) =>
          prisma.$transaction((transaction) => this.#mark(transaction, workspaceId, silent), timeouts),
      );
      return marked.length > 0 ? "more" : { dueInMs: pollIntervalMs };
    } catch (error) {
      this.#listeningSince = now();
      throw error;
    }
  }

  /**
   * Marks facilities even if nobody can hear the news. Otherwise old news would go out
   * once a channel is set up.
   */
  async #mark(transaction: Prisma.TransactionClient, workspaceId: string, silent: Due): Promise<string[]> {
    const now = this.#options.now();
    const marked = await transaction.$queryRaw<{ id: string }[]>(Prisma.sql`
      UPDATE "Facility" SET "offlineToldAt" = ${now}::timestamptz WHERE "workspaceId" = ${workspaceId}::uuid AND "id" = ANY(ARRAY(
        SELECT "id" FROM "Facility"
        WHERE "workspaceId" = ${workspaceId}::uuid AND "offlineToldAt" IS NULL AND ${silent.of(Prisma.sql`"lastHeartbeatAt"`)} AND "removedAt" IS NULL
        LIMIT ${batchSize}::int FOR UPDATE SKIP LOCKED))
      RETURNING "id"`);
    const facilityIds = marked.map(({ id }) => id);
    if (facilityIds.length > 0) {
      await queueFacilityOutages(
        { transaction, now },
        { kind: "FACILITY_OFFLINE", workspaceId, facilityIds },
        this.#options.channels,
      );
    }
    return facilityIds;
  }
}
