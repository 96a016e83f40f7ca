import { z } from "zod";
import { argumentsType, graphqlField } from "../../platform/input-type.js";
import { AlertFilter } from "../alert.input.js";
import { defaultColumns, defaultRows, heatmapAlerts } from "./alert-heatmap.js";

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

export type AlertHeatmapArguments = InstanceType<typeof AlertHeatmapArguments>;
export const AlertHeatmapArguments = argumentsType(
  z.object({
    filter: AlertFilter.rules.describe(
      `The alerts whose coordinates are counted, at most the newest ${heatmapAlerts}.`,
    ),
    columns: cells(defaultColumns, "left to right"),
    rows: cells(defaultRows, "top to bottom"),
  }),
);
