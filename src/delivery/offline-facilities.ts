import { Prisma, type PrismaClient } from "../generated/prisma/client.js";
import { WorkspaceTurns } from "../platform/queues/workspace-turns.js";
import type { StepOutcome } from "../platform/workers/worker.js";
import type { ConfiguredChannels } from "./alert-deliveries.js";
import { queueFacilityOutages } from "./outages.js";

/** What {@link OfflineFacilities} works with. */
export interface OfflineFacilitiesOptions {
  prisma: PrismaClient;
  channels: ConfiguredChannels;
  /** How long after its last heartbeat a facility counts as online; in seconds. */
  heartbeatTimeout: number;
  now: () => Date;
}

/** How long a facility is offline before anybody is told. */
const offlineMs = 10 * 60_000;
/**
 * Heartbeats change when the next facility is due all the time: asking for that would be
 * no less work than looking.
 */
const pollIntervalMs = 30_000;
const batchSize = 500;
/**
 * How long a batch may wait for a connection and may take, in milliseconds: a busy
 * gateway is not one that could not listen.
 */
const timeouts = { maxWait: 10_000, timeout: 30_000 };

/**
 * Marks facilities that have been offline for ten minutes, once for all instances, and
 * owes the news to the addresses of their cameras.
 */
export class OfflineFacilities {
  readonly #options: OfflineFacilitiesOptions;
  /**
   * Lists nobody: while a node is away, its facilities could not be heard, and this waits
   * until it is back.
   */
  readonly #turns = new WorkspaceTurns(async () => []);
  readonly #silenceMs: number;
  /**
   * Since when heartbeats could be recorded: before, while the gateway or its database
   * was away, silence says nothing.
   */
  #listeningSince: Date;

  constructor(options: OfflineFacilitiesOptions) {
    this.#options = options;
    this.#silenceMs = options.heartbeatTimeout * 1000 + offlineMs;
    this.#listeningSince = options.now();
  }

  /** Marks facilities of the next workspace that has any which are due. */
  async step(): Promise<StepOutcome> {
    const { prisma, now } = this.#options;
    const silentSince = new Date(now().getTime() - this.#silenceMs);
    if (this.#listeningSince > silentSince)
      return { dueInMs: this.#listeningSince.getTime() - silentSince.getTime() };
    try {
      const marked = await this.#turns.claim(
        (following) =>
          prisma.facility.findFirst({
            where: { workspaceId: following, offlineToldAt: null, lastHeartbeatAt: { lte: silentSince } },
            orderBy: { workspaceId: "asc" },
            select: { workspaceId: true },
          }),
        (workspaceId) =>
          prisma.$transaction((transaction) => this.#mark(transaction, workspaceId, silentSince), timeouts),
      );
      return marked.length > 0 ? "more" : { dueInMs: pollIntervalMs };
    } catch (error) {
      this.#listeningSince = now();
      throw error;
    }
  }

  /**
   * Marks facilities whether anybody can be told or not, so that no old news are told
   * once a channel is set up.
   */
  async #mark(
    transaction: Prisma.TransactionClient,
    workspaceId: string,
    silentSince: Date,
  ): Promise<string[]> {
    const now = this.#options.now();
    const marked = await transaction.$queryRaw<{ id: string }[]>(Prisma.sql`
      UPDATE "Facility" SET "offlineToldAt" = ${now}::timestamptz WHERE "workspaceId" = ${workspaceId}::uuid AND "id" = ANY(ARRAY(
        SELECT "id" FROM "Facility"
        WHERE "workspaceId" = ${workspaceId}::uuid AND "offlineToldAt" IS NULL AND "lastHeartbeatAt" <= ${silentSince}::timestamptz
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
