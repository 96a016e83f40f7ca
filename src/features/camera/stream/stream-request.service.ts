import { randomUUID } from "node:crypto";
import { assertCan } from "../../../engine/access/permissions.js";
import type { RequestContext } from "../../../engine/operation/request-context.js";
import type { WriteAccess } from "../../../engine/operation/write.js";
import type { Camera, StreamRequest } from "../../../generated/prisma/client.js";
import { defined } from "../../../platform/defined.js";
import { ServiceError } from "../../../platform/errors/errors.js";
import { later } from "../../../platform/time.js";
import { makeFeedDue } from "../camera-feed.js";

/** A camera, and its new stream request. */
export interface RequestedStream {
  camera: Camera;
  streamRequest: StreamRequest;
}

/** How often a camera's stream may be requested within a minute. */
const maxProbesPerMinute = 10;
const minuteMs = 60_000;

/** Requests a camera's stream again. Requires cameras:write. */
export function requestStreamProbe(context: RequestContext, cameraId: string): Promise<RequestedStream> {
  const request = async (write: WriteAccess) => {
    const camera = await write.lock("Camera", cameraId);
    assertCan(write.caller, "cameras:write", camera.facilityId);
    if (camera.url === null) throw new ServiceError("CONFLICT", "The camera has no URL");
    await assertNotProbedTooOften(write, camera);
    const streamRequest = await requestStream(context, write, camera);
    write.auditChange("Camera", camera);
    return { camera, streamRequest };
  };
  return context.write(request, { action: "requestStreamProbe" });
}

async function assertNotProbedTooOften({ transaction, now }: WriteAccess, camera: Camera): Promise<void> {
  const recent = await transaction.streamRequest.findMany({
    where: {
      workspaceId: camera.workspaceId,
      cameraId: camera.id,
      createdAt: { gt: later(now, -minuteMs), lte: now },
    },
    orderBy: { createdAt: "asc" },
    select: { createdAt: true },
  });
  const [first] = recent;
  if (!first || recent.length < maxProbesPerMinute) return;
  const retryAfter = Math.ceil((first.createdAt.getTime() + minuteMs - now.getTime()) / 1000);
  throw new ServiceError("RATE_LIMITED", "The camera's stream was requested too often; try again later", {
    retryAfter,
  });
}

/** Creates the current stream request of a camera. It supersedes earlier ones. */
export async function requestStream(
  context: RequestContext,
  write: WriteAccess,
  camera: Camera,
): Promise<StreamRequest> {
  const { transaction, now } = write;
  const { workspaceId } = camera;
  const { settings } = context.services;
  await transaction.streamRequest.updateMany({
    where: { workspaceId, cameraId: camera.id, supersededAt: null },
    data: { supersededAt: now, nextDeliveryAt: null },
  });
  const requestId = randomUUID();
  // Callbacks of the feed server carry nothing but the capability: this row leads them to the workspace.
  await transaction.streamRequestLookup.create({ data: { requestId, workspaceId } });
  const request = await transaction.streamRequest.create({
    data: {
      workspaceId,
      cameraId: camera.id,
      requestId,
      url: defined(camera.url),
      streamType: camera.streamType,
      streamProtocol: camera.streamProtocol,
      createdAt: now,
      nextDeliveryAt: settings.hasFeedServer ? now : null,
      expiresAt: later(now, settings.streamRequestTtl * 1000),
    },
  });
  if (settings.hasFeedServer) write.emit({ topic: "streamRequested", subject: request });
  if (settings.hasBuiltinFeed) {
    await makeFeedDue(transaction, camera, request);
    write.emit({ topic: "workQueued" });
  }
  return request;
}
