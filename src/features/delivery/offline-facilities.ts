import type { Database } from "../../engine/database/client.js";
import { claimInTurn, type DueRows, lockedDueRows } from "../../engine/leases/due-rows.js";
import type { StepOutcome } from "../../engine/leases/worker.js";
import { WorkspaceTurns } from "../../engine/leases/workspace-turns.js";
import { Prisma } from "../../generated/prisma/client.js";
import { later } from "../../platform/time.js";
import type { ConfiguredChannels } from "./channels/delivery-channels.js";
import { facilityOutages } from "./outages.js";

interface OfflineFacilitiesOptions {
  database: Pick<Database, "prisma" | "transact">;
  channels: ConfiguredChannels;
  /** A facility counts as online for this time after its last heartbeat, in seconds. */
  heartbeatTimeout: number;
  now: () => Date;
}

/** A facility must be offline for this time before anyone hears about it. */
const offlineMs = 10 * 60_000;
/** The pause between looking for due facilities, in milliseconds: heartbeats keep changing when the next one is due. */
const pollIntervalMs = 30_000;
const batchSize = 500;
/** The limit of a batch, in milliseconds: a busy gateway still hears heartbeats. */
const limits = { timeout: 30_000 };

/**
 * The step that marks facilities of the next workspace that have been offline for ten minutes, once for all instances,
 * and queues the news for the addresses of their cameras.
 */
export function offlineFacilities({
  database,
  channels,
  heartbeatTimeout,
  now,
}: OfflineFacilitiesOptions): () => Promise<StepOutcome> {
  // Without a list of workspaces to try one by one: while a node is away, heartbeats of its facilities cannot be
  // recorded, so this waits until it is back.
  const turns = new WorkspaceTurns(async () => []);
  const silenceMs = heartbeatTimeout * 1000 + offlineMs;
  const rows: DueRows = {
    table: "Facility",
    key: "id",
    dueAt: "lastHeartbeatAt",
    // A heartbeat of a time to come, by a clock that was ahead, says nothing.
    maxAheadMs: silenceMs + heartbeatTimeout * 1000,
    where: Prisma.sql`"offlineToldAt" IS NULL AND NOT "heartbeatsIgnored" AND "removedAt" IS NULL`,
  };
  /** The start of the current recording of heartbeats. Earlier silence says nothing: the gateway may have been away. */
  let listeningSince = now();

  // Marks facilities even if nobody can hear the news, as old news would go out once a channel is set up.
  const mark = (workspaceId: string, silentSince: Date) =>
    database.transact(async (transaction) => {
      const at = now();
      const marked = await transaction.$queryRaw<{ id: string }[]>(Prisma.sql`
        UPDATE "Facility" SET "offlineToldAt" = ${at}::timestamptz
        WHERE ${lockedDueRows(rows, { workspaceId, now: silentSince, limit: batchSize })} RETURNING "id"`);
      const outages = {
        kind: "FACILITY_OFFLINE" as const,
        workspaceId,
        facilityIds: marked.map(({ id }) => id),
      };
      if (marked.length > 0)
        for (const statement of facilityOutages(at, outages, channels))
          await transaction.$executeRaw(statement);
      return marked;
    }, limits);

  return async () => {
    const at = now();
    const silentSince = later(at, -silenceMs);
    // The clock may have been set back.
    if (listeningSince > at) listeningSince = at;
    if (listeningSince > silentSince) return { dueInMs: listeningSince.getTime() - silentSince.getTime() };
    try {
      const marked = await claimInTurn(database.prisma, turns, rows, silentSince, (workspaceId) =>
        mark(workspaceId, silentSince),
      );
      return marked.length > 0 ? "more" : { dueInMs: pollIntervalMs };
    } catch (error) {
      listeningSince = now();
      throw error;
    }
  };
}
