import type { RequestContext } from "../../../engine/operation/request-context.js";
import { changedFields, type WriteAccess } from "../../../engine/operation/write.js";
import { type Alert, Prisma } from "../../../generated/prisma/client.js";
import { badRequest, orNotFound, ServiceError } from "../../../platform/errors/errors.js";
import { emitChange, lockAlerts } from "../triage/alert-write.service.js";
import { forgetUploads, lockUploads } from "./alert-upload.service.js";

const usableClip = "must be a completed upload of a clip at the camera's facility that no alert uses";

/** An alert, and the upload of its clip. */
interface ClipUse {
  id: string;
  clipUploadId: string;
}

/**
 * Lets alerts of the same transaction have the clips of uploads that are locked. Fails with BAD_REQUEST at the paths of
 * uploads that cannot be used. Returns what tells of the clips: webhooks hear of them if they hear of their alerts by then.
 */
export async function useClips(
  write: WriteAccess,
  uses: readonly ClipUse[],
  pathOf: (use: ClipUse) => string,
): Promise<() => void> {
  if (uses.length === 0) return () => {};
  const [ids, uploadIds] = [uses.map(({ id }) => id), uses.map(({ clipUploadId }) => clipUploadId)];
  const { workspaceId } = write.caller;
  const clips = await write.transaction.$queryRaw<Pick<Alert, "id" | "facilityId" | "cameraId">[]>(
    Prisma.sql`
      INSERT INTO "AlertClip" AS clip ("workspaceId", "alertId", "facilityId", "cameraId", "alertCreatedAt", "state", "uploaded", "key", "contentType", "duration", "width", "height", "size")
      SELECT alert."workspaceId", alert."id", alert."facilityId", alert."cameraId", alert."createdAt", 'READY', true, upload."url", upload."contentType", upload."duration", upload."width", upload."height", upload."size"
      FROM unnest(${ids}::uuid[], ${uploadIds}::uuid[]) AS given("id", "uploadId")
      JOIN "Alert" AS alert ON alert."workspaceId" = ${workspaceId}::uuid AND alert."id" = given."id"
      JOIN "AlertUpload" AS upload ON upload."workspaceId" = alert."workspaceId" AND upload."id" = given."uploadId"
        AND upload."facilityId" = alert."facilityId" AND upload."kind" = 'CLIP' AND upload."url" IS NOT NULL
      RETURNING clip."alertId" AS "id", clip."facilityId", clip."cameraId"`,
  );
  const used = new Set(clips.map(({ id }) => id));
  const others = uses.filter(({ id }) => !used.has(id));
  if (others.length > 0) throw badRequest(others.map((use) => ({ path: pathOf(use), message: usableClip })));
  return () => emitChange(write, "CLIP", clips);
}

/** Adds the clip of an upload to an alert that has none, or one that failed. Requires alerts:write at its facility. */
export async function addAlertClip(context: RequestContext, id: string, clipUploadId: string): Promise<void> {
  await context.write(async (write) => {
    const { transaction, caller } = write;
    const alert = orNotFound((await lockAlerts(write, [id], "alerts:write"))[0]);
    const uses = [{ id, clipUploadId }];
    await lockUploads(write, uses);
    const key = { workspaceId: caller.workspaceId, alertId: id };
    await transaction.alertClip.deleteMany({ where: { ...key, state: "FAILED" } });
    if ((await transaction.alertClip.count({ where: key })) > 0)
      throw new ServiceError("CONFLICT", "The alert has a clip, or one is being made");
    const tell = await useClips(write, uses, () => "uploadId");
    tell();
    forgetUploads(write, uses);
    write.auditChange("Alert", alert, changedFields<object>({ clip: null }, { clip: clipUploadId }));
  });
}
