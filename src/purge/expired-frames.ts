import { Prisma, type PrismaClient } from "../generated/prisma/client.js";
import { deleteBatch } from "./delete-batch.js";

/** The number of cameras whose frames are purged at once, and of frames. */
const camerasAtOnce = 2;
const size = 2_000;

/**
 * Purges a batch of a workspace's kept frames that were taken before a given time.
 * Returns whether there may be more.
 */
export async function purgeExpiredFrames(
  prisma: PrismaClient,
  workspaceId: string,
  before: Date,
): Promise<boolean> {
  // The oldest frame of a camera tells whether there is anything to purge, without an
  // index over times, which each new frame would have to pay for.
  const cameras = await prisma.$queryRaw<{ id: string }[]>(Prisma.sql`
    SELECT camera."id" FROM "Camera" AS camera
    WHERE camera."workspaceId" = ${workspaceId}::uuid AND (
      SELECT kept."createdAt" FROM "KeptFrame" AS kept
      WHERE kept."workspaceId" = ${workspaceId}::uuid AND kept."cameraId" = camera."id" ORDER BY kept."number" LIMIT 1
    ) < ${before}::timestamptz LIMIT ${camerasAtOnce}::int`);
  if (cameras.length === 0) return false;
  const ids = cameras.map(({ id }) => id);
  const condition = Prisma.sql`"cameraId" = ANY(${ids}::uuid[]) AND "createdAt" < ${before}::timestamptz`;
  const purged = await deleteBatch(
    prisma,
    { table: "KeptFrame", workspaceId, condition, size, locked: "skip" },
    Prisma.sql`"number"`,
  );
  return purged.length > 0;
}
