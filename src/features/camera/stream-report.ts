import { changedFields, isUnchanged } from "../../engine/operation/write.js";
import type { Prisma, StreamRequest } from "../../generated/prisma/client.js";
import { textWithoutSecrets } from "../../platform/network/url-secrets.js";
import { streamError } from "./status/status-detail.js";
import { StatusSource } from "./status/status-source.js";
import type { FeedServerWrite } from "./stream/feed-server-write.js";

export interface StreamReport {
  /** The mutation that makes such a report, for the audit log. */
  action: "recordStreamThumbnail" | "recordStreamMetadata" | "recordStreamError";
  /** The update of the stream request; undefined if the report says nothing new of it. */
  request?: Prisma.StreamRequestUpdateInput | undefined;
  camera: Prisma.CameraUpdateInput;
  /** A picture of the stream: its time, and its links if new. It is no change that editors of the camera must see. */
  picture?: Pick<Prisma.CameraUpdateInput, "imageLink" | "thumbnail"> & { pictureAt: Date };
  /** Whether nobody asked for it: the audit log then has only what it changes of the camera. */
  isPeriodic?: boolean;
}

export const metadataReport = (
  metadata: Prisma.InputJsonObject,
  size: { width: number; height: number },
  camera: Prisma.CameraUpdateInput = {},
): StreamReport => ({
  action: "recordStreamMetadata",
  request: { metadata },
  camera: { imageDimensions: size, ...camera },
});

/**
 * Why a stream cannot be opened. Removes the secrets of the URL, because programs repeat the URL in their
 * errors.
 */
export const errorReport = (
  { streamRequest: { url } }: FeedServerWrite,
  { operation, error, code = null }: { operation: string; error: string; code?: string | null },
  camera: Prisma.CameraUpdateInput,
): StreamReport => ({
  action: "recordStreamError",
  request: {
    errorOperation: textWithoutSecrets(operation, url),
    errorMessage: textWithoutSecrets(error, url),
    errorCode: code,
  },
  camera,
});

/** The camera's status detail says that its stream cannot be opened. */
export const lost: Prisma.CameraUpdateInput = { statusDetail: streamError };

/** Whether no newer request has superseded the reported one. */
export const isCurrent = ({ streamRequest }: FeedServerWrite): boolean => streamRequest.supersededAt === null;

/** Records a report, and tells of a status detail that it changes. Returns the stream request. */
export async function applyReport(
  write: FeedServerWrite,
  { action, request, camera: update, picture, isPeriodic = false }: StreamReport,
): Promise<StreamRequest> {
  const { transaction, now, camera, streamRequest } = write;
  const { workspaceId } = camera;
  const changes = isCurrent(write) ? changedFields<object>(camera, update) : {};
  if (isCurrent(write) && (picture !== undefined || !isUnchanged(changes))) {
    const isStatusChanged = "statusDetail" in changes;
    const after = await transaction.camera.update({
      where: { workspaceId_id: { workspaceId, id: camera.id } },
      data: {
        ...update,
        ...picture,
        ...(isStatusChanged && { statusDetailChangedAt: now }),
        updatedAt: isUnchanged(changes) ? camera.updatedAt : now,
      },
    });
    if (isStatusChanged) {
      const { statusDetail } = after;
      await transaction.statusChange.create({
        data: { workspaceId, cameraId: camera.id, statusDetail, source: StatusSource.FEED, createdAt: now },
      });
      write.emit({
        topic: "cameraStatusChanged",
        ids: [camera.id],
        subject: { before: camera, after },
        facilityId: camera.facilityId,
        cameraId: camera.id,
      });
    }
  }
  const ofRequest = request && !isPeriodic ? changedFields<object>(streamRequest, request) : {};
  const audited = { ...ofRequest, ...changes };
  if (!isUnchanged(audited)) write.audit({ action, changes: audited });
  if (!request) return streamRequest;
  const where = { workspaceId_id: { workspaceId, id: streamRequest.id } };
  return transaction.streamRequest.update({ where, data: { ...request, lastCallbackAt: now } });
}
