import type { Database } from "../../engine/database/client.js";
import { Prisma, type PrismaClient } from "../../generated/prisma/client.js";

const size = 1_000;
/** The number of past entries that are kept of each camera. */
const kept = { StreamRequest: 100, StatusChange: 10_000 };

/** Purges a batch of the oldest entries beyond a camera's limit. Returns whether there may be more. */
export async function purgeLongHistories(
  { prisma, transact }: Pick<Database, "prisma" | "transact">,
  workspaceId: string,
): Promise<boolean> {
  const requests = await surplus(
    prisma,
    workspaceId,
    "StreamRequest",
    Prisma.sql`"supersededAt" IS NOT NULL`,
  );
  const ofRequests = { workspaceId, id: { in: requests } };
  await transact(async (transaction) => {
    const found = await transaction.streamRequest.findMany({
      where: ofRequests,
      select: { requestId: true },
    });
    await transaction.streamRequest.deleteMany({ where: ofRequests });
    const requestId = { in: found.map((request) => request.requestId) };
    await transaction.streamRequestLookup.deleteMany({ where: { requestId } });
  });
  const changes = await surplus(prisma, workspaceId, "StatusChange", Prisma.sql`TRUE`);
  await prisma.statusChange.deleteMany({ where: { workspaceId, id: { in: changes } } });
  return requests.length === size || changes.length === size;
}

async function surplus(
  prisma: PrismaClient,
  workspaceId: string,
  table: keyof typeof kept,
  condition: Prisma.Sql,
): Promise<string[]> {
  const rows = await prisma.$queryRaw<{ id: string }[]>(Prisma.sql`
    SELECT entry."id" FROM "Camera" AS camera CROSS JOIN LATERAL (
      SELECT "id" FROM ${Prisma.raw(`"${table}"`)}
      WHERE "workspaceId" = ${workspaceId}::uuid AND "cameraId" = camera."id" AND ${condition}
      ORDER BY "createdAt" DESC, "id" DESC OFFSET ${kept[table]}::int LIMIT ${size}::int) AS entry
    WHERE camera."workspaceId" = ${workspaceId}::uuid LIMIT ${size}::int`);
  return rows.map(({ id }) => id);
}
