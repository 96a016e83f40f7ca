import { Due } from "../../engine/leases/due.js";
import { outcomeLifetimeMs } from "../../engine/operation/idempotency.js";
import { Prisma, type PrismaClient } from "../../generated/prisma/client.js";
import { later } from "../../platform/time.js";
import { undoLifetimeMs } from "../alert/triage/mark-changes.js";
import { restorableForMs } from "../camera/restoring.js";
import { keptForMs as framesKeptForMs } from "../detection/kept-frames.js";
import { takenCountsForMs, takingActions } from "../user/held-permissions.js";
import { deleteBatch } from "./delete-batch.js";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const maxAtOnce = 2_000;
const camerasAtOnce = 2;

/** Which rows of a table are kept for how long. */
interface Retention {
  table: Prisma.ModelName;
  /** The column with the time from which a row is kept. */
  since: string;
  keptForMs: number;
  /** Whether to purge rows, too, that are as far ahead of now: a clock was ahead when they were written. */
  evenAhead?: boolean;
  /** The rows of the table that are meant; all by default. */
  where?: (workspaceId: string, now: Date) => Prisma.Sql;
}

/** What is no longer kept, by the name of the worker that purges it. */
export const retention: Readonly<Record<string, readonly Retention[]>> = {
  "purging expired outcomes of requests": [
    { table: "KeyedOutcome", since: "createdAt", keptForMs: outcomeLifetimeMs, evenAhead: true },
  ],
  "purging changes of marks that cannot be undone": [
    { table: "AlertMarkChange", since: "createdAt", keptForMs: undoLifetimeMs },
  ],
  "purging expired sessions": [
    { table: "Session", since: "expiresAt", keptForMs: 0 },
    // An instance whose clock is behind still accepts codes that have expired here.
    { table: "UsedSignInCode", since: "expiresAt", keptForMs: hourMs },
  ],
  "purging connectors that are no longer heard": [
    { table: "Connector", since: "lastReportedAt", keptForMs: 30 * dayMs, evenAhead: true },
  ],
  "purging rules that cannot be restored": [
    { table: "RemovedAlertRule", since: "removedAt", keptForMs: restorableForMs, evenAhead: true },
  ],
  // Deliveries of a deleted camera get no priority: pending ones are dropped in their turn, and finding the others
  // sooner would need an index on the camera.
  "purging old deliveries": [
    {
      table: "Delivery",
      since: "createdAt",
      keptForMs: 30 * dayMs,
      where: () => Prisma.sql`"state" IN ('SENT', 'PARKED')`,
    },
    // Deliveries to a feed server that is not set up any more wait until they expire.
    {
      table: "Delivery",
      since: "expiresAt",
      keptForMs: hourMs,
      where: () => Prisma.sql`"streamRequestId" IS NOT NULL`,
    },
    { table: "DeliveryQueue", since: "availableAt", keptForMs: hourMs },
    // Purged even if deliveries to the target still wait because nobody could send them: the failures are history by
    // then.
    { table: "DeliveryTarget", since: "retryAt", keptForMs: dayMs },
    { table: "MessageCount", since: "day", keptForMs: 30 * dayMs },
  ],
};

/** Audit entries, except those of what was taken from users lately. */
export const auditRetention = (days: number): Retention => ({
  table: "AuditEntry",
  since: "createdAt",
  keptForMs: days * dayMs,
  where: (_, now) => {
    const recently = later(now, -takenCountsForMs);
    return Prisma.sql`("createdAt" < ${recently}::timestamptz OR "action" <> ALL(${takingActions}::text[]))`;
  },
});

/** Clips, except those of bookmarked alerts. A trigger schedules the removal of their objects. */
export const clipRetention = (days: number): Retention => ({
  table: "AlertClip",
  since: "alertCreatedAt",
  keptForMs: days * dayMs,
  where: (workspaceId) => Prisma.sql`NOT EXISTS (SELECT FROM "Alert" AS alert
    WHERE alert."workspaceId" = ${workspaceId}::uuid AND alert."id" = "AlertClip"."alertId" AND alert."bookmark")`,
});

/**
 * Frames of detections; all of them if none are kept. The oldest frame of a camera tells whether there is anything to
 * purge, without an index over times, which each new frame would have to pay for.
 */
export function frameRetention(isKept: boolean): Retention {
  const keptForMs = isKept ? framesKeptForMs : -dayMs;
  return {
    table: "KeptFrame",
    since: "createdAt",
    keptForMs,
    where: (workspaceId, now) => Prisma.sql`"cameraId" = ANY(ARRAY(
      SELECT camera."id" FROM "Camera" AS camera
      WHERE camera."workspaceId" = ${workspaceId}::uuid AND (
        SELECT kept."createdAt" FROM "KeptFrame" AS kept
        WHERE kept."workspaceId" = ${workspaceId}::uuid AND kept."cameraId" = camera."id" ORDER BY kept."number" LIMIT 1
      ) < ${later(now, -keptForMs)}::timestamptz LIMIT ${camerasAtOnce}::int))`,
  };
}

/** Purges a batch of a workspace's rows that are no longer kept. Returns whether there may be more. */
export async function purgeExpired(
  prisma: PrismaClient,
  retentions: readonly Retention[],
  workspaceId: string,
  now: Date,
): Promise<boolean> {
  let isMoreLeft = false;
  for (const { table, since, keptForMs, evenAhead, where } of retentions) {
    const column = Prisma.raw(`"${since}"`);
    const isExpired = evenAhead
      ? Due.ofAge(keptForMs, now).of(column)
      : Prisma.sql`${column} <= ${later(now, -keptForMs)}::timestamptz`;
    const condition = where ? Prisma.sql`${isExpired} AND ${where(workspaceId, now)}` : isExpired;
    const batch = { table, workspaceId, condition, size: maxAtOnce, locked: "skip" } as const;
    const purged = await deleteBatch(prisma, batch, Prisma.sql`"workspaceId"`);
    isMoreLeft ||= purged.length > 0;
  }
  return isMoreLeft;
}
