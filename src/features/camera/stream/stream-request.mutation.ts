import { Ctx, FieldResolver, Mutation, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../../../engine/operation/request-context.js";
import { RequiresColumns } from "../../../engine/reading/annotations.js";
import { IdArg } from "../../../platform/input/input-type.js";
import { Uuid } from "../../../platform/input/scalars.js";
import { type RequestedStream, requestStreamProbe } from "./stream-request.service.js";
import { requestIdDescription, StreamProbePayload } from "./stream-request.type.js";

@Resolver(() => StreamProbePayload)
export class StreamProbePayloadResolver {
  @RequiresColumns()
  @FieldResolver(() => Uuid, { description: requestIdDescription })
  requestId(@Root() { streamRequest }: RequestedStream): string {
    return streamRequest.requestId;
  }
}

@Resolver()
export class StreamRequestMutations {
  @Mutation(() => StreamProbePayload, {
    description:
      "Requests a camera's stream again, which replaces the current request. CONFLICT if the camera has no URL. Requires cameras:write at its facility.",
  })
  requestStreamProbe(@Ctx() context: RequestContext, @IdArg("the camera", "cameraId") cameraId: string) {
    return requestStreamProbe(context, cameraId);
  }
}
