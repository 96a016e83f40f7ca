import { Ctx, Mutation, Resolver } from "type-graphql";
import { assertCanRun, strictRemark } from "../../../engine/access/strict-permissions.js";
import type { RequestContext } from "../../../engine/operation/request-context.js";
import { changedFields } from "../../../engine/operation/write.js";
import { columnsOnly } from "../../../engine/reading/selection/selection.js";
import type { Prisma } from "../../../generated/prisma/client.js";
import { orNotFound } from "../../../platform/errors/errors.js";
import { IdArg, InputArg } from "../../../platform/input/input-type.js";
import { facilityById } from "../../facility/facility.loader.js";
import { Camera } from "../camera.type.js";
import { assertRoomForCamera } from "../camera-limit.js";
import { CreateClientCameraInput } from "./client-camera.input.js";

export const thumbnailSide = 480;

@Resolver()
export class ClientCameraMutations {
  @Mutation(() => Camera, {
    description: `Adds a camera with an uploaded picture to a facility that is visible to the caller. PAYLOAD_TOO_LARGE if the picture is too large, UNSUPPORTED_MEDIA_TYPE if it is not a supported picture. ${strictRemark("createClientCamera")}`,
  })
  async createClientCamera(
    @Ctx() context: RequestContext,
    @IdArg("the facility", "facilityId") facilityId: string,
    @InputArg(CreateClientCameraInput, "The new camera with its picture.")
    input: CreateClientCameraInput,
  ) {
    const { name, image, metadata } = input;
    const { settings } = context.services;
    orNotFound(await facilityById(context, columnsOnly(["id"])).load(facilityId));
    assertCanRun(context.caller, "createClientCamera", facilityId, settings);
    return context.services.pictures.store(
      context,
      image,
      ["cameras", { picture: "original size", small: { maxSide: thumbnailSide } }],
      (stored) =>
        context.write(async (write) => {
          const { workspaceId } = await write.lock("Facility", facilityId);
          assertCanRun(write.caller, "createClientCamera", facilityId, settings);
          await assertRoomForCamera(write, workspaceId, settings.maxCameras);
          await stored.keep(write.transaction);
          const { picture, small } = stored.pictures;
          const camera = await write.transaction.camera.create({
            data: {
              workspaceId,
              facilityId,
              name,
              imageLink: picture.key,
              thumbnail: small.key,
              pictureAt: write.now,
              imageDimensions: {
                width: metadata?.width ?? picture.width,
                height: metadata?.height ?? picture.height,
              },
              streamType: "CLIENT",
              ...(metadata && { advancedSettings: { metadata: metadata as Prisma.InputJsonObject } }),
              createdAt: write.now,
              updatedAt: write.now,
            },
          });
          const { imageDimensions, advancedSettings } = camera;
          const changes = changedFields<object>({}, { name, imageDimensions, advancedSettings });
          write.auditChange("Camera", camera, changes);
          return camera;
        }),
    );
  }
}
