import { useMemo, useState } from "react";
import { useQuery } from "urql";
import { AlertPointsDocument, type AlertPointsQuery } from "../../../generated/console.js";
import type { Point, Size } from "../../../platform/geometry.js";
import { serverTime } from "../../data/server-time.js";

/** The maximum number of alerts whose points are read, the newest. */
const mostAlerts = 1000;
const week = 7 * 24 * 3600 * 1000;

/** Where the alerts of the last seven days had their points, in pixels of the picture. */
export interface AlertPoints {
  alerts: readonly (readonly Point[])[];
  /** The number of alerts in these days; more than were read if it is too large. */
  total: number;
}

/** Reads, once, the points of a camera's alerts of the last seven days when drawing begins; undefined before. */
export function useAlertPoints(camera: string, size: Size, isDrawing: boolean): AlertPoints | undefined {
  const [period] = useState(() => {
    const end = serverTime();
    return { start: new Date(end - week).toISOString(), end: new Date(end).toISOString() };
  });
  const [{ data }] = useQuery({
    query: AlertPointsDocument,
    variables: { camera, period, first: mostAlerts },
    pause: !isDrawing,
  });
  const { width, height } = size;
  return useMemo(
    () => (data?.camera ? pointsOf(data.camera.alerts, { width, height }) : undefined),
    [data, width, height],
  );
}

type Alerts = NonNullable<AlertPointsQuery["camera"]>["alerts"];

const pointsOf = ({ nodes, totalCount }: Alerts, size: Size): AlertPoints => ({
  total: totalCount,
  alerts: nodes.map(({ violatingCoordinates, canvasDimensions, imageDimensions }) => {
    const canvas = canvasDimensions ?? imageDimensions ?? size;
    return (violatingCoordinates ?? []).map(({ x, y }) => ({
      x: (x * size.width) / canvas.width,
      y: (y * size.height) / canvas.height,
    }));
  }),
});
