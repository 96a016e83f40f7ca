import { assertCan } from "../access/permissions.js";
import { assertCanRun } from "../access/strict-permissions.js";
import type { Camera, Prisma } from "../generated/prisma/client.js";
import { assertExpectedVersion } from "../operation/expected-version.js";
import type { RequestContext } from "../operation/request-context.js";
import { changedFields, isUnchanged } from "../operation/write.js";
import { badRequest } from "../platform/errors.js";
import { keepSecrets, withoutSecrets } from "../platform/url-secrets.js";
import { columnsOnly } from "../reading/selection.js";
import type { CreateCameraInput, StatusDetailInput, UpdateCameraInput } from "./camera.input.js";
import { type CameraRow, cameraById } from "./camera.loader.js";
import { isOpenedByGateway } from "./camera-feed.js";
import { assertRoomForCamera } from "./camera-limit.js";
import { type RequestedStream, requestStream, writeWithStream } from "./stream-request.service.js";

/**
 * Adds a camera with a stream URL, and requests its stream. The caller must see the
 * facility.
 */
export function createCamera(
  context: RequestContext,
  facilityId: string,
  input: CreateCameraInput,
): Promise<RequestedStream> {
  return writeWithStream(context, async (write) => {
    const facility = await write.lock("Facility", facilityId);
    const { settings } = context.services;
    assertCanRun(write.caller, "createCamera", facilityId, settings);
    await assertRoomForCamera(write, facility.workspaceId, settings.maxCameras);
    if (keepSecrets(input.url, "") === undefined) throw hasNoSecret();
    const given = { ...input };
    const camera = await write.transaction.camera.create({
      data: {
        ...given,
        workspaceId: facility.workspaceId,
        facilityId,
        createdAt: write.now,
        updatedAt: write.now,
      },
    });
    const changes = changedFields<object>({}, masked(given));
    write.audit({ action: "createCamera", targetType: "Camera", targetId: camera.id, facilityId, changes });
    return { camera, streamRequest: await requestStream(context, write, camera) };
  });
}

/**
 * Updates a camera. A changed URL requests the stream again, and so does a type of stream
 * that the gateway opens itself, unlike the one before. Requires cameras:write.
 */
export function updateCamera(context: RequestContext, id: string, input: UpdateCameraInput): Promise<Camera> {
  return writeWithStream(context, async (write) => {
    const before = await write.lock("Camera", id);
    assertCan(write.caller, "cameras:write", before.facilityId);
    assertExpectedVersion(before, input);
    const after = updatedColumns(before, input);
    const isUrlChanged = after.url !== undefined && after.url !== before.url;
    const changes = auditedChanges(before, after, isUrlChanged);
    if (isUnchanged(changes)) return before;
    const camera = await write.transaction.camera.update({
      where: write.key(id),
      data: { ...after, updatedAt: write.now },
    });
    write.audit({
      action: "updateCamera",
      targetType: "Camera",
      targetId: id,
      facilityId: before.facilityId,
      changes,
    });
    const isOpenedNow =
      context.services.settings.hasBuiltinFeed && !isOpenedByGateway(before) && isOpenedByGateway(camera);
    if (isUrlChanged || isOpenedNow) await requestStream(context, write, camera);
    return camera;
  });
}

const hasNoSecret = () =>
  badRequest([
    {
      path: "input.url",
      message: "has *** in a place where the stored URL has no secret: in a password, write **%2A",
    },
  ]);

function updatedColumns(before: Camera, input: UpdateCameraInput) {
  const { url: sent, imageDimensions, expectedUpdatedAt: _expected, ...others } = input;
  const url = sent === undefined ? undefined : keepSecrets(sent, before.url ?? "");
  if (sent !== undefined && url === undefined) throw hasNoSecret();
  return {
    ...others,
    ...(imageDimensions && { imageDimensions: { ...imageDimensions } }),
    ...(url !== undefined && { url }),
  };
}

/**
 * The audit log's record of an update. Masks secrets, but still shows that the URL
 * changed if only a secret did.
 */
function auditedChanges(
  before: Camera,
  after: { url?: string },
  isUrlChanged: boolean,
): Prisma.InputJsonObject {
  const changes = changedFields<object>(masked(before), masked(after));
  if (!isUrlChanged || "url" in changes) return changes;
  return { ...changes, url: { from: withoutSecrets(before.url ?? ""), to: withoutSecrets(after.url ?? "") } };
}

function masked<Row extends { url?: string | null }>(row: Row): Row {
  return row.url ? { ...row, url: withoutSecrets(row.url) } : row;
}

/**
 * Hides a camera from every view at once. A background worker purges its data. Returns
 * the camera as it was, without rules and alerts. Requires cameras:write.
 */
export async function deleteCamera(context: RequestContext, id: string): Promise<CameraRow> {
  // Nobody can read it afterwards.
  const before = await cameraById(context, columnsOnly(["id", "state"])).load(id);
  const removed = await context.write(async (write) => {
    const camera = await write.lock("Camera", id);
    assertCan(write.caller, "cameras:write", camera.facilityId);
    await write.transaction.camera.update({ where: write.key(id), data: { removedAt: write.now } });
    write.audit({
      action: "deleteCamera",
      targetType: "Camera",
      targetId: id,
      facilityId: camera.facilityId,
      changes: changedFields<object>({ name: camera.name }, { name: null }),
    });
    return { ...camera, ...before, alertRuleIds: [], openAlertCount: 0 };
  });
  context.services.wakeWorkers();
  return removed;
}

/**
 * Sets the status detail of a camera, and adds it to the history. Requires cameras:write.
 */
export function setStatusDetail(
  context: RequestContext,
  id: string,
  { statusDetail, source }: StatusDetailInput,
): Promise<Camera> {
  return context.write(
    async (write) => {
      const before = await write.lock("Camera", id);
      assertCan(write.caller, "cameras:write", before.facilityId);
      const isChanged = statusDetail !== before.statusDetail;
      const data: Prisma.CameraUpdateInput = {
        statusDetail,
        ...(isChanged && { statusDetailChangedAt: write.now }),
        updatedAt: write.now,
      };
      const camera = await write.transaction.camera.update({ where: write.key(id), data });
      await write.transaction.statusChange.create({
        data: { workspaceId: before.workspaceId, cameraId: id, statusDetail, source, createdAt: write.now },
      });
      const { facilityId } = before;
      if (isChanged) {
        await context.services.notifications.cameraStatusChanged(write, before, camera);
        write.emit({ topic: "cameraStatusChanged", facilityId, cameraId: id, ids: [id] });
      }
      const changes = {
        ...changedFields(before, { statusDetail }),
        ...changedFields<object>({}, { source }),
      };
      write.audit({
        action: "setCameraStatusDetail",
        targetType: "Camera",
        targetId: id,
        facilityId,
        changes,
      });
      return camera;
    },
    { keepsAccess: true },
  );
}
