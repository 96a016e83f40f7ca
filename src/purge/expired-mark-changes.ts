import { undoLifetimeMs } from "../alert/triage/mark-changes.js";
import { Prisma, type PrismaClient } from "../generated/prisma/client.js";
import { deleteBatch } from "./delete-batch.js";

const size = 2_000;

/**
 * Purges a batch of the marks of a workspace's alerts that can no longer be undone.
 * Returns whether there may be more.
 */
export async function purgeExpiredMarkChanges(
  prisma: PrismaClient,
  workspaceId: string,
  now: Date,
): Promise<boolean> {
  const condition = Prisma.sql`"createdAt" <= ${new Date(now.getTime() - undoLifetimeMs)}::timestamptz`;
  const purged = await deleteBatch(
    prisma,
    { table: "AlertMarkChange", workspaceId, condition, size, locked: "skip" },
    Prisma.sql`"alertId"`,
  );
  return purged.length === size;
}
