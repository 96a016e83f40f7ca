import { Arg, Ctx, Mutation, Resolver } from "type-graphql";
import { z } from "zod";
import type { RequestContext } from "../access/request-context.js";
import { ArgumentRules } from "../platform/argument-rules.js";
import { Uuid } from "../platform/scalars.js";
import type { CameraRow } from "./camera.loader.js";
import { Camera } from "./camera.type.js";
import { CreateClientCameraInput, createClientCameraInput } from "./client-camera.input.js";
import { createClientCamera } from "./client-camera.service.js";

@Resolver()
export class ClientCameraMutations {
  @ArgumentRules(z.object({ input: createClientCameraInput }))
  @Mutation(() => Camera, {
    description:
      "Adds a camera with an uploaded picture to a facility that the caller sees. PAYLOAD_TOO_LARGE for too large a picture, UNSUPPORTED_MEDIA_TYPE for what is none.",
  })
  createClientCamera(
    @Ctx() context: RequestContext,
    @Arg("facilityId", () => Uuid) facilityId: string,
    @Arg("input", () => CreateClientCameraInput) input: CreateClientCameraInput,
  ): Promise<CameraRow> {
    return createClientCamera(context, facilityId, input);
  }
}
