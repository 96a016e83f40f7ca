import { Prisma, type PrismaClient } from "../../../generated/prisma/client.js";

const dayOf = (time: Date) => new Date(`${time.toISOString().slice(0, 10)}T00:00:00Z`);

/**
 * Counts a message of a workspace before it is sent. Returns false if the workspace has used up its messages
 * of this UTC day.
 */
export async function countMessage(
  prisma: Pick<PrismaClient, "$queryRaw">,
  workspaceId: string,
  now: Date,
  max: number,
): Promise<boolean> {
  if (max < 1) return false;
  const counted = await prisma.$queryRaw<object[]>(Prisma.sql`
    INSERT INTO "MessageCount" AS counted ("workspaceId", "day", "count") VALUES (${workspaceId}::uuid, ${dayOf(now)}::date, 1)
    ON CONFLICT ("workspaceId", "day") DO UPDATE SET "count" = counted."count" + 1 WHERE counted."count" < ${max}::int
    RETURNING counted."count"`);
  return counted.length > 0;
}

/** Takes back the count of a rejected message. */
export async function uncountMessage(
  prisma: PrismaClient,
  workspaceId: string,
  countedAt: Date,
): Promise<void> {
  await prisma.messageCount.updateMany({
    where: { workspaceId, day: dayOf(countedAt) },
    data: { count: { decrement: 1 } },
  });
}
