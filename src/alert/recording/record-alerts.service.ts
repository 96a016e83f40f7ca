import { canWhereverVisible } from "../../access/permissions.js";
import type { RequestContext } from "../../operation/request-context.js";
import type { WriteAccess } from "../../operation/write.js";
import { badRequest, type ErrorDetail, ServiceError } from "../../platform/errors.js";
import {
  type GivenAlerts,
  givenAlerts,
  IncompleteInsertionError,
  insertAllAlerts,
  insertNewAlerts,
  type UnrecordedAlert,
  unrecordedAlerts,
} from "./alert-insertion.js";
import { completeRecording, type FacilityOfCamera, lockCameras, recordInTurn } from "./alert-recording.js";
import { lockUploads, usableUpload } from "./alert-upload.service.js";
import type { RecordAlertInput } from "./record-alerts.input.js";

/**
 * The maximum lead of an alert over the gateway's clock, because clocks of detectors may
 * be wrong.
 */
const maxFutureMs = 24 * 3_600_000;

/** The result of recording alerts. */
export interface RecordedAlerts {
  /** The IDs of all given alerts in their order, without duplicates. */
  alertIds: string[];
  recorded: number;
  alreadyRecorded: number;
}

/**
 * Records alerts, all or none. Alerts already recorded with the same content stay
 * unchanged. Requires alerts:write at the facility of every camera.
 */
export async function recordAlerts(
  context: RequestContext,
  input: readonly RecordAlertInput[],
): Promise<RecordedAlerts> {
  const { now, settings } = context.services;
  assertNotAhead(input, now());
  // Duplicates are identical: the rules for the input guarantee it.
  const alerts = [...new Map(input.map((alert) => [alert.id, alert])).values()];
  let given: GivenAlerts | undefined;
  const record = (insert: Insertion) =>
    recordInTurn(context, async (write) => {
      given ??= givenAlerts(alerts, settings.storageClass);
      const locked = lockOrigins(write, alerts);
      const [facilityOfCamera, raised] = await Promise.all([locked, insert(write, alerts, given, locked)]);
      completeRecording(context, write, "recordAlerts", raised, facilityOfCamera);
      return raised.length;
    });
  // Alerts are already recorded only if an earlier answer got lost, and rules or uploads
  // are seldom missing. In these cases, start again.
  const recorded = await record(insertAll).catch((error) => {
    if (!(error instanceof IncompleteInsertionError)) throw error;
    return record((write, alerts, given, locked) => insertNew(write, alerts, given, { input, locked }));
  });
  context.services.countAlerts(recorded);
  return { alertIds: alerts.map(({ id }) => id), recorded, alreadyRecorded: input.length - recorded };
}

/**
 * Inserts alerts, and returns the new ones. `locked` resolves once the rows that they
 * refer to are locked and the caller's permission is checked.
 */
type Insertion = (
  write: WriteAccess,
  alerts: readonly RecordAlertInput[],
  given: GivenAlerts,
  locked: Promise<unknown>,
) => Promise<readonly RecordAlertInput[]>;

/** Inserts all alerts. If one cannot be inserted, fails and commits nothing. */
const insertAll: Insertion = async (write, alerts, given, locked) => {
  // If the caller's permission does not depend on the cameras, do not wait for the answer
  // about them. The database locks the cameras first anyway.
  if (!canWhereverVisible(write.caller, "alerts:write")) await locked;
  const inserted = insertAllAlerts(write, given);
  // What is wrong with the cameras comes first, whichever statement fails first:
  // otherwise the same input would be recorded anew at some times and refused at others.
  await Promise.allSettled([locked, inserted]);
  await locked;
  await inserted;
  return alerts;
};

/**
 * Inserts alerts that are not recorded yet. Fails unless all others were recorded with
 * the same content.
 */
async function insertNew(
  write: WriteAccess,
  alerts: readonly RecordAlertInput[],
  given: GivenAlerts,
  { input, locked }: { input: readonly RecordAlertInput[]; locked: Promise<unknown> },
): Promise<readonly RecordAlertInput[]> {
  await locked;
  const ids = await insertNewAlerts(write, given);
  if (ids.length < alerts.length) assertRecordedBefore(input, await unrecordedAlerts(write, given, ids));
  const isNew = new Set(ids);
  return alerts.filter(({ id }) => isNew.has(id));
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

/**
 * Fails unless the alerts that were not inserted were recorded before with the same
 * content.
 */
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
  // Someone has since deleted the alerts that prevented the insertion.
  if (others.some(({ isSame }) => isSame === null))
    throw new ServiceError("UNAVAILABLE", "Alerts are being deleted; it is safe to retry", { retryAfter: 1 });
}

function issuesOf({ isSame, hasRule, hasUpload }: UnrecordedAlert): ErrorDetail[] {
  if (isSame !== null) return [];
  return [
    ...(hasRule ? [] : [{ path: "alertRuleId", message: "must be a rule of the camera" }]),
    ...(hasUpload ? [] : [{ path: "uploadId", message: usableUpload }]),
  ];
}
