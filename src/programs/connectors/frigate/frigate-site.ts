import { z } from "zod";
import type { Size } from "../../../platform/geometry.js";

interface RelativePoint {
  x: number;
  y: number;
}

/** What Frigate's configuration says of a camera. */
export interface FrigateCamera {
  /** The size of the stream in which objects are detected. */
  detect: Size;
  zones: ReadonlyMap<string, FrigateZone>;
  /** The labels that make a review an alert, in the order of the configuration. */
  alertLabels: readonly string[];
}

interface FrigateZone {
  /** What people call the zone; null if that is its name. */
  friendlyName: string | null;
  /** Empty if the polygon cannot be read. */
  polygon: readonly RelativePoint[];
}

const pixels = z.number().int().positive().max(100_000);
const zone = z.object({
  friendly_name: z.string().nullish().catch(null),
  coordinates: z.union([z.string(), z.array(z.string())]).catch(""),
});
const camera = z.object({
  detect: z.object({ width: pixels, height: pixels }),
  zones: z.record(z.string(), zone).catch({}),
  review: z.object({ alerts: z.object({ labels: z.array(z.string()) }) }).catch({ alerts: { labels: [] } }),
});
const site = z.object({ cameras: z.record(z.string(), z.unknown()) });

/**
 * The cameras of a response to `/api/config`, by name; null if it is none. Cameras whose size is not known
 * are left out.
 */
export function camerasOfConfig(response: unknown): Map<string, FrigateCamera> | null {
  const { data } = site.safeParse(response);
  if (!data) return null;
  return new Map(
    Object.entries(data.cameras).flatMap(([name, value]) => {
      const found = camera.safeParse(value).data;
      return found ? [[name, cameraOf(found)] as const] : [];
    }),
  );
}

const cameraOf = ({ detect, zones, review }: z.infer<typeof camera>): FrigateCamera => ({
  detect,
  alertLabels: review.alerts.labels,
  zones: new Map(
    Object.entries(zones).map(([name, { friendly_name, coordinates }]) => [
      name,
      { friendlyName: friendly_name ?? null, polygon: polygonOf(coordinates, detect) },
    ]),
  ),
});

/** The maximum of an alert's area. */
const maxPoints = 1000;

/** Coordinates are shares of the frame, or, in old configurations, its pixels. */
function polygonOf(
  coordinates: string | readonly string[],
  { width, height }: FrigateCamera["detect"],
): RelativePoint[] {
  const numbers = [coordinates].flat().join(",").split(",").map(Number);
  const isPolygon = numbers.length >= 6 && numbers.length % 2 === 0 && numbers.every(Number.isFinite);
  if (!isPolygon || numbers.length > 2 * maxPoints) return [];
  const [xs, ys] = numbers.some((number) => number > 1) ? [width, height] : [1, 1];
  return Array.from({ length: numbers.length / 2 }, (_, index) => ({
    x: (numbers[2 * index] ?? 0) / xs,
    y: (numbers[2 * index + 1] ?? 0) / ys,
  }));
}
