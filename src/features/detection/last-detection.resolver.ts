import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { RequiresColumns } from "../../engine/reading/annotations.js";
import { computedColumn } from "../../engine/reading/computed-column.js";
import { DateTimeIso } from "../../platform/input/scalars.js";
import { type CameraRow, cameraById } from "../camera/camera.loader.js";
import { Camera } from "../camera/camera.type.js";

@Resolver(() => Camera)
export class CameraLastDetectionResolver {
  @RequiresColumns("lastDetectionAt")
  @FieldResolver(() => DateTimeIso, {
    nullable: true,
    description:
      "When the newest frame that `recordDetections` processed was taken, whether or not rules evaluate the camera's frames; null before the first.",
  })
  lastDetectionAt(
    @Ctx() context: RequestContext,
    @Root() camera: CameraRow,
  ): Date | null | Promise<Date | null> {
    return computedColumn(context, cameraById, camera, "lastDetectionAt");
  }
}
