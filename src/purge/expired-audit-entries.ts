import { Prisma, type PrismaClient } from "../generated/prisma/client.js";
import { takenCountsForMs, takingActions } from "../user/held-permissions.js";
import { deleteBatch } from "./delete-batch.js";

const size = 2_000;

/**
 * Purges a batch of a workspace's audit entries older than a given time, except those of
 * what was taken from users lately. Returns whether there may be more.
 */
export async function purgeExpiredAuditEntries(
  prisma: PrismaClient,
  workspaceId: string,
  before: Date,
  now: Date,
): Promise<boolean> {
  const recently = new Date(now.getTime() - takenCountsForMs);
  const condition = Prisma.sql`"createdAt" < ${before}::timestamptz
    AND ("createdAt" < ${recently}::timestamptz OR "action" <> ALL(${takingActions}::text[]))`;
  const purged = await deleteBatch(
    prisma,
    { table: "AuditEntry", workspaceId, condition, size, locked: "skip" },
    Prisma.sql`"id"`,
  );
  return purged.length === size;
}
