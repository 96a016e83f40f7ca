import { assertCan } from "../../../engine/access/permissions.js";
import type { RecordedAlert } from "../../../engine/events/gateway-event.js";
import type { RequestContext } from "../../../engine/operation/request-context.js";
import type { WriteAccess } from "../../../engine/operation/write.js";
import { Prisma } from "../../../generated/prisma/client.js";
import { defined } from "../../../platform/defined.js";
import { notFound } from "../../../platform/errors/errors.js";
import { countSharedPictures } from "../pictures/shared-pictures.js";
import { IncompleteInsertionError } from "./alert-insertion.js";
import { forgetUploads } from "./alert-upload.service.js";
import { callCameras } from "./camera-calls.js";
import type { RecordAlertInput } from "./record-alerts.input.js";

/** Something that a write turned out to need, and that is provided before the write begins again. */
export class Missing extends Error {
  constructor(
    what: string,
    readonly provide: () => unknown,
  ) {
    super(what);
  }
}

/**
 * Runs a write that records alerts, when it is the caller's turn. The write begins again, having committed nothing, if
 * something was {@link Missing}, or once if it cannot insert all alerts: then an earlier answer got lost, or a rule or
 * an upload is missing.
 */
export async function recordQueued<Result>(
  context: RequestContext,
  action: "recordAlerts" | "recordDetections",
  record: (write: WriteAccess, insertsAll: boolean) => Promise<Result>,
): Promise<Result> {
  const { services, caller, origin } = context;
  const options = { action, keepsAccess: true, checksCaller: true, isRepeatable: true };
  for (let insertsAll = true; ; ) {
    const write = () => context.write((recording) => record(recording, insertsAll), options);
    try {
      return await services.recordings.run(caller, write, origin);
    } catch (error) {
      if (error instanceof Missing) await error.provide();
      else if (error instanceof IncompleteInsertionError && insertsAll) insertsAll = false;
      else throw error;
    }
  }
}

/** The facility of each camera, by their IDs. */
export type FacilityOfCamera = ReadonlyMap<string, string>;

/**
 * Locks the cameras, and thereby their rules, against changes. All writers lock cameras in the order of
 * their IDs, which prevents deadlocks. Fails with NOT_FOUND if one is missing. Requires alerts:write at the
 * facility of each.
 */
export async function lockCameras(
  write: WriteAccess,
  cameraIds: Iterable<string>,
): Promise<FacilityOfCamera> {
  const ids = [...new Set(cameraIds)];
  const cameras = await write.queryChecked<{ id: string; facilityId: string }>(
    (visible, isUnchanged) => Prisma.sql`
      SELECT item."id", item."facilityId", ${isUnchanged} AS "isUnchanged" FROM ${visible.cameras} AS item
      WHERE item."id" = ANY(${ids}::uuid[]) ORDER BY item."id" FOR KEY SHARE`,
  );
  if (cameras.length < ids.length) throw notFound();
  for (const facilityId of new Set(cameras.map((camera) => camera.facilityId)))
    assertCan(write.caller, "alerts:write", facilityId);
  return new Map(cameras.map(({ id, facilityId }) => [id, facilityId]));
}

/**
 * Completes the recording of new alerts in the given order: their uploads become theirs, and notifications, the audit
 * log and subscribers get to know of them.
 */
export function completeRecording(
  { services: { settings } }: RequestContext,
  write: WriteAccess,
  raised: readonly RecordAlertInput[],
  facilityOfCamera: FacilityOfCamera,
): void {
  countSharedPictures(write, raised);
  forgetUploads(write, raised);
  if (settings.hasBuiltinFeed) callCameras(write, raised, settings.hasRings);
  report(write, raised, facilityOfCamera);
}

const asRecorded = ({ id, cameraId, alertRuleId, createdAt }: RecordAlertInput): RecordedAlert => ({
  id,
  cameraId,
  alertRuleId: alertRuleId ?? null,
  createdAt,
});

/** Writes new alerts to the audit log, and emits one event for all: subscribers could not take one per camera. */
function report(
  write: WriteAccess,
  raised: readonly RecordAlertInput[],
  facilityOfCamera: FacilityOfCamera,
): void {
  if (raised.length === 0) return;
  const ids = raised.map(({ id }) => id);
  const places = raised.map(({ cameraId }) => ({
    facilityId: defined(facilityOfCamera.get(cameraId)),
    cameraId,
  }));
  const facilityIds = new Set(places.map(({ facilityId }) => facilityId));
  const cameraIds = [...new Set(places.map(({ cameraId }) => cameraId))].sort();
  write.audit({
    targetType: "Alert",
    targetId: ids.length === 1 ? defined(ids[0]) : null,
    ...(facilityIds.size === 1 && { facilityId: defined([...facilityIds][0]) }),
    changes: { recorded: { from: null, to: ids.length }, cameraIds: { from: null, to: cameraIds } },
  });
  write.emit({ topic: "alertRaised", places, ids, subject: raised.map(asRecorded) });
}
