import { Arg, Ctx, Mutation, Resolver } from "type-graphql";
import { z } from "zod";
import { OpenToAll } from "../access/open-to-all.js";
import type { RequestContext } from "../access/request-context.js";
import type { StreamRequest as StreamRequestRecord } from "../generated/prisma/client.js";
import { ArgumentRules } from "../platform/argument-rules.js";
import { Uuid } from "../platform/scalars.js";
import {
  StreamErrorInput,
  StreamMetadataInput,
  StreamThumbnailInput,
  streamErrorInput,
  streamMetadataInput,
  streamThumbnailInput,
} from "./stream-callback.input.js";
import { recordStreamError, recordStreamMetadata, recordStreamThumbnail } from "./stream-callback.service.js";
import { StreamRequest } from "./stream-request.type.js";

const capability = "Needs no credentials: the `requestId` is the capability. NOT_FOUND when it is unknown or has expired. Repeating is harmless.";

@Resolver()
export class StreamCallbackMutations {
  @OpenToAll()
  @ArgumentRules(z.object({ input: streamThumbnailInput }))
  @Mutation(() => StreamRequest, { description: `The feed server reports a picture: it becomes the camera's. ${capability}` })
  recordStreamThumbnail(
    @Ctx() context: RequestContext,
    @Arg("requestId", () => Uuid) requestId: string,
    @Arg("input", () => StreamThumbnailInput) input: StreamThumbnailInput,
  ): Promise<StreamRequestRecord> {
    return recordStreamThumbnail(context, requestId, input);
  }

  @OpenToAll()
  @ArgumentRules(z.object({ input: streamMetadataInput }))
  @Mutation(() => StreamRequest, {
    description: `The feed server reports what the stream is like: width and height become the camera's. ${capability}`,
  })
  recordStreamMetadata(
    @Ctx() context: RequestContext,
    @Arg("requestId", () => Uuid) requestId: string,
    @Arg("input", () => StreamMetadataInput) input: StreamMetadataInput,
  ): Promise<StreamRequestRecord> {
    return recordStreamMetadata(context, requestId, input);
  }

  @OpenToAll()
  @ArgumentRules(z.object({ input: streamErrorInput }))
  @Mutation(() => StreamRequest, {
    description: `The feed server reports that it cannot open the stream: the camera's status detail becomes STREAM_ERROR. ${capability}`,
  })
  recordStreamError(
    @Ctx() context: RequestContext,
    @Arg("requestId", () => Uuid) requestId: string,
    @Arg("input", () => StreamErrorInput) input: StreamErrorInput,
  ): Promise<StreamRequestRecord> {
    return recordStreamError(context, requestId, input);
  }
}
