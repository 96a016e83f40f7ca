import { Ctx, Field, FieldResolver, Mutation, ObjectType, Resolver, Root } from "type-graphql";
import { strictRemark } from "../access/strict-permissions.js";
import type { RequestContext } from "../operation/request-context.js";
import { IdArg, InputArg } from "../platform/input-type.js";
import { Uuid } from "../platform/scalars.js";
import { RequiresColumns } from "../reading/annotations.js";
import { CreateCameraInput, StatusDetailInput, UpdateCameraInput } from "./camera.input.js";
import type { CameraRow } from "./camera.loader.js";
import { Camera } from "./camera.type.js";
import { createCamera, deleteCamera, setStatusDetail, updateCamera } from "./camera-write.service.js";
import type { RequestedStream } from "./stream-request.service.js";
import { requestIdDescription, StreamProbePayload } from "./stream-request.type.js";

@ObjectType({
  description: "The camera that was added, and the request to open its stream.",
  simpleResolvers: true,
})
class CreateCameraPayload extends StreamProbePayload {
  @Field(() => Camera, { description: "The new camera." })
  camera!: Camera;
}

@Resolver(() => CreateCameraPayload)
export class CreateCameraPayloadResolver {
  @RequiresColumns()
  @FieldResolver(() => Uuid, { description: requestIdDescription })
  requestId(@Root() { streamRequest }: RequestedStream): string {
    return streamRequest.requestId;
  }
}

@Resolver()
export class CameraMutations {
  @Mutation(() => CreateCameraPayload, {
    description: `Adds a camera with a stream URL to a facility that is visible to the caller, and requests its stream. ${strictRemark("createCamera")}`,
  })
  createCamera(
    @Ctx() context: RequestContext,
    @IdArg("the facility", "facilityId") facilityId: string,
    @InputArg(CreateCameraInput, "The new camera.") input: CreateCameraInput,
  ): Promise<RequestedStream> {
    return createCamera(context, facilityId, input);
  }

  @Mutation(() => Camera, {
    description:
      "Updates a camera. A changed URL creates a new stream request. Requires cameras:write at its facility.",
  })
  updateCamera(
    @Ctx() context: RequestContext,
    @IdArg("the camera") id: string,
    @InputArg(UpdateCameraInput, "The fields to change.") input: UpdateCameraInput,
  ): Promise<CameraRow> {
    return updateCamera(context, id, input);
  }

  @Mutation(() => Camera, {
    description:
      "Deletes a camera with its rules and alerts, and returns the camera as it was, but without rules and alerts. The camera disappears from every view immediately. Requires cameras:write at its facility.",
  })
  deleteCamera(@Ctx() context: RequestContext, @IdArg("the camera") id: string): Promise<CameraRow> {
    return deleteCamera(context, id);
  }

  @Mutation(() => Camera, {
    description:
      "Sets a camera's status detail and adds it to the camera's status history. Requires cameras:write at its facility.",
  })
  setCameraStatusDetail(
    @Ctx() context: RequestContext,
    @IdArg("the camera") id: string,
    @InputArg(StatusDetailInput, "The status detail, and who reports it.")
    input: StatusDetailInput,
  ): Promise<CameraRow> {
    return setStatusDetail(context, id, input);
  }
}
