import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../../../engine/operation/request-context.js";
import { RequiresColumns } from "../../../engine/reading/annotations.js";
import { linkTo } from "../../../platform/input/descriptions.js";
import type { CalibrationRow } from "./calibration.loader.js";
import { Calibration } from "./calibration.type.js";

@Resolver(() => Calibration)
export class CalibrationResolver {
  @RequiresColumns("calibratedImage")
  @FieldResolver(() => String, { nullable: true, description: linkTo("the picture as seen from above") })
  calibratedImage(@Ctx() context: RequestContext, @Root() calibration: CalibrationRow): string | null {
    return context.services.links.urlFor(calibration.calibratedImage);
  }

  @RequiresColumns("croppedImage")
  @FieldResolver(() => String, { nullable: true, description: linkTo("the calibrated part of the picture") })
  croppedImage(@Ctx() context: RequestContext, @Root() calibration: CalibrationRow): string | null {
    return context.services.links.urlFor(calibration.croppedImage);
  }

  @RequiresColumns("gridImage")
  @FieldResolver(() => String, { nullable: true, description: linkTo("the picture with the measured grid") })
  gridImage(@Ctx() context: RequestContext, @Root() calibration: CalibrationRow): string | null {
    return context.services.links.urlFor(calibration.gridImage);
  }
}
