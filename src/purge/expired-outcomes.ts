import { Prisma, type PrismaClient } from "../generated/prisma/client.js";
import { expiredOutcomes } from "../operation/idempotency.js";
import { deleteBatch } from "./delete-batch.js";

const size = 2_000;

/**
 * Purges a batch of a workspace's expired outcomes of requests with a key. Returns
 * whether there may be more.
 */
export async function purgeExpiredOutcomes(
  prisma: PrismaClient,
  workspaceId: string,
  now: Date,
): Promise<boolean> {
  const condition = expiredOutcomes(now).of(Prisma.sql`"createdAt"`);
  const purged = await deleteBatch(
    prisma,
    { table: "KeyedOutcome", workspaceId, condition, size, locked: "skip" },
    Prisma.sql`"position"`,
  );
  return purged.length === size;
}
