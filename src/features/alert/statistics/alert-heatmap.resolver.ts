import { z } from "zod";
import { fieldsOf } from "../../../engine/reading/selection/fields.js";
import { argumentsType, graphqlField } from "../../../platform/input/input-type.js";
import { Camera } from "../../camera/camera.type.js";
import { AlertFilter } from "../alert.input.js";
import { alertHeatmaps, defaultColumns, defaultRows, heatmapAlerts } from "./alert-heatmap.js";
import { AlertHeatmap } from "./alert-heatmap.type.js";
import { costOfAlerts } from "./alert-statistics.js";

const maxCells = 128;
const message = `must be from 1 to ${maxCells}`;
const cells = (defaultValue: number, direction: string) =>
  z
    .int()
    .min(1, message)
    .max(maxCells, message)
    .nullish()
    .describe(`The number of cells from ${direction}, 1 to ${maxCells}.`)
    .register(graphqlField, { defaultValue });

type AlertHeatmapArguments = InstanceType<typeof AlertHeatmapArguments>;
const AlertHeatmapArguments = argumentsType(
  z.object({
    filter: AlertFilter.rules.describe(
      `The alerts whose coordinates are counted, at most the newest ${heatmapAlerts}.`,
    ),
    columns: cells(defaultColumns, "left to right"),
    rows: cells(defaultRows, "top to bottom"),
  }),
);

export const CameraAlertHeatmapFields = fieldsOf<{ id: string }>(Camera, {
  alertHeatmap: {
    type: () => AlertHeatmap,
    nullable: true,
    cost: costOfAlerts,
    description: `Where in the picture the camera's alerts were raised: the number of their violating coordinates, scaled from the canvas, in each cell of a grid. Costs ${costOfAlerts}. Null if counting took too long: try a shorter period.`,
    args: AlertHeatmapArguments,
    resolve: ({ id }, context, { filter, columns, rows }: AlertHeatmapArguments) =>
      alertHeatmaps(context, {
        filter,
        columns: columns ?? defaultColumns,
        rows: rows ?? defaultRows,
      }).load(id),
  },
});
