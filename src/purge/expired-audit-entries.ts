import { Prisma, type PrismaClient } from "../generated/prisma/client.js";
import { deleteBatch } from "./delete-batch.js";

const size = 2_000;

/**
 * Purges a batch of a workspace's audit entries older than a given time. Returns whether
 * there may be more.
 */
export async function purgeExpiredAuditEntries(
  prisma: PrismaClient,
  workspaceId: string,
  before: Date,
): Promise<boolean> {
  const condition = Prisma.sql`"createdAt" < ${before}::timestamptz`;
  const purged = await deleteBatch(
    prisma,
    { table: "AuditEntry", workspaceId, condition, size, locked: "skip" },
    Prisma.sql`"id"`,
  );
  return purged.length === size;
}
