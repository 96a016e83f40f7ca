import type { Point } from "../areas.js";

/** Whether a point is inside a polygon by the even-odd rule; its border is inside. */
export function isInside(polygon: readonly Point[], { x, y }: Point): boolean {
  let isOdd = false;
  let start = polygon.at(-1);
  for (const end of polygon) {
    if (!start) return false;
    const turn = (end.x - start.x) * (y - start.y) - (end.y - start.y) * (x - start.x);
    const isBeside =
      x >= Math.min(start.x, end.x) &&
      x <= Math.max(start.x, end.x) &&
      y >= Math.min(start.y, end.y) &&
      y <= Math.max(start.y, end.y);
    if (turn === 0 && isBeside) return true;
    // The edge crosses the ray to the right of the point.
    if (start.y > y !== end.y > y && turn > 0 === end.y > start.y) isOdd = !isOdd;
    start = end;
  }
  return isOdd;
}
