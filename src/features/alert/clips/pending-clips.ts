import type { WriteAccess } from "../../../engine/operation/write.js";
import { Prisma } from "../../../generated/prisma/client.js";
import type { RecordAlertInput } from "../recording/record-alerts.input.js";

/** The codecs that clips may have, as ffmpeg calls them. */
const clipCodecs = ["h264", "hevc", "av1"];
/** No ring keeps more, in milliseconds. */
const maxAgeMs = 300_000;
/** How far ahead of the end of a ring an alert may be. */
const maxAheadMs = 10_000;

/** Asks whoever keeps the rings of their cameras for clips of new alerts, in the transaction that records these. */
export function callForClips(write: WriteAccess, raised: readonly RecordAlertInput[]): void {
  const { now, caller } = write;
  const ids = raised.flatMap(({ id, createdAt }) => {
    const age = now.getTime() - createdAt.getTime();
    return age <= maxAgeMs && age >= -maxAheadMs ? [id] : [];
  });
  if (ids.length === 0) return;
  write.send(Prisma.sql`
    INSERT INTO "AlertClip" ("workspaceId", "alertId", "facilityId", "cameraId", "alertCreatedAt", "state", "dueAt")
    SELECT alert."workspaceId", alert."id", alert."facilityId", alert."cameraId", alert."createdAt", 'PENDING', ${now}::timestamptz
    FROM "CameraFeed" AS feed JOIN "Alert" AS alert ON alert."workspaceId" = feed."workspaceId" AND alert."cameraId" = feed."cameraId"
    WHERE feed."workspaceId" = ${caller.workspaceId}::uuid AND alert."id" = ANY(${ids}::uuid[])
      AND feed."ringUntil" > ${now}::timestamptz AND feed."ringCodec" = ANY(${clipCodecs}::text[]) AND alert."createdAt" >= feed."ringFrom"
    ON CONFLICT ("workspaceId", "alertId") DO NOTHING`);
  write.emit({ topic: "workQueued" });
}
