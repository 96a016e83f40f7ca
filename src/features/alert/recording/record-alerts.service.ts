import { canWhereverVisible } from "../../../engine/access/permissions.js";
import type { RequestContext } from "../../../engine/operation/request-context.js";
import type { WriteAccess } from "../../../engine/operation/write.js";
import { defined } from "../../../platform/defined.js";
import { badRequest, type ErrorDetail, ServiceError } from "../../../platform/errors/errors.js";
import { emitChange } from "../triage/alert-write.service.js";
import {
  assertNotDeleted,
  type GivenAlerts,
  givenAlerts,
  insertAlerts,
  type UnrecordedAlert,
} from "./alert-insertion.js";
import {
  completeRecording,
  type FacilityOfCamera,
  lockCameras,
  Missing,
  recordQueued,
} from "./alert-recording.js";
import { lockUploads, usableUpload } from "./alert-upload.service.js";
import { LivePictures } from "./live-pictures.js";
import type { RecordAlertInput } from "./record-alerts.input.js";
import { clipInsertion, usableClip } from "./sent-clips.service.js";

/** How far an alert may be ahead of the gateway's clock, in milliseconds, as clocks of detectors may be wrong. */
const maxFutureMs = 24 * 3_600_000;

export interface RecordedAlerts {
  /** The IDs of all given alerts in their order, without duplicates. */
  alertIds: string[];
  recorded: number;
  alreadyRecorded: number;
}

/** Records alerts, all or none. Recorded ones with the same content stay. Requires alerts:write at every facility. */
export async function recordAlerts(
  context: RequestContext,
  input: readonly RecordAlertInput[],
): Promise<RecordedAlerts> {
  assertNotAhead(input, context.services.now());
  // Duplicates are identical: the rules for the input guarantee it.
  const alerts = [...new Map(input.map((alert) => [alert.id, alert])).values()];
  const pictures = new LivePictures(context);
  let given: GivenAlerts | undefined;
  const recorded = await recordQueued(context, "recordAlerts", async (write, insertsAll) => {
    const needed = pictures.neededBy(alerts);
    if (needed.size > 0) {
      const facilityOf = await lockCameras(write, needed.keys());
      throw new Missing("Live frames", () => pictures.store(needed, facilityOf));
    }
    const pictured = alerts.map((alert) => pictures.addTo(alert));
    given ??= givenAlerts(context, pictured);
    const locked = lockOrigins(write, pictured);
    // If the caller's permission does not depend on the cameras, do not wait for the answer about them: the database
    // locks them first anyway.
    if (!insertsAll || !canWhereverVisible(write.caller, "alerts:write")) await locked;
    const inserting = insertAlerts(write, given, insertsAll);
    // What is wrong with the cameras comes first, whichever statement fails first: otherwise the same input would be
    // recorded anew at some times and refused at others.
    await Promise.allSettled([locked, inserting]);
    const facilityOfCamera = await locked;
    const others = new Map((await inserting).map((other) => [other.id, other]));
    assertRecordedBefore(input, [...others.values()]);
    const raised = pictured.filter(({ id }) => !others.has(id));
    const filmed = raised.filter(({ clipUploadId }) => clipUploadId != null);
    if (filmed.length > 0) write.send(clipInsertion(write.caller.workspaceId, filmed));
    completeRecording(context, write, raised, facilityOfCamera);
    // Webhooks hear of clips if they hear of their alerts by then.
    if (filmed.length > 0)
      emitChange(
        write,
        "CLIP",
        filmed.map(({ id, cameraId }) => ({
          id,
          cameraId,
          facilityId: defined(facilityOfCamera.get(cameraId)),
        })),
      );
    return raised.length;
  });
  context.services.countAlerts(recorded);
  return { alertIds: alerts.map(({ id }) => id), recorded, alreadyRecorded: input.length - recorded };
}

function assertNotAhead(input: readonly RecordAlertInput[], now: Date): void {
  const latest = now.getTime() + maxFutureMs;
  const details = input.flatMap(({ createdAt }, index) =>
    createdAt.getTime() > latest
      ? [{ path: `input.${index}.createdAt`, message: "must be at most 24 hours in the future" }]
      : [],
  );
  if (details.length > 0) throw badRequest(details);
}

/** Locks the rows that alerts refer to, always in the same order. */
async function lockOrigins(
  write: WriteAccess,
  alerts: readonly RecordAlertInput[],
): Promise<FacilityOfCamera> {
  const [facilityOfCamera] = await Promise.all([
    lockCameras(
      write,
      alerts.map(({ cameraId }) => cameraId),
    ),
    lockUploads(write, alerts),
  ]);
  return facilityOfCamera;
}

/** Fails unless the alerts that were not inserted were recorded before with the same content. */
function assertRecordedBefore(input: readonly RecordAlertInput[], others: readonly UnrecordedAlert[]): void {
  const details = others.flatMap((alert) => {
    const index = input.findIndex(({ id }) => id === alert.id);
    return issuesOf(alert).map(({ path, message }) => ({ path: `input.${index}.${path}`, message }));
  });
  if (details.length > 0) throw badRequest(details);
  const conflicting = others.find(({ isSame }) => isSame === false);
  if (conflicting)
    throw new ServiceError(
      "CONFLICT",
      `The alert ${conflicting.id} has already been recorded with different content`,
    );
  assertNotDeleted(others);
}

function issuesOf({ isSame, hasRule, hasUpload, hasClip }: UnrecordedAlert): ErrorDetail[] {
  if (isSame !== null) return [];
  return [
    ...(hasRule ? [] : [{ path: "alertRuleId", message: "must be a rule of the camera" }]),
    ...(hasUpload ? [] : [{ path: "uploadId", message: usableUpload }]),
    ...(hasClip ? [] : [{ path: "clipUploadId", message: usableClip }]),
  ];
}
