import type { Point, Size } from "../../platform/geometry.js";
import { memberIn } from "../../platform/record.js";

/** The size in a JSON column; null if there is none. */
export function sizeIn(stored: unknown): Size | null {
  const [width, height] = [memberIn(stored, "width"), memberIn(stored, "height")];
  return typeof width === "number" && typeof height === "number" ? { width, height } : null;
}

/** The points in a JSON column; null if there are none. */
export function pointsIn(stored: unknown): Point[] | null {
  if (!Array.isArray(stored)) return null;
  return stored.flatMap((point) => {
    const [x, y] = [memberIn(point, "x"), memberIn(point, "y")];
    return typeof x === "number" && typeof y === "number" ? [{ x, y }] : [];
  });
}
