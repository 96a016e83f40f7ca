import type { GraphQLResolveInfo } from "graphql";
import { Ctx, FieldResolver, Info, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../access/request-context.js";
import type { Calibration as CalibrationRecord } from "../generated/prisma/client.js";
import { defineLoader } from "../platform/loader.js";
import { Reads, type Selected, selectedColumns, selectOf } from "../platform/selection.js";
import { Calibration } from "./calibration.type.js";
import type { CameraRow } from "./camera.loader.js";
import { Camera } from "./camera.type.js";

const calibrationKeys = ["id", "cameraId"] as const;

type CalibrationRow = Selected<CalibrationRecord, (typeof calibrationKeys)[number]>;

const calibrationByCamera = defineLoader<RequestContext, CalibrationRow | null, string[]>(
  async (context, cameraIds, columns) => {
    const rows = await context.visible.calibration.findMany({ where: { cameraId: { in: [...cameraIds] } }, select: selectOf(columns) });
    return new Map((rows as unknown as CalibrationRow[]).map((row) => [row.cameraId, row]));
  },
  () => null,
);

@Resolver(() => Camera)
export class CameraCalibrationResolver {
  @Reads()
  @FieldResolver(() => Calibration, { nullable: true, description: "The camera's calibration; null while it has none." })
  calibration(@Ctx() context: RequestContext, @Info() info: GraphQLResolveInfo, @Root() camera: CameraRow): Promise<CalibrationRow | null> {
    return calibrationByCamera(context, selectedColumns(info, calibrationKeys)).load(camera.id);
  }
}

@Resolver(() => Calibration)
export class CalibrationResolver {
  @Reads("calibratedImage")
  @FieldResolver(() => String, { nullable: true, description: "A link to the picture seen from above." })
  calibratedImage(@Ctx() context: RequestContext, @Root() calibration: CalibrationRow): string | null {
    return context.services.links.show(calibration.calibratedImage);
  }

  @Reads("croppedImage")
  @FieldResolver(() => String, { nullable: true, description: "A link to the part of the picture that was calibrated." })
  croppedImage(@Ctx() context: RequestContext, @Root() calibration: CalibrationRow): string | null {
    return context.services.links.show(calibration.croppedImage);
  }

  @Reads("gridImage")
  @FieldResolver(() => String, { nullable: true, description: "A link to the picture with the measured grid drawn in." })
  gridImage(@Ctx() context: RequestContext, @Root() calibration: CalibrationRow): string | null {
    return context.services.links.show(calibration.gridImage);
  }
}
