import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { ReadAhead, RequiresColumns } from "../reading/annotations.js";
import { Selected, type Selection } from "../reading/selection.js";
import type { RequestContext } from "../request/request-context.js";
import { type CalibrationRow, calibrationByCamera } from "./calibration.loader.js";
import { Calibration } from "./calibration.type.js";
import type { CameraRow } from "./camera.loader.js";
import { Camera } from "./camera.type.js";

@Resolver(() => Camera)
export class CameraCalibrationResolver {
  @RequiresColumns()
  @ReadAhead(calibrationByCamera)
  @FieldResolver(() => Calibration, { nullable: true, description: "The camera's calibration; null if it has none." })
  calibration(@Ctx() context: RequestContext, @Selected() selection: Selection, @Root() camera: CameraRow): Promise<CalibrationRow | null> {
    return calibrationByCamera(context, selection).load(camera.id);
  }
}

@Resolver(() => Calibration)
export class CalibrationResolver {
  @RequiresColumns("calibratedImage")
  @FieldResolver(() => String, { nullable: true, description: "A link to the picture as seen from above." })
  calibratedImage(@Ctx() context: RequestContext, @Root() calibration: CalibrationRow): string | null {
    return context.services.links.urlFor(calibration.calibratedImage);
  }

  @RequiresColumns("croppedImage")
  @FieldResolver(() => String, { nullable: true, description: "A link to the calibrated part of the picture." })
  croppedImage(@Ctx() context: RequestContext, @Root() calibration: CalibrationRow): string | null {
    return context.services.links.urlFor(calibration.croppedImage);
  }

  @RequiresColumns("gridImage")
  @FieldResolver(() => String, { nullable: true, description: "A link to the picture with the measured grid." })
  gridImage(@Ctx() context: RequestContext, @Root() calibration: CalibrationRow): string | null {
    return context.services.links.urlFor(calibration.gridImage);
  }
}
