import { Arg, Ctx, Field, FieldResolver, Mutation, ObjectType, Resolver, Root } from "type-graphql";
import { z } from "zod";
import type { RequestContext } from "../access/request-context.js";
import { CreateCameraInput, createCameraInput, UpdateCameraInput, updateCameraInput } from "../camera/camera.input.js";
import type { CameraRow } from "../camera/camera.loader.js";
import { Camera } from "../camera/camera.type.js";
import { ArgumentRules } from "../platform/argument-rules.js";
import { Uuid } from "../platform/scalars.js";
import { Reads } from "../platform/selection.js";
import { createCamera, type RequestedStream, requestStreamProbe, updateCamera } from "./stream-request.service.js";
import { StreamRequest } from "./stream-request.type.js";

@ObjectType({ description: "A stream request that was made just now.", simpleResolvers: true })
class StreamProbePayload {
  @Field(() => StreamRequest)
  streamRequest!: StreamRequest;
}

@ObjectType({ description: "A camera that was added just now, and the request for its stream.", simpleResolvers: true })
class CreateCameraPayload extends StreamProbePayload {
  @Field(() => Camera)
  camera!: Camera;
}

const requestIdDescription = "The capability that the feed server's callbacks carry. It is shown here alone: keep it secret.";

@Resolver(() => StreamProbePayload)
export class StreamProbePayloadResolver {
  @Reads()
  @FieldResolver(() => Uuid, { description: requestIdDescription })
  requestId(@Root() { streamRequest }: RequestedStream): string {
    return streamRequest.requestId;
  }
}

@Resolver(() => CreateCameraPayload)
export class CreateCameraPayloadResolver {
  @Reads()
  @FieldResolver(() => Uuid, { description: requestIdDescription })
  requestId(@Root() { streamRequest }: RequestedStream): string {
    return streamRequest.requestId;
  }
}

@Resolver()
export class StreamRequestMutations {
  @ArgumentRules(z.object({ input: createCameraInput }))
  @Mutation(() => CreateCameraPayload, { description: "Adds a camera by its address to a facility that the caller sees, and asks for its stream." })
  createCamera(
    @Ctx() context: RequestContext,
    @Arg("facilityId", () => Uuid) facilityId: string,
    @Arg("input", () => CreateCameraInput) input: CreateCameraInput,
  ): Promise<RequestedStream> {
    return createCamera(context, facilityId, input);
  }

  @ArgumentRules(z.object({ input: updateCameraInput }))
  @Mutation(() => Camera, { description: "Changes a camera. A changed address starts a new stream request. Needs cameras:write." })
  updateCamera(
    @Ctx() context: RequestContext,
    @Arg("id", () => Uuid) id: string,
    @Arg("input", () => UpdateCameraInput) input: UpdateCameraInput,
  ): Promise<CameraRow> {
    return updateCamera(context, id, input);
  }

  @Mutation(() => StreamProbePayload, {
    description: "Asks for a camera's stream anew. Needs cameras:write; CONFLICT for a camera without an address.",
  })
  requestStreamProbe(@Ctx() context: RequestContext, @Arg("cameraId", () => Uuid) cameraId: string): Promise<RequestedStream> {
    return requestStreamProbe(context, cameraId);
  }
}
