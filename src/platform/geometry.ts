/** A point in a picture, in pixels from its top left corner. */
export type Point = {
  x: number;
  y: number;
};

/** The size of a picture in pixels. */
export interface Size {
  width: number;
  height: number;
}

interface Polygon {
  points: readonly Point[];
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export function polygonOf(points: readonly Point[]): Polygon {
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  return {
    points,
    left: Math.min(...xs),
    right: Math.max(...xs),
    top: Math.min(...ys),
    bottom: Math.max(...ys),
  };
}

/** Whether a point is in a polygon or on its border. Where the outline crosses itself, the even-odd rule decides. */
export function contains({ points, left, right, top, bottom }: Polygon, x: number, y: number): boolean {
  let from = points.at(-1);
  if (!from || x < left || x > right || y < top || y > bottom) return false;
  let isInside = false;
  for (const to of points) {
    // The sign tells on which side of the edge the point is.
    const side = (to.x - from.x) * (y - from.y) - (to.y - from.y) * (x - from.x);
    if (side === 0 && isBetween(from.x, x, to.x) && isBetween(from.y, y, to.y)) return true;
    // Whether the edge crosses the ray from the point to the right.
    if (from.y > y !== to.y > y && side > 0 === to.y > from.y) isInside = !isInside;
    from = to;
  }
  return isInside;
}

const isBetween = (one: number, value: number, other: number) =>
  one < other ? one <= value && value <= other : other <= value && value <= one;
