import { Prisma, type PrismaClient } from "../generated/prisma/client.js";
import { deleteBatch } from "./delete-batch.js";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** The retention period of deliveries after they were sent or given up. */
const retentionMs = 30 * dayMs;
const size = 2_000;

/**
 * Purges a batch of a workspace's deliveries that were sent or given up long ago, of
 * expired ones for a feed server that is not set up any more, and of past records about
 * queues, targets and days. Deliveries of a deleted camera get no
 * priority: pending ones are dropped in their turn, and finding the others sooner would
 * need an index on the camera. Returns whether there may be more.
 */
export async function purgeOldDeliveries(
  prisma: PrismaClient,
  workspaceId: string,
  now: Date,
): Promise<boolean> {
  const before = (milliseconds: number) => Prisma.sql`${new Date(now.getTime() - milliseconds)}::timestamptz`;
  const old: [table: Prisma.ModelName, condition: Prisma.Sql][] = [
    ["Delivery", Prisma.sql`"state" IN ('SENT', 'PARKED') AND "createdAt" <= ${before(retentionMs)}`],
    ["Delivery", Prisma.sql`"streamRequestId" IS NOT NULL AND "expiresAt" <= ${before(hourMs)}`],
    ["DeliveryQueue", Prisma.sql`"availableAt" <= ${before(hourMs)}`],
    // Purge these even if deliveries to the target still wait because nobody could send
    // them: the failures are history by then.
    ["DeliveryTarget", Prisma.sql`"retryAt" <= ${before(dayMs)}`],
    ["MessageCount", Prisma.sql`"day" <= ${before(retentionMs)}`],
  ];
  let isMoreLeft = false;
  for (const [table, condition] of old) {
    const purged = await deleteBatch(
      prisma,
      { table, workspaceId, condition, size, locked: "skip" },
      Prisma.sql`"workspaceId"`,
    );
    isMoreLeft ||= purged.length === size;
  }
  return isMoreLeft;
}
