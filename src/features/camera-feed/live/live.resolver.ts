import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../../../engine/operation/request-context.js";
import { Costs, RequiresColumns } from "../../../engine/reading/annotations.js";
import type { CameraRow } from "../../camera/camera.loader.js";
import { Camera } from "../../camera/camera.type.js";
import { liveUrl } from "./live-view.service.js";

@Resolver(() => Camera)
export class CameraLiveResolver {
  // A ticket takes as long to sign as some rows to read.
  @Costs(5)
  @RequiresColumns("isFed")
  @FieldResolver(() => String, {
    nullable: true,
    description:
      "A link to the camera's live view, for an `<img>`: JPEG frames as `multipart/x-mixed-replace`, at most 5 a second, for as long as the caller may see the camera. It needs no credentials and must be opened within five minutes. 503 while the camera is lost, or if too many cameras are viewed. Null if the gateway does not open the camera's stream itself.",
  })
  liveUrl(@Ctx() context: RequestContext, @Root() camera: CameraRow): Promise<string | null> {
    return liveUrl(context, camera);
  }
}
