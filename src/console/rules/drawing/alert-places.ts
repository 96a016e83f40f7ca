import { useMemo, useState } from "react";
import { useQuery } from "urql";
import { AlertPlacesDocument, type AlertPlacesQuery } from "../../../generated/console.js";
import type { Point, Size } from "../../../platform/geometry.js";
import { serverTime } from "../../data/server-time.js";

/** The maximum number of alerts whose places are read, the newest. */
const mostAlerts = 1000;
const week = 7 * 24 * 3600 * 1000;

export interface AlertPlaces {
  alerts: readonly (readonly Point[])[];
  /** The number of alerts in these days; more than were read if it is too large. */
  total: number;
}

export function useAlertPlaces(camera: string, size: Size, isDrawing: boolean): AlertPlaces | undefined {
  const [period] = useState(() => {
    const end = serverTime();
    return { start: new Date(end - week).toISOString(), end: new Date(end).toISOString() };
  });
  const [{ data }] = useQuery({
    query: AlertPlacesDocument,
    variables: { camera, period, first: mostAlerts },
    pause: !isDrawing,
  });
  const { width, height } = size;
  return useMemo(
    () => (data?.camera ? placesOf(data.camera.alerts, { width, height }) : undefined),
    [data, width, height],
  );
}

type Alerts = NonNullable<AlertPlacesQuery["camera"]>["alerts"];

const placesOf = ({ nodes, totalCount }: Alerts, size: Size): AlertPlaces => ({
  total: totalCount,
  alerts: nodes.map(({ violatingCoordinates, canvasDimensions, imageDimensions }) => {
    const canvas = canvasDimensions ?? imageDimensions ?? size;
    return (violatingCoordinates ?? []).map(({ x, y }) => ({
      x: (x * size.width) / canvas.width,
      y: (y * size.height) / canvas.height,
    }));
  }),
});
