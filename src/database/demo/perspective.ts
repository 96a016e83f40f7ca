/** The size of every camera picture in pixels. */
export const pictureSize = { width: 1280, height: 720 };

/** A point of the picture, in pixels. */
export interface Point {
  x: number;
  y: number;
}

/** The edges of something in the picture, in pixels. */
export interface Extent {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** A point of the world in metres: right, ahead and up from below the camera. */
export type Vector = readonly [right: number, ahead: number, up: number];

/** How the camera is mounted: height in metres, angles in radians, focal length in pixels. */
export interface View {
  height: number;
  pitch: number;
  yaw: number;
  focal: number;
  mirrored: boolean;
}

/** Nothing nearer to the lens than this is drawn, in metres. */
export const nearest = 0.3;

export const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const minus = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const cross = (a: Vector, b: Vector): Vector => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

/** The point at that share of the way from `a` to `b`. */
export const between = (a: Vector, b: Vector, share: number): Vector => [
  a[0] + (b[0] - a[0]) * share,
  a[1] + (b[1] - a[1]) * share,
  a[2] + (b[2] - a[2]) * share,
];

/** A point given relative to a place and the heading of what stands there. */
export function locate(at: Vector, heading: number, along: number, left: number, up = 0): Vector {
  const cos = Math.cos(heading);
  const sin = Math.sin(heading);
  return [at[0] + along * cos - left * sin, at[1] + along * sin + left * cos, at[2] + up];
}

/** A circle that lies flat. */
export const ring = (centre: Vector, radius: number, corners: number): Vector[] =>
  Array.from({ length: corners }, (_, index) => locate(centre, (index / corners) * 2 * Math.PI, radius, 0));

/** The edges of a set of points. */
export const extentOf = (points: readonly Point[]): Extent => ({
  left: Math.min(...points.map(({ x }) => x)),
  top: Math.min(...points.map(({ y }) => y)),
  right: Math.max(...points.map(({ x }) => x)),
  bottom: Math.max(...points.map(({ y }) => y)),
});

/** The smallest convex polygon around all points. */
export function hull(points: readonly Point[]): Point[] {
  const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  const turn = (a: Point, b: Point, c: Point): number => (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  const half = (ordered: readonly Point[]): Point[] => {
    const kept: Point[] = [];
    for (const point of ordered) {
      while (kept.length > 1 && turn(kept.at(-2) as Point, kept.at(-1) as Point, point) <= 0) kept.pop();
      kept.push(point);
    }
    return kept.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

/** A pinhole camera: everything drawn goes through it, so that all scales agree. */
export class Camera {
  readonly position: Vector;
  readonly #forward: Vector;
  readonly #up: Vector;
  readonly #right: Vector;

  constructor(readonly view: View) {
    const { pitch, yaw, height } = view;
    const side = view.mirrored ? -1 : 1;
    this.position = [0, 0, height];
    this.#forward = [Math.sin(yaw) * Math.cos(pitch), Math.cos(yaw) * Math.cos(pitch), -Math.sin(pitch)];
    this.#up = [Math.sin(yaw) * Math.sin(pitch), Math.cos(yaw) * Math.sin(pitch), Math.cos(pitch)];
    this.#right = [Math.cos(yaw) * side, -Math.sin(yaw) * side, 0];
  }

  /** How far ahead of the lens a point lies. */
  depth(point: Vector): number {
    return dot(minus(point, this.position), this.#forward);
  }

  /** How many pixels a metre takes there. */
  scale(point: Vector): number {
    return this.view.focal / Math.max(this.depth(point), nearest);
  }

  /** Where a point of the world appears in the picture. */
  project(point: Vector): Point {
    const offset = minus(point, this.position);
    const scale = this.scale(point);
    return { x: pictureSize.width / 2 + dot(offset, this.#right) * scale, y: pictureSize.height / 2 - dot(offset, this.#up) * scale };
  }

  /** The floor point that appears at a point of the picture below the horizon. */
  floorAt(point: Point): Vector {
    const x = (point.x - pictureSize.width / 2) / this.view.focal;
    const y = (pictureSize.height / 2 - point.y) / this.view.focal;
    const ray = (axis: 0 | 1 | 2): number => this.#forward[axis] + this.#right[axis] * x + this.#up[axis] * y;
    const distance = this.view.height / Math.max(-ray(2), 0.01);
    return [ray(0) * distance, ray(1) * distance, 0];
  }

  /** The part of a polygon that lies before the lens. */
  clip(points: readonly Vector[]): Vector[] {
    return points.flatMap((point, index) => {
      const following = points[(index + 1) % points.length] as Vector;
      const here = this.depth(point) - nearest;
      const there = this.depth(following) - nearest;
      const kept = here >= 0 ? [point] : [];
      return here >= 0 === there >= 0 ? kept : [...kept, between(point, following, here / (here - there))];
    });
  }
}
