import { assertCanRun } from "../access/strict-permissions.js";
import { facilityById } from "../facility/facility.loader.js";
import type { Camera, Prisma } from "../generated/prisma/client.js";
import type { RequestContext } from "../operation/request-context.js";
import { changedFields } from "../operation/write.js";
import { orNotFound } from "../platform/errors.js";
import { columnsOnly } from "../reading/selection.js";
import { assertRoomForCamera } from "./camera-limit.js";
import type { CreateClientCameraInput } from "./client-camera.input.js";

/** The longer side of thumbnails, in pixels. */
export const thumbnailSide = 480;

/** Adds a camera with an uploaded picture to a visible facility. */
export async function createClientCamera(
  context: RequestContext,
  facilityId: string,
  input: CreateClientCameraInput,
): Promise<Camera> {
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
        write.audit({
          action: "createClientCamera",
          targetType: "Camera",
          targetId: camera.id,
          facilityId,
          changes,
        });
        return camera;
      }),
  );
}
