import { Arg, Ctx, Mutation, Resolver } from "type-graphql";
import type { RequestContext } from "../../../engine/operation/request-context.js";
import { Selected } from "../../../engine/reading/selection/selected-fields.js";
import type { Selection } from "../../../engine/reading/selection/selection.js";
import { acceptedPicture, storedPicture } from "../../../engine/storage/picture.js";
import { orNotFound } from "../../../platform/errors/errors.js";
import { CheckedArgs, IdArg } from "../../../platform/input/input-type.js";
import { Uuid } from "../../../platform/input/scalars.js";
import { type AlertRow, alertById } from "../alert.loader.js";
import { Alert } from "../alert.type.js";
import { createAlertUpload } from "./alert-upload.service.js";
import { CreateAlertUploadArguments, CreateAlertUploadPayload } from "./alert-upload.type.js";
import { addAlertClip } from "./sent-clips.service.js";

@Resolver()
export class AlertUploadMutations {
  @Mutation(() => CreateAlertUploadPayload, {
    description: `Creates a link for uploading the picture of an alert outside of GraphQL, before \`recordAlerts\`: ${acceptedPicture} ${storedPicture} The gateway makes a thumbnail of it. Or that of a clip: an MP4 of at most 60 seconds and, unless the gateway is configured otherwise, 50 MiB, with one video track in H.264, H.265 or AV1. It is stored without sound and metadata. Requires alerts:write at the facility; only alerts there can use the upload.`,
  })
  createAlertUpload(
    @Ctx() context: RequestContext,
    @CheckedArgs(CreateAlertUploadArguments) place: CreateAlertUploadArguments,
  ): Promise<CreateAlertUploadPayload> {
    return createAlertUpload(context, place);
  }

  @Mutation(() => Alert, {
    description:
      "Adds a clip to an alert that is recorded. CONFLICT while the alert has one that is PENDING or READY. A call that fails does not use the upload up. Requires alerts:write at the facility of the alert.",
  })
  async addAlertClip(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @IdArg("the alert", "alertId") alertId: string,
    @Arg("uploadId", () => Uuid, {
      description: "The ID of an upload of the kind CLIP at the alert's facility, which must have been sent.",
    })
    uploadId: string,
  ): Promise<AlertRow> {
    await addAlertClip(context, alertId, uploadId);
    return orNotFound(await alertById(context, selection).load(alertId));
  }
}
