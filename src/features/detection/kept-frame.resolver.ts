import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { RequiresColumns, ReturnsLoaded } from "../../engine/reading/annotations.js";
import { type Connection, PageArguments } from "../../engine/reading/connection.js";
import { Selected } from "../../engine/reading/selection/selected-fields.js";
import type { Selection } from "../../engine/reading/selection/selection.js";
import { CheckedArgs } from "../../platform/input/input-type.js";
import { DateTimeIso } from "../../platform/input/scalars.js";
import type { CameraRow } from "../camera/camera.loader.js";
import { Camera } from "../camera/camera.type.js";
import { DetectionFrame, DetectionFrameConnection } from "./detection-frame.type.js";
import { type KeptFrameRow, keptFramesOfCamera } from "./kept-frame.loader.js";
import { maxKeptFrames } from "./kept-frames.js";

@Resolver(() => DetectionFrame)
export class DetectionFrameResolver {
  @RequiresColumns("createdAt")
  @FieldResolver(() => DateTimeIso, { description: "When the frame was taken." })
  at(@Root() frame: KeptFrameRow): Date {
    return frame.createdAt;
  }
}

@Resolver(() => Camera)
export class CameraDetectionsResolver {
  @ReturnsLoaded(keptFramesOfCamera.pages)
  @RequiresColumns()
  @FieldResolver(() => DetectionFrameConnection, {
    nullable: true,
    description: `The frames that \`recordDetections\` processed, newest first: at most ${maxKeptFrames} of a camera, for 24 hours after they were taken. Whoever sees the camera sees them, like its alerts. Null unless KEEP_DETECTIONS is on.`,
  })
  async detections(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() camera: CameraRow,
    @CheckedArgs(PageArguments) page: PageArguments,
  ): Promise<Connection<KeptFrameRow> | null> {
    if (!context.services.settings.keepsDetections) return null;
    return keptFramesOfCamera(context, camera.id, selection, page);
  }
}
