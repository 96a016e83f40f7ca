import { Ctx, Mutation, Resolver } from "type-graphql";
import { strictRemark } from "../access/strict-permissions.js";
import type { RequestContext } from "../operation/request-context.js";
import { IdArg, InputArg } from "../platform/input-type.js";
import type { CameraRow } from "./camera.loader.js";
import { Camera } from "./camera.type.js";
import { CreateClientCameraInput } from "./client-camera.input.js";
import { createClientCamera } from "./client-camera.service.js";

@Resolver()
export class ClientCameraMutations {
  @Mutation(() => Camera, {
    description: `Adds a camera with an uploaded picture to a facility that is visible to the caller. PAYLOAD_TOO_LARGE if the picture is too large, UNSUPPORTED_MEDIA_TYPE if it is not a supported picture. ${strictRemark("createClientCamera")}`,
  })
  createClientCamera(
    @Ctx() context: RequestContext,
    @IdArg("the facility", "facilityId") facilityId: string,
    @InputArg(CreateClientCameraInput, "The new camera with its picture.")
    input: CreateClientCameraInput,
  ): Promise<CameraRow> {
    return createClientCamera(context, facilityId, input);
  }
}
