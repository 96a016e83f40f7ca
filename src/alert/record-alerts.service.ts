import { assertCan } from "../access/permissions.js";
import type { RequestContext } from "../access/request-context.js";
import type { WriteAccess } from "../access/write.js";
import { Prisma } from "../generated/prisma/client.js";
import { badRequest, type ErrorDetail, notFound, ServiceError } from "../platform/errors.js";
import { groupBy } from "../platform/loader.js";
import { type AlertsOfCamera, insertAlerts, type UnrecordedAlert, unrecordedAlerts } from "./alert-insertion.js";
import { forgetUploads, lockUploads } from "./alert-upload.service.js";
import type { RecordAlertInput } from "./record-alerts.input.js";

/** How far ahead an alert may lie, in milliseconds: clocks of detectors are not ours. */
const furthestAhead = 24 * 3_600_000;

/** What became of alerts that were to be recorded. */
export interface RecordedAlerts {
  /** Of all alerts that were given, each once, in their order. */
  alertIds: string[];
  recorded: number;
  alreadyRecorded: number;
}

/**
 * Records alerts, all or none; those that were recorded before, with the same content, are left as they are. Needs
 * alerts:write at the facility of every camera.
 */
export async function recordAlerts(context: RequestContext, input: readonly RecordAlertInput[]): Promise<RecordedAlerts> {
  const { now, settings } = context.services;
  assertNotAhead(input, now());
  // Whatever is given twice is the same: the rules of the input have seen to it.
  const alerts = [...new Map(input.map((alert) => [alert.id, alert])).values()];
  const inserted = await context.write(async (write) => {
    await lockCameras(write, alerts);
    await lockUploads(write, alerts);
    const inserted = await insertAlerts(write, alerts, settings.storageClass);
    if (countOf(inserted) < alerts.length) await assertRecordedBefore(write, input, alerts, inserted, settings.storageClass);
    await forgetUploads(write, alerts);
    await auditInsertion(write, inserted);
    announce(write, alerts, inserted);
    return inserted;
  });
  const recorded = countOf(inserted);
  return { alertIds: alerts.map(({ id }) => id), recorded, alreadyRecorded: input.length - recorded };
}

const countOf = (inserted: readonly AlertsOfCamera[]) => inserted.reduce((sum, { ids }) => sum + ids.length, 0);

function assertNotAhead(input: readonly RecordAlertInput[], now: Date): void {
  const latest = now.getTime() + furthestAhead;
  const faults = input.flatMap(({ createdAt }, index) =>
    createdAt.getTime() > latest ? [{ path: `input.${index}.createdAt`, message: "must be at most 24 hours ahead" }] : [],
  );
  if (faults.length > 0) throw badRequest(faults);
}

/** Keeps cameras, and with them their rules, as they are until the alerts are recorded, in the order in which everybody locks them. */
async function lockCameras(write: WriteAccess, alerts: readonly RecordAlertInput[]): Promise<void> {
  const ids = [...new Set(alerts.map(({ cameraId }) => cameraId))];
  const cameras = await write.visible.query<{ facilityId: string }>(
    (visible) => Prisma.sql`
      SELECT item."facilityId" FROM ${visible.cameras} AS item WHERE item."id" = ANY(${ids}::uuid[]) ORDER BY item."id" FOR KEY SHARE`,
  );
  if (cameras.length < ids.length) throw notFound();
  for (const facilityId of new Set(cameras.map((camera) => camera.facilityId))) assertCan(write.caller, "alerts:write", facilityId);
}

/** Refuses unless what was not inserted is there already, with the same content. */
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
  const faults = others.flatMap((alert) => {
    const index = input.findIndex(({ id }) => id === alert.id);
    return faultsOf(alert).map(({ path, message }) => ({ path: `input.${index}.${path}`, message }));
  });
  if (faults.length > 0) throw badRequest(faults);
  const contradicted = others.find(({ isSame }) => isSame === false);
  if (contradicted) throw new ServiceError("CONFLICT", `The alert ${contradicted.id} cannot be recorded: its id stands for other content`);
  // What stood in the way has been deleted in between.
  if (others.some(({ isSame }) => isSame === null))
    throw new ServiceError("UNAVAILABLE", "Alerts are being deleted; a retry is safe", { retryAfter: 1 });
}

function faultsOf({ isSame, hasRule, hasUpload }: UnrecordedAlert): ErrorDetail[] {
  if (isSame !== null) return [];
  return [
    ...(hasRule ? [] : [{ path: "alertRuleId", message: "must be a rule of the camera" }]),
    ...(hasUpload ? [] : [{ path: "uploadId", message: "must be an upload of the camera's facility that has arrived and that no alert shows" }]),
  ];
}

/** Announces what is new of each camera, in the order in which it was given. */
function announce(write: WriteAccess, alerts: readonly RecordAlertInput[], inserted: readonly AlertsOfCamera[]): void {
  const isInserted = new Set(inserted.flatMap(({ ids }) => ids));
  const raised = groupBy(
    alerts.filter(({ id }) => isInserted.has(id)),
    ({ cameraId }) => cameraId,
  );
  for (const { facilityId, cameraId } of inserted) {
    const ids = (raised.get(cameraId) ?? []).map(({ id }) => id);
    write.announce({ topic: "alertRaised", facilityId, cameraId, ids });
  }
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
