import type { Prisma, StreamRequest } from "../generated/prisma/client.js";
import type { AnonymousRequest } from "../operation/request-context.js";
import { changedFields, isUnchanged } from "../operation/write.js";
import { textWithoutSecrets } from "../platform/url-secrets.js";
import { scheduleRemoval } from "../storage/object-removal.js";
import { type FeedServerWrite, writeAsFeedServer } from "./feed-server-write.js";
import { operationalDetail, streamError } from "./status-detail.js";
import type { StreamErrorInput, StreamMetadataInput, StreamThumbnailInput } from "./stream-callback.input.js";

/**
 * The updates of a report: to its stream request and, unless a newer request has
 * superseded that, to the camera.
 */
interface Report {
  request: Prisma.StreamRequestUpdateInput;
  camera: Prisma.CameraUpdateInput;
  /** Whether the camera's picture was taken now, even if its URL stays the same. */
  hasNewPicture?: boolean;
}

/** Records the thumbnail of a stream as the camera's picture. */
export async function recordStreamThumbnail(
  context: AnonymousRequest,
  requestId: string,
  { url }: StreamThumbnailInput,
): Promise<StreamRequest> {
  const recorded = await record(context, requestId, async (write) => {
    if (isCurrent(write))
      await scheduleRemoval(
        write.transaction,
        write.camera.workspaceId,
        [write.camera.imageLink, write.camera.thumbnail],
        write.now,
      );
    return [
      "recordStreamThumbnail",
      {
        request: { thumbnailUrl: url },
        camera: { imageLink: url, thumbnail: null, ...recovered(write) },
        hasNewPicture: true,
      },
    ];
  });
  context.services.wakeWorkers();
  return recorded;
}

/** Records the metadata of a stream. Their names are those of ffprobe. */
export function recordStreamMetadata(
  context: AnonymousRequest,
  requestId: string,
  input: StreamMetadataInput,
): Promise<StreamRequest> {
  const metadata = Object.fromEntries(
    Object.entries(input)
      .filter(([, value]) => value != null)
      .map(([name, value]) => [name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`), value]),
  );
  const imageDimensions = { width: Number(input.width), height: Number(input.height) };
  return record(context, requestId, async (write) => [
    "recordStreamMetadata",
    { request: { metadata }, camera: { imageDimensions, ...recovered(write) } },
  ]);
}

/**
 * Records why a stream cannot be opened, and sets the camera's status detail. Removes the
 * secrets of the URL, because programs repeat the URL in their errors.
 */
export function recordStreamError(
  context: AnonymousRequest,
  requestId: string,
  { operation, error }: StreamErrorInput,
): Promise<StreamRequest> {
  return record(context, requestId, async ({ streamRequest: { url } }) => [
    "recordStreamError",
    {
      request: {
        errorOperation: textWithoutSecrets(operation, url),
        errorMessage: textWithoutSecrets(error, url),
      },
      camera: { statusDetail: streamError },
    },
  ]);
}

const isCurrent = ({ streamRequest }: FeedServerWrite) => streamRequest.supersededAt === null;

/**
 * A thumbnail or metadata show that the stream works again. Leave status details from
 * other sources unchanged.
 */
function recovered({ camera }: FeedServerWrite): Prisma.CameraUpdateInput {
  return camera.statusDetail === streamError ? { statusDetail: operationalDetail } : {};
}

/**
 * The times of the camera that a report changes; undefined if it changes nothing of the
 * camera. A new picture at the same URL is no change of the camera that others must see
 * before they edit it.
 */
function changedTimes(
  { camera, now }: FeedServerWrite,
  { hasNewPicture = false }: Report,
  changes: object,
): Prisma.CameraUpdateInput | undefined {
  const isChanged = !isUnchanged(changes);
  if (!isChanged && !hasNewPicture) return undefined;
  return {
    ...(hasNewPicture && { pictureAt: now }),
    ...("statusDetail" in changes && { statusDetailChangedAt: now }),
    updatedAt: isChanged ? now : camera.updatedAt,
  };
}

function record(
  context: AnonymousRequest,
  requestId: string,
  read: (write: FeedServerWrite) => Promise<[action: string, report: Report]>,
): Promise<StreamRequest> {
  return writeAsFeedServer(context, requestId, async (write) => {
    const [action, report] = await read(write);
    const { transaction, now, camera, streamRequest } = write;
    const { workspaceId } = camera;
    const changes = isCurrent(write) ? changedFields<object>(camera, report.camera) : {};
    const times = isCurrent(write) ? changedTimes(write, report, changes) : undefined;
    if (times) {
      const where = { workspaceId_id: { workspaceId, id: camera.id } };
      const after = await transaction.camera.update({ where, data: { ...report.camera, ...times } });
      if ("statusDetail" in changes) {
        await context.services.notifications.cameraStatusChanged(write, camera, after);
        write.emit("cameraStatusChanged");
      }
    }
    const audited = { ...changedFields<object>(streamRequest, report.request), ...changes };
    if (!isUnchanged(audited)) write.audit({ action, changes: audited });
    const where = { workspaceId_id: { workspaceId, id: streamRequest.id } };
    return transaction.streamRequest.update({ where, data: { ...report.request, lastCallbackAt: now } });
  });
}
