import { Prisma, type PrismaClient } from "../generated/prisma/client.js";
import { deleteBatch } from "./delete-batch.js";

const size = 2_000;

/**
 * Purges a batch of a workspace's expired sessions and of used codes of links that have
 * expired. Returns whether there may be more.
 */
export async function purgeExpiredSessions(
  prisma: PrismaClient,
  workspaceId: string,
  now: Date,
): Promise<boolean> {
  const batch = {
    workspaceId,
    condition: Prisma.sql`"expiresAt" <= ${now}::timestamptz`,
    size,
    locked: "skip" as const,
  };
  const purged = [
    await deleteBatch(prisma, { ...batch, table: "Session" }, Prisma.sql`"id"`),
    await deleteBatch(prisma, { ...batch, table: "UsedSignInCode" }, Prisma.sql`"expiresAt"`),
  ];
  return purged.some(({ length }) => length === size);
}
