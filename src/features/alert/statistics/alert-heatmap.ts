import { identifier } from "../../../engine/reading/identifier.js";
import { newestFirst } from "../../../engine/reading/list-order.js";
import { defineLoader, type ReadingContext } from "../../../engine/reading/loader.js";
import type { VisibleSources } from "../../../engine/reading/visibility.js";
import { Prisma } from "../../../generated/prisma/client.js";
import { isStatementTimeout } from "../../../platform/errors/database-errors.js";
import type { AlertFilter } from "../alert.input.js";
import { filterKey } from "../alert.loader.js";
import { conditionsOf } from "../alert-conditions.js";
import { alertsInLocalTime } from "../local-conditions.js";
import type { AlertHeatmap } from "./alert-heatmap.type.js";

/** The maximum number of alerts per camera whose coordinates are counted. */
export const heatmapAlerts = 100_000;

/** The default number of cells. Their ratio is that of most pictures. */
export const defaultColumns = 32;
export const defaultRows = 18;

interface AlertHeatmapRequest {
  filter: AlertFilter;
  columns: number;
  rows: number;
}

interface HeatmapRow {
  alerts: number;
  cells: number[];
  counts: number[];
}

/** Where in pictures alerts were raised, camera by camera; null if the database did not count in time. */
export const alertHeatmaps = defineLoader<AlertHeatmap | null, AlertHeatmapRequest>(
  async (context, cameraIds, request) => {
    const heatmaps = new Map<string, AlertHeatmap | null>();
    for (const cameraId of cameraIds) heatmaps.set(cameraId, await heatmapOf(context, cameraId, request));
    return heatmaps;
  },
  () => null,
  ({ filter, columns, rows }) => `${columns} ${rows} ${filterKey(filter)}`,
);

async function heatmapOf(
  context: ReadingContext,
  cameraId: string,
  request: AlertHeatmapRequest,
): Promise<AlertHeatmap | null> {
  const [row] = await context.visible
    .query<HeatmapRow>((sources) => heatmapStatement(sources, cameraId, request))
    .catch((error: unknown) => (isStatementTimeout(error) ? [] : Promise.reject(error)));
  if (!row) return null;
  const { columns, rows } = request;
  const counts = new Array<number>(columns * rows).fill(0);
  for (const [index, cell] of row.cells.entries()) counts[cell] = row.counts[index] ?? 0;
  return { columns, rows, counts, alerts: row.alerts };
}

/** Coordinates refer to the canvas, or else the picture. Alerts with neither are left out: their scale is unknown. */
function heatmapStatement(
  sources: VisibleSources,
  cameraId: string,
  { filter, columns, rows }: AlertHeatmapRequest,
): Prisma.Sql {
  const alerts = alertsInLocalTime(sources, filter, newestFirst.forwards);
  const conditions = Prisma.join(
    [Prisma.sql`item."cameraId" = ${cameraId}::uuid`, ...conditionsOf(filter)],
    " AND ",
  );
  // The right and the lower edge belong to the last cells.
  const cellOf = (coordinate: "x" | "y", size: "width" | "height", cells: number) =>
    Prisma.sql`least(floor(${numberIn("point", coordinate)} / alert.${identifier(size)} * ${cells}::int), ${cells - 1}::int)::int`;
  const isInside = (coordinate: "x" | "y", size: "width" | "height") =>
    Prisma.sql`${numberIn("point", coordinate)} BETWEEN 0 AND alert.${identifier(size)}`;
  return Prisma.sql`
    WITH located AS MATERIALIZED (
      SELECT ARRAY(
        SELECT ${cellOf("y", "height", rows)} * ${columns}::int + ${cellOf("x", "width", columns)}
        FROM jsonb_array_elements(alert."violatingCoordinates") AS point
        WHERE ${isInside("x", "width")} AND ${isInside("y", "height")}
      ) AS "cells"
      FROM (
        SELECT newest."violatingCoordinates", ${numberIn('newest."canvas"', "width")} AS "width", ${numberIn('newest."canvas"', "height")} AS "height"
        FROM (
          ${alerts.clause}SELECT item."violatingCoordinates", coalesce(nullif(item."canvasDimensions", 'null'), item."imageDimensions") AS "canvas"
          FROM ${alerts.rows} AS item
          WHERE ${conditions}
          ORDER BY ${newestFirst.forwards} LIMIT ${heatmapAlerts}
        ) AS newest
        OFFSET 0
      ) AS alert
      WHERE alert."width" > 0 AND alert."height" > 0 AND jsonb_typeof(alert."violatingCoordinates") = 'array'
    ), cell AS (
      SELECT each."cell", count(*)::int AS "count" FROM located CROSS JOIN unnest(located."cells") AS each("cell") GROUP BY 1
    )
    SELECT (SELECT count(*) FILTER (WHERE located."cells" <> '{}') FROM located)::int AS "alerts",
      coalesce(array_agg(cell."cell"), '{}') AS "cells", coalesce(array_agg(cell."count"), '{}') AS "counts" FROM cell`;
}

/** A member of a JSON object if it is a number: the database stores what detectors sent, unchanged. */
function numberIn(object: string, member: string): Prisma.Sql {
  const value = Prisma.raw(`${object}->'${member}'`);
  return Prisma.sql`(CASE WHEN jsonb_typeof(${value}) = 'number' THEN (${value})::float8 END)`;
}
