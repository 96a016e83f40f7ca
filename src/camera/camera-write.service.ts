import { assertCan } from "../access/permissions.js";
import type { RequestContext } from "../access/request-context.js";
import { changedFields, isUnchanged, type WriteAccess } from "../access/write.js";
import type { Camera, Prisma } from "../generated/prisma/client.js";
import { badRequest } from "../platform/errors.js";
import type { CreateCameraInput, StatusDetailInput, UpdateCameraInput } from "./camera.input.js";
import { isPasswordHidden, keepPassword, withoutPassword } from "./camera-url.js";

/** Adds a camera to a visible facility and answers its row. Its stream request is made by the caller of this. */
export async function insertCamera(write: WriteAccess, facilityId: string, input: CreateCameraInput): Promise<Camera> {
  const facility = await write.lock<{ id: string; workspaceId: string }>("facilities", facilityId);
  const camera = await write.transaction.camera.create({
    data: {
      workspaceId: facility.workspaceId,
      facilityId,
      name: input.name,
      url: input.url,
      streamType: input.streamType,
      streamProtocol: input.streamProtocol ?? null,
      facilityNodeId: input.facilityNodeId ?? null,
      createdAt: write.now,
      updatedAt: write.now,
    },
  });
  const changes = changedFields<object>({}, { ...input, url: withoutPassword(input.url) });
  await write.audit({ action: "createCamera", targetType: "Camera", targetId: camera.id, facilityId, changes });
  return camera;
}

/** Changes a camera and answers its row, and whether its address changed. Needs cameras:write. */
export async function changeCamera(write: WriteAccess, id: string, input: UpdateCameraInput): Promise<{ camera: Camera; urlChanged: boolean }> {
  const before = await write.lock<Camera>("cameras", id);
  assertCan(write.caller, "cameras:write", before.facilityId);
  const { url, imageDimensions, ...others } = input;
  const after = {
    ...others,
    ...(imageDimensions && { imageDimensions: { ...imageDimensions } }),
    ...(url !== undefined && { url: keepPassword(url, before.url) }),
  };
  if (after.url && isPasswordHidden(after.url))
    throw badRequest([{ path: "input.url", message: "has *** for a password, and there is none to keep" }]);
  const urlChanged = after.url !== undefined && after.url !== before.url;
  const changes = changedFields<object>(masked(before), masked(after));
  // Two passwords look alike once they are masked; that the address changed must show all the same.
  const told =
    urlChanged && !("url" in changes)
      ? { ...changes, url: { from: withoutPassword(before.url ?? ""), to: withoutPassword(after.url ?? "") } }
      : changes;
  if (isUnchanged(told)) return { camera: before, urlChanged };
  const camera = await write.transaction.camera.update({ where: { id }, data: { ...after, updatedAt: write.now } });
  await write.audit({ action: "updateCamera", targetType: "Camera", targetId: id, facilityId: before.facilityId, changes: told });
  return { camera, urlChanged };
}

function masked<Row extends { url?: string | null }>(row: Row): Row {
  return row.url ? { ...row, url: withoutPassword(row.url) } : row;
}

/** Makes a camera vanish from every view at once; what hangs on it is purged afterwards. Needs cameras:write. */
export async function deleteCamera(context: RequestContext, id: string): Promise<Camera> {
  const removed = await context.write(async (write) => {
    const camera = await write.lock<Camera>("cameras", id);
    assertCan(write.caller, "cameras:write", camera.facilityId);
    await write.transaction.camera.update({ where: { id }, data: { removedAt: write.now } });
    await write.audit({
      action: "deleteCamera",
      targetType: "Camera",
      targetId: id,
      facilityId: camera.facilityId,
      changes: changedFields<object>({ name: camera.name }, { name: null }),
    });
    return camera;
  });
  context.services.wakeWorkers();
  return removed;
}

/** Sets a camera's status detail and keeps it in the history. Needs cameras:write. */
export function setStatusDetail(context: RequestContext, id: string, { statusDetail, source }: StatusDetailInput): Promise<Camera> {
  return context.write(async (write) => {
    const before = await write.lock<Camera>("cameras", id);
    assertCan(write.caller, "cameras:write", before.facilityId);
    const data: Prisma.CameraUpdateInput = { statusDetail, updatedAt: write.now };
    const camera = await write.transaction.camera.update({ where: { id }, data });
    await write.transaction.statusChange.create({ data: { cameraId: id, statusDetail, source, createdAt: write.now } });
    const { facilityId } = before;
    if (statusDetail !== before.statusDetail) write.announce({ topic: "cameraStatusChanged", facilityId, cameraId: id, ids: [id] });
    const changes = { ...changedFields(before, { statusDetail }), ...changedFields<object>({}, { source }) };
    await write.audit({ action: "setCameraStatusDetail", targetType: "Camera", targetId: id, facilityId, changes });
    return camera;
  });
}
