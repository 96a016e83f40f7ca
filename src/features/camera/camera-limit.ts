import type { WriteAccess } from "../../engine/operation/write.js";
import { Prisma } from "../../generated/prisma/client.js";
import { ServiceError } from "../../platform/errors/errors.js";

/** Throws CONFLICT if a workspace has as many cameras as it may have, and locks their number. */
export async function assertRoomForCamera(
  { transaction }: WriteAccess,
  workspaceId: string,
  maxCameras: number,
): Promise<void> {
  await transaction.$queryRaw(
    Prisma.sql`SELECT "id" FROM "Workspace" WHERE "id" = ${workspaceId}::uuid FOR NO KEY UPDATE`,
  );
  const count = await transaction.camera.count({ where: { workspaceId, removedAt: null } });
  if (count >= maxCameras)
    throw new ServiceError("CONFLICT", `The workspace has ${count} cameras, as many as it may have`);
}
