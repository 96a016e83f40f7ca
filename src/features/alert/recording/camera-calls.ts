import type { WriteAccess } from "../../../engine/operation/write.js";
import { Prisma } from "../../../generated/prisma/client.js";
import { later } from "../../../platform/time.js";
import { hasOwnPicture, maxRingAgeMs } from "./awaited-pictures.js";
import type { RecordAlertInput } from "./record-alerts.input.js";

/** How far ahead of the end of a ring an alert with a clip may be, in milliseconds. */
const maxAheadMs = 10_000;

/**
 * Calls, in the transaction that records new alerts, for what their cameras can show of them. The feeds of the pictures
 * that are awaited become due. Their rows are locked also while the cameras are open: the picture that is being taken is
 * for these alerts if it is recorded after them. Whoever keeps the rings of cameras is asked for clips.
 */
export function callCameras(
  write: WriteAccess,
  raised: readonly RecordAlertInput[],
  hasRings: boolean,
): void {
  const { now, caller } = write;
  const ids = raised
    .filter((alert) => (hasRings || !hasOwnPicture(alert)) && alert.createdAt >= later(now, -maxRingAgeMs))
    .map(({ id }) => id);
  if (ids.length === 0) return;
  const ofWorkspace = Prisma.sql`"workspaceId" = ${caller.workspaceId}::uuid`;
  write.send(Prisma.sql`
    WITH called AS (
      UPDATE "CameraFeed" SET "dueAt" = CASE WHEN "openedAt" IS NULL THEN least("dueAt", ${now}::timestamptz) ELSE "dueAt" END
      WHERE ${ofWorkspace} AND "cameraId" = ANY(ARRAY(
        SELECT "cameraId" FROM "CameraFeed" WHERE ${ofWorkspace} AND "failures" = 0 AND "quietUntil" IS NULL AND "cameraId" IN (
          SELECT "cameraId" FROM "Alert" WHERE ${ofWorkspace} AND "id" = ANY(${ids}::uuid[]) AND "pictureAwaitedUntil" IS NOT NULL)
        ORDER BY "cameraId" FOR UPDATE))
      RETURNING "cameraId"
    ), asked AS (
      INSERT INTO "AlertClip" AS clip ("workspaceId", "alertId", "facilityId", "cameraId", "alertCreatedAt", "state", "dueAt")
      SELECT alert."workspaceId", alert."id", alert."facilityId", alert."cameraId", alert."createdAt", 'PENDING', ${now}::timestamptz
      FROM "CameraFeed" AS feed JOIN "Alert" AS alert ON alert."workspaceId" = feed."workspaceId" AND alert."cameraId" = feed."cameraId"
      WHERE feed.${ofWorkspace} AND alert."id" = ANY(${ids}::uuid[]) AND feed."ringUntil" > ${now}::timestamptz
        AND feed."ringCodec" IN ('h264', 'hevc', 'av1')
        AND alert."createdAt" BETWEEN feed."ringFrom" AND ${later(now, maxAheadMs)}::timestamptz
      ON CONFLICT ("workspaceId", "alertId") DO NOTHING RETURNING clip."alertId"
    ) SELECT count(*) FROM called`);
  write.emit({ topic: "workQueued" });
}
