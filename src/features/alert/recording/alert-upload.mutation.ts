import { Ctx, Mutation, Resolver } from "type-graphql";
import type { RequestContext } from "../../../engine/operation/request-context.js";
import { acceptedPicture, storedPicture } from "../../../engine/storage/picture.js";
import { IdArg } from "../../../platform/input/input-type.js";
import { createAlertUpload } from "./alert-upload.service.js";
import { CreateAlertUploadPayload } from "./alert-upload.type.js";

@Resolver()
export class AlertUploadMutations {
  @Mutation(() => CreateAlertUploadPayload, {
    description: `Creates a link for uploading the picture of an alert outside of GraphQL, before \`recordAlerts\`: ${acceptedPicture} ${storedPicture} The gateway makes a thumbnail of it. Requires alerts:write at the camera's facility; only alerts there can use the picture.`,
  })
  createAlertUpload(
    @Ctx() context: RequestContext,
    @IdArg("the camera", "cameraId") cameraId: string,
  ): Promise<CreateAlertUploadPayload> {
    return createAlertUpload(context, cameraId);
  }
}
