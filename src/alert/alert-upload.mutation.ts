import { Arg, Ctx, Mutation, Resolver } from "type-graphql";
import { Uuid } from "../platform/scalars.js";
import type { RequestContext } from "../request/request-context.js";
import { createAlertUpload } from "./alert-upload.service.js";
import { CreateAlertUploadPayload } from "./alert-upload.type.js";

@Resolver()
export class AlertUploadMutations {
  @Mutation(() => CreateAlertUploadPayload, {
    description:
      "Creates a link for uploading the picture of an alert outside of GraphQL, before `recordAlerts`: a JPEG, PNG or WebP picture of at most 50 megapixels and, unless the gateway is configured otherwise, 10 MiB. It is stored upright and without metadata, WebP as JPEG, along with a thumbnail. Requires alerts:write at the camera's facility, whose alerts can use the picture.",
  })
  createAlertUpload(@Ctx() context: RequestContext, @Arg("cameraId", () => Uuid) cameraId: string): Promise<CreateAlertUploadPayload> {
    return createAlertUpload(context, cameraId);
  }
}
