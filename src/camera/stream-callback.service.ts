import type { Prisma, StreamRequest } from "../generated/prisma/client.js";
import type { AnonymousRequest } from "../operation/request-context.js";
import { scheduleRemoval } from "../storage/object-removal.js";
import { type FeedServerWrite, writeAsFeedServer } from "./feed-server-write.js";
import { operationalDetail, streamError } from "./status-detail.js";
import type { StreamErrorInput, StreamMetadataInput, StreamThumbnailInput } from "./stream-callback.input.js";
import {
  applyReport,
  errorReport,
  isCurrent,
  lost,
  metadataReport,
  type StreamReport,
} from "./stream-report.js";

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
    return {
      action: "recordStreamThumbnail",
      request: { thumbnailUrl: url },
      camera: { imageLink: url, thumbnail: null, ...recovered(write) },
      picture: { pictureAt: write.now },
    };
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
  const size = { width: Number(input.width), height: Number(input.height) };
  return record(context, requestId, async (write) => metadataReport(metadata, size, recovered(write)));
}

/** Records why a stream cannot be opened, and sets the camera's status detail. */
export const recordStreamError = (
  context: AnonymousRequest,
  requestId: string,
  input: StreamErrorInput,
): Promise<StreamRequest> => record(context, requestId, async (write) => errorReport(write, input, lost));

/**
 * A thumbnail or metadata show that the stream works again. Leave status details from
 * other sources unchanged.
 */
function recovered({ camera }: FeedServerWrite): Prisma.CameraUpdateInput {
  return camera.statusDetail === streamError ? { statusDetail: operationalDetail } : {};
}

const record = (
  context: AnonymousRequest,
  requestId: string,
  read: (write: FeedServerWrite) => Promise<StreamReport>,
): Promise<StreamRequest> =>
  writeAsFeedServer(context, requestId, async (write) =>
    applyReport(context.services.notifications, write, await read(write)),
  );
