import { Arg, Ctx, Mutation, Resolver } from "type-graphql";
import { Public } from "../../../engine/access/public.js";
import type { GatewayRequest } from "../../../engine/operation/request-context.js";
import { scheduleRemoval } from "../../../engine/storage/object-removal.js";
import type { Prisma } from "../../../generated/prisma/client.js";
import { InputArg } from "../../../platform/input/input-type.js";
import { Uuid } from "../../../platform/input/scalars.js";
import { operationalDetail, streamError } from "../status/status-detail.js";
import {
  applyReport,
  errorReport,
  isCurrent,
  lost,
  metadataReport,
  type StreamReport,
} from "../stream-report.js";
import { type FeedServerWrite, writeAsFeedServer } from "./feed-server-write.js";
import { StreamErrorInput, StreamMetadataInput, StreamThumbnailInput } from "./stream-callback.input.js";
import { StreamRequest } from "./stream-request.type.js";

const capability =
  "Requires no credentials: the secret `requestId` grants access. NOT_FOUND if it is unknown or has expired. Retries are safe.";
const requestIdArgument =
  "The secret ID in the callback URLs that the feed server was given. This is not `StreamRequest.id`.";

const record = (
  context: GatewayRequest,
  requestId: string,
  read: (write: FeedServerWrite) => Promise<StreamReport>,
) => writeAsFeedServer(context, requestId, async (write) => applyReport(write, await read(write)));

@Resolver()
export class StreamCallbackMutations {
  @Public()
  @Mutation(() => StreamRequest, {
    description: `Called by the feed server to report a thumbnail, which becomes the camera's picture. ${capability}`,
  })
  recordStreamThumbnail(
    @Ctx() context: GatewayRequest,
    @Arg("requestId", () => Uuid, { description: requestIdArgument }) requestId: string,
    @InputArg(StreamThumbnailInput, "The URL of the thumbnail.")
    { url }: StreamThumbnailInput,
  ) {
    return record(context, requestId, async (write) => {
      if (isCurrent(write)) {
        write.emit({ topic: "workQueued" });
        await scheduleRemoval(
          write.transaction,
          write.camera.workspaceId,
          [write.camera.imageLink, write.camera.thumbnail],
          write.now,
        );
      }
      return {
        action: "recordStreamThumbnail",
        request: { thumbnailUrl: url },
        camera: { imageLink: url, thumbnail: null, ...recovered(write) },
        picture: { pictureAt: write.now },
      };
    });
  }

  @Public()
  @Mutation(() => StreamRequest, {
    description: `Called by the feed server to report the metadata of the stream. Width and height become the camera's image dimensions. ${capability}`,
  })
  recordStreamMetadata(
    @Ctx() context: GatewayRequest,
    @Arg("requestId", () => Uuid, { description: requestIdArgument }) requestId: string,
    @InputArg(StreamMetadataInput, "The metadata of the stream from ffprobe.")
    input: StreamMetadataInput,
  ) {
    const metadata = Object.fromEntries(
      Object.entries(input)
        .filter(([, value]) => value != null)
        .map(([name, value]) => [name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`), value]),
    );
    const size = { width: Number(input.width), height: Number(input.height) };
    return record(context, requestId, async (write) => metadataReport(metadata, size, recovered(write)));
  }

  @Public()
  @Mutation(() => StreamRequest, {
    description: `Called by the feed server to report that it cannot open the stream. The camera's status detail becomes STREAM_ERROR. ${capability}`,
  })
  recordStreamError(
    @Ctx() context: GatewayRequest,
    @Arg("requestId", () => Uuid, { description: requestIdArgument }) requestId: string,
    @InputArg(StreamErrorInput, "The operation that failed, and its error message.")
    input: StreamErrorInput,
  ) {
    return record(context, requestId, async (write) => errorReport(write, input, lost));
  }
}

/** A thumbnail or metadata show that the stream works again. Status details from other sources stay unchanged. */
function recovered({ camera }: FeedServerWrite): Prisma.CameraUpdateInput {
  return camera.statusDetail === streamError ? { statusDetail: operationalDetail } : {};
}
