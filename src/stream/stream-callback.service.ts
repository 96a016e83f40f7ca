import { type FeedServerWrite, writeAsFeedServer } from "../access/feed-server-write.js";
import type { RequestContext } from "../access/request-context.js";
import { changedFields, isUnchanged } from "../access/write.js";
import type { Prisma, StreamRequest } from "../generated/prisma/client.js";
import { scheduleRemoval } from "../storage/object-removal.js";
import type { StreamErrorInput, StreamMetadataInput, StreamThumbnailInput } from "./stream-callback.input.js";

const failed = "STREAM_ERROR";
const working = "OPERATIONAL";

/** What a report changes: the request that it belongs to and, unless a newer request took its place, the camera. */
interface Report {
  request: Prisma.StreamRequestUpdateInput;
  camera: Prisma.CameraUpdateInput;
}

/** Takes the feed server's picture of a stream as the camera's. */
export async function recordStreamThumbnail(context: RequestContext, requestId: string, { url }: StreamThumbnailInput): Promise<StreamRequest> {
  const recorded = await record(context, requestId, async (write) => {
    if (isCurrent(write)) await scheduleRemoval(write.transaction, [write.camera.imageLink, write.camera.thumbnail], write.now);
    return ["recordStreamThumbnail", { request: { thumbnailUrl: url }, camera: { imageLink: url, thumbnail: null, ...recovered(write) } }];
  });
  context.services.wakeWorkers();
  return recorded;
}

/** Keeps all that the feed server says of a stream, under the names that it has in ffprobe. */
export function recordStreamMetadata(context: RequestContext, requestId: string, input: StreamMetadataInput): Promise<StreamRequest> {
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

/** Keeps why a stream cannot be opened, and shows it as the camera's status detail. */
export function recordStreamError(context: RequestContext, requestId: string, { operation, error }: StreamErrorInput): Promise<StreamRequest> {
  return record(context, requestId, async () => [
    "recordStreamError",
    { request: { errorOperation: operation, errorMessage: error }, camera: { statusDetail: failed } },
  ]);
}

const isCurrent = ({ streamRequest }: FeedServerWrite) => streamRequest.supersededAt === null;

/** A picture or metadata mean that the stream works again; what somebody else reported of the camera is left alone. */
function recovered({ camera }: FeedServerWrite): Prisma.CameraUpdateInput {
  return camera.statusDetail === failed ? { statusDetail: working } : {};
}

function record(
  context: RequestContext,
  requestId: string,
  read: (write: FeedServerWrite) => Promise<[action: string, report: Report]>,
): Promise<StreamRequest> {
  return writeAsFeedServer(context, requestId, async (write) => {
    const [action, report] = await read(write);
    const { transaction, now, camera, streamRequest } = write;
    const changes = isCurrent(write) ? changedFields<object>(camera, report.camera) : {};
    if (!isUnchanged(changes)) {
      await transaction.camera.update({ where: { id: camera.id }, data: { ...report.camera, updatedAt: now } });
    }
    if ("statusDetail" in changes) write.announce("cameraStatusChanged");
    const told = { ...changedFields<object>(streamRequest, report.request), ...changes };
    if (!isUnchanged(told)) await write.audit({ action, changes: told });
    return transaction.streamRequest.update({ where: { id: streamRequest.id }, data: { ...report.request, lastCallbackAt: now } });
  });
}
