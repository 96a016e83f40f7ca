import { assertCan } from "../access/permissions.js";
import { Prisma } from "../generated/prisma/client.js";
import { badRequest, type ErrorDetail, isUniqueViolation, notFound, ServiceError } from "../platform/errors.js";
import type { RecordedAlert } from "../request/notifications.js";
import type { RequestContext } from "../request/request-context.js";
import type { WriteAccess } from "../request/write.js";
import { type AlertsOfCamera, insertAlerts, type UnrecordedAlert, unrecordedAlerts } from "./alert-insertion.js";
import { forgetUploads, lockUploads } from "./alert-upload.service.js";
import type { RecordAlertInput } from "./record-alerts.input.js";

/** How far in the future an alert may be, because the clocks of detectors may be wrong. */
const maxFutureMs = 24 * 3_600_000;

/** The result of recording alerts. */
export interface RecordedAlerts {
  /** The IDs of all given alerts in their order, each once. */
  alertIds: string[];
  recorded: number;
  alreadyRecorded: number;
}

/**
 * Records alerts, all or none. Alerts that have already been recorded with the same content are left unchanged. Requires
 * alerts:write at the facility of every camera.
 */
export async function recordAlerts(context: RequestContext, input: readonly RecordAlertInput[]): Promise<RecordedAlerts> {
  const { now, settings } = context.services;
  assertNotAhead(input, now());
  // Duplicates are identical: the rules for the input guarantee it.
  const alerts = [...new Map(input.map((alert) => [alert.id, alert])).values()];
  const json = JSON.stringify(alerts);
  const insert = (skipUsedIds: boolean) =>
    context.write(
      async (write) => {
        await lockCameras(write, alerts);
        await lockUploads(write, alerts);
        const inserted = await insertAlerts(write, json, { storageClass: settings.storageClass, skipUsedIds });
        if (countOf(inserted) < alerts.length) await assertRecordedBefore(write, input, alerts, inserted, settings.storageClass);
        await forgetUploads(write, alerts);
        await auditInsertion(write, inserted);
        const raised = alertsAmong(alerts, inserted);
        await context.services.notifications.alertsRecorded(write, raised);
        emitRaised(write, raised, inserted);
        return inserted;
      },
      { keepsAccess: true },
    );
  // Alerts are recorded twice only after lost answers: then it is begun anew.
  const inserted = await insert(false).catch((error) => (isUniqueViolation(error) ? insert(true) : Promise.reject(error)));
  const recorded = countOf(inserted);
  context.services.countAlerts(recorded);
  return { alertIds: alerts.map(({ id }) => id), recorded, alreadyRecorded: input.length - recorded };
}

const countOf = (inserted: readonly AlertsOfCamera[]) => inserted.reduce((sum, { ids }) => sum + ids.length, 0);

function assertNotAhead(input: readonly RecordAlertInput[], now: Date): void {
  const latest = now.getTime() + maxFutureMs;
  const details = input.flatMap(({ createdAt }, index) =>
    createdAt.getTime() > latest ? [{ path: `input.${index}.createdAt`, message: "must be at most 24 hours in the future" }] : [],
  );
  if (details.length > 0) throw badRequest(details);
}

/** Locks the cameras, and thereby their rules, against changes. All writers lock them ordered by ID, which prevents deadlocks. */
async function lockCameras(write: WriteAccess, alerts: readonly RecordAlertInput[]): Promise<void> {
  const ids = [...new Set(alerts.map(({ cameraId }) => cameraId))];
  const cameras = await write.visible.query<{ facilityId: string }>(
    (visible) => Prisma.sql`
      SELECT item."facilityId" FROM ${visible.cameras} AS item WHERE item."id" = ANY(${ids}::uuid[]) ORDER BY item."id" FOR KEY SHARE`,
  );
  if (cameras.length < ids.length) throw notFound();
  for (const facilityId of new Set(cameras.map((camera) => camera.facilityId))) assertCan(write.caller, "alerts:write", facilityId);
}

/** Fails unless the alerts that were not inserted have already been recorded with the same content. */
async function assertRecordedBefore(
  write: WriteAccess,
  input: readonly RecordAlertInput[],
  alerts: readonly RecordAlertInput[],
  inserted: readonly AlertsOfCamera[],
  storageClass: string,
): Promise<void> {
  const isInserted = new Set(inserted.flatMap(({ ids }) => ids));
  const others = await unrecordedAlerts(
    write,
    alerts.filter(({ id }) => !isInserted.has(id)),
    storageClass,
  );
  const details = others.flatMap((alert) => {
    const index = input.findIndex(({ id }) => id === alert.id);
    return issuesOf(alert).map(({ path, message }) => ({ path: `input.${index}.${path}`, message }));
  });
  if (details.length > 0) throw badRequest(details);
  const conflicting = others.find(({ isSame }) => isSame === false);
  if (conflicting) throw new ServiceError("CONFLICT", `The alert ${conflicting.id} has already been recorded with different content`);
  // The alerts that prevented the insertion have been deleted in the meantime.
  if (others.some(({ isSame }) => isSame === null))
    throw new ServiceError("UNAVAILABLE", "Alerts are being deleted; it is safe to retry", { retryAfter: 1 });
}

function issuesOf({ isSame, hasRule, hasUpload }: UnrecordedAlert): ErrorDetail[] {
  if (isSame !== null) return [];
  return [
    ...(hasRule ? [] : [{ path: "alertRuleId", message: "must be a rule of the camera" }]),
    ...(hasUpload ? [] : [{ path: "uploadId", message: "must be a completed upload of the camera's facility that no alert uses" }]),
  ];
}

/** The alerts that were inserted, in the given order. */
function alertsAmong(alerts: readonly RecordAlertInput[], inserted: readonly AlertsOfCamera[]): RecordedAlert[] {
  const isInserted = new Set(inserted.flatMap(({ ids }) => ids));
  return alerts
    .filter(({ id }) => isInserted.has(id))
    .map(({ id, cameraId, alertRuleId, createdAt }) => ({ id, cameraId, alertRuleId: alertRuleId ?? null, createdAt }));
}

/** Emits one event for the new alerts, in the given order: one for each camera could be more than subscribers can take. */
function emitRaised(write: WriteAccess, raised: readonly RecordedAlert[], inserted: readonly AlertsOfCamera[]): void {
  if (raised.length === 0) return;
  const facilityOf = new Map(inserted.map(({ cameraId, facilityId }) => [cameraId, facilityId]));
  const places = raised.map(({ cameraId }) => ({ facilityId: facilityOf.get(cameraId) as string, cameraId }));
  write.emit({ topic: "alertRaised", places, ids: raised.map(({ id }) => id) });
}

async function auditInsertion(write: WriteAccess, inserted: readonly AlertsOfCamera[]): Promise<void> {
  const ids = inserted.flatMap((camera) => camera.ids);
  if (ids.length === 0) return;
  const facilityIds = new Set(inserted.map(({ facilityId }) => facilityId));
  const cameraIds = inserted.map(({ cameraId }) => cameraId);
  await write.audit({
    action: "recordAlerts",
    targetType: "Alert",
    targetId: ids.length === 1 ? (ids[0] as string) : null,
    ...(facilityIds.size === 1 && { facilityId: [...facilityIds][0] as string }),
    changes: { recorded: { from: null, to: ids.length }, cameraIds: { from: null, to: cameraIds } },
  });
}
