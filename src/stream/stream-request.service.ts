import { randomUUID } from "node:crypto";
import { assertCan } from "../access/permissions.js";
import type { RequestContext } from "../access/request-context.js";
import type { WriteAccess } from "../access/write.js";
import type { CreateCameraInput, UpdateCameraInput } from "../camera/camera.input.js";
import { changeCamera, insertCamera } from "../camera/camera-write.service.js";
import type { Camera, StreamRequest } from "../generated/prisma/client.js";
import { ServiceError } from "../platform/errors.js";

/** A camera with the stream request that was made for it. */
export interface RequestedStream {
  camera: Camera;
  streamRequest: StreamRequest;
}

/** Adds a camera by its address and asks for its stream. Needs visibility of the facility. */
export function createCamera(context: RequestContext, facilityId: string, input: CreateCameraInput): Promise<RequestedStream> {
  return writeWithStream(context, async (write) => {
    const camera = await insertCamera(write, facilityId, input);
    return { camera, streamRequest: await requestStream(context, write, camera) };
  });
}

/** Changes a camera; a changed address asks for its stream anew. Needs cameras:write. */
export function updateCamera(context: RequestContext, id: string, input: UpdateCameraInput): Promise<Camera> {
  return writeWithStream(context, async (write) => {
    const { camera, urlChanged } = await changeCamera(write, id, input);
    if (urlChanged) await requestStream(context, write, camera);
    return camera;
  });
}

/** Asks for a camera's stream anew. Needs cameras:write. */
export function requestStreamProbe(context: RequestContext, cameraId: string): Promise<RequestedStream> {
  return writeWithStream(context, async (write) => {
    const camera = await write.lock<Camera>("cameras", cameraId);
    assertCan(write.caller, "cameras:write", camera.facilityId);
    if (camera.url === null) throw new ServiceError("CONFLICT", "The camera has no address to open");
    const streamRequest = await requestStream(context, write, camera);
    await write.audit({ action: "requestStreamProbe", targetType: "Camera", targetId: cameraId, facilityId: camera.facilityId });
    return { camera, streamRequest };
  });
}

/** A write that may ask for a stream, which is handed on to the feed server once it is committed. */
async function writeWithStream<Result>(context: RequestContext, work: (write: WriteAccess) => Promise<Result>): Promise<Result> {
  const result = await context.write(work);
  context.services.wakeWorkers();
  return result;
}

async function requestStream(context: RequestContext, write: WriteAccess, camera: Camera): Promise<StreamRequest> {
  const { transaction, now } = write;
  await transaction.streamRequest.updateMany({
    where: { cameraId: camera.id, supersededAt: null },
    data: { supersededAt: now, nextDeliveryAt: null },
  });
  return transaction.streamRequest.create({
    data: {
      cameraId: camera.id,
      requestId: randomUUID(),
      url: camera.url as string,
      streamType: camera.streamType,
      streamProtocol: camera.streamProtocol,
      createdAt: now,
      nextDeliveryAt: context.services.settings.hasFeedServer ? now : null,
      expiresAt: new Date(now.getTime() + context.services.settings.streamRequestTtl * 1000),
    },
  });
}
