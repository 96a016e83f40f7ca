import type { RequestContext } from "../../../engine/operation/request-context.js";
import { changedFields } from "../../../engine/operation/write.js";
import { Prisma } from "../../../generated/prisma/client.js";
import { badRequest, orNotFound, ServiceError } from "../../../platform/errors/errors.js";
import { emitChange, lockAlerts } from "../triage/alert-write.service.js";
import { forgetUploads, lockUploads } from "./alert-upload.service.js";
import type { RecordAlertInput } from "./record-alerts.input.js";

/** What an upload must be of which an alert has the clip. */
export const usableClip = "must be a completed upload of a clip at the camera's facility that no alert uses";

/** The statement that lets alerts have the clips of uploads that are locked, of those that can be used. */
export const clipInsertion = (
  workspaceId: string,
  uses: readonly Pick<RecordAlertInput, "id" | "clipUploadId">[],
): Prisma.Sql => Prisma.sql`
  INSERT INTO "AlertClip" ("workspaceId", "alertId", "facilityId", "cameraId", "alertCreatedAt", "state", "uploaded", "key", "contentType", "duration", "width", "height", "size")
  SELECT alert."workspaceId", alert."id", alert."facilityId", alert."cameraId", alert."createdAt", 'READY', true, upload."url", upload."contentType", upload."duration", upload."width", upload."height", upload."size"
  FROM unnest(${uses.map(({ id }) => id)}::uuid[], ${uses.map(({ clipUploadId }) => clipUploadId)}::uuid[]) AS given("id", "uploadId")
  JOIN "Alert" AS alert ON alert."workspaceId" = ${workspaceId}::uuid AND alert."id" = given."id"
  JOIN "AlertUpload" AS upload ON upload."workspaceId" = alert."workspaceId" AND upload."id" = given."uploadId"
    AND upload."facilityId" = alert."facilityId" AND upload."kind" = 'CLIP' AND upload."url" IS NOT NULL`;

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
    if ((await transaction.$executeRaw(clipInsertion(caller.workspaceId, uses))) === 0)
      throw badRequest([{ path: "uploadId", message: usableClip }]);
    emitChange(write, "CLIP", [alert]);
    forgetUploads(write, uses);
    write.auditChange("Alert", alert, changedFields<object>({ clip: null }, { clip: clipUploadId }));
  });
}
