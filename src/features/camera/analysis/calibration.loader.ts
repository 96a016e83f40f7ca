import { defineEntityType, type Selected } from "../../../engine/reading/entity-type.js";
import { defineToOne } from "../../../engine/reading/relation.js";
import { type Calibration, Prisma } from "../../../generated/prisma/client.js";

export type CalibrationRow = Selected<Calibration, "id">;

export const calibrations = defineEntityType<Calibration>({
  source: "calibrations",
  keys: ["id"],
  columns: Prisma.CalibrationScalarFieldEnum,
  dateColumns: { updatedAt: true },
});

export const calibrationByCamera = defineToOne<CalibrationRow>(calibrations, "cameraId");
