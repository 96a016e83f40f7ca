import { Prisma, type PrismaClient } from "../generated/prisma/client.js";
import { scheduleRemoval } from "../storage/object-removal.js";

const alertsAtOnce = 2_000;

/**
 * Purges a piece of what a deleted camera left: some of its alerts or, once there are none, the camera with its rules,
 * jobs and histories. Answers whether there was anything. Instances share the work; a crash loses nothing but the piece.
 */
export async function purgeRemovedCamera(prisma: PrismaClient): Promise<boolean> {
  return prisma.$transaction(
    async (transaction) => {
      const [camera] = await transaction.$queryRaw<{ id: string; imageLink: string | null }[]>(
        Prisma.sql`SELECT "id", "imageLink" FROM "Camera" WHERE "removedAt" IS NOT NULL ORDER BY "removedAt" LIMIT 1 FOR UPDATE SKIP LOCKED`,
      );
      if (!camera) return false;
      const alerts = await transaction.$queryRaw<{ url: string | null; thumbnailUrl: string | null }[]>(Prisma.sql`
        DELETE FROM "Alert" WHERE ctid = ANY(ARRAY(SELECT ctid FROM "Alert" WHERE "cameraId" = ${camera.id}::uuid LIMIT ${alertsAtOnce}::int))
        RETURNING "url", "thumbnailUrl"`);
      const pictures = alerts.flatMap(({ url, thumbnailUrl }) => [url, thumbnailUrl]);
      if (alerts.length > 0) {
        await scheduleRemoval(transaction, pictures);
        return true;
      }
      const calibration = await transaction.calibration.findUnique({ where: { cameraId: camera.id } });
      const { calibratedImage = null, croppedImage = null, gridImage = null } = calibration ?? {};
      await transaction.camera.delete({ where: { id: camera.id } });
      await scheduleRemoval(transaction, [camera.imageLink, calibratedImage, croppedImage, gridImage]);
      return true;
    },
    { timeout: 30_000, maxWait: 10_000 },
  );
}
