import { Arg, Ctx, Mutation, Resolver } from "type-graphql";
import { Public } from "../access/public.js";
import type { StreamRequest as StreamRequestRecord } from "../generated/prisma/client.js";
import type { AnonymousRequest } from "../operation/request-context.js";
import { Uuid } from "../platform/scalars.js";
import { StreamErrorInput, StreamMetadataInput, StreamThumbnailInput } from "./stream-callback.input.js";
import { recordStreamError, recordStreamMetadata, recordStreamThumbnail } from "./stream-callback.service.js";
import { StreamRequest } from "./stream-request.type.js";

const capability =
  "Requires no credentials: the secret `requestId` grants access. NOT_FOUND if it is unknown or has expired. Retries are safe.";
const requestIdArgument =
  "The secret ID in the callback URLs that the feed server was given. This is not `StreamRequest.id`.";

@Resolver()
export class StreamCallbackMutations {
  @Public()
  @Mutation(() => StreamRequest, {
    description: `Called by the feed server to report a thumbnail, which becomes the camera's picture. ${capability}`,
  })
  recordStreamThumbnail(
    @Ctx() context: AnonymousRequest,
    @Arg("requestId", () => Uuid, { description: requestIdArgument }) requestId: string,
    @Arg("input", () => StreamThumbnailInput, { description: "The URL of the thumbnail." })
    input: StreamThumbnailInput,
  ): Promise<StreamRequestRecord> {
    return recordStreamThumbnail(context, requestId, input);
  }

  @Public()
  @Mutation(() => StreamRequest, {
    description: `Called by the feed server to report the metadata of the stream. Width and height become the camera's image dimensions. ${capability}`,
  })
  recordStreamMetadata(
    @Ctx() context: AnonymousRequest,
    @Arg("requestId", () => Uuid, { description: requestIdArgument }) requestId: string,
    @Arg("input", () => StreamMetadataInput, { description: "The metadata of the stream from ffprobe." })
    input: StreamMetadataInput,
  ): Promise<StreamRequestRecord> {
    return recordStreamMetadata(context, requestId, input);
  }

  @Public()
  @Mutation(() => StreamRequest, {
    description: `Called by the feed server to report that it cannot open the stream. The camera's status detail becomes STREAM_ERROR. ${capability}`,
  })
  recordStreamError(
    @Ctx() context: AnonymousRequest,
    @Arg("requestId", () => Uuid, { description: requestIdArgument }) requestId: string,
    @Arg("input", () => StreamErrorInput, {
      description: "The operation that failed, and its error message.",
    })
    input: StreamErrorInput,
  ): Promise<StreamRequestRecord> {
    return recordStreamError(context, requestId, input);
  }
}
