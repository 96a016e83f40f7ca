import type { Point } from "../../platform/geometry.js";

/** The size of all camera pictures, in pixels. */
export const pictureSize = { width: 1280, height: 720 };

/** A bounding box in the picture, in pixels. */
export interface Bounds {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** A point in space, in meters from the floor below the camera. */
export type Vector = readonly [right: number, ahead: number, up: number];

/**
 * The mounting of a camera: height in meters, angles in radians, focal length in pixels.
 */
export interface CameraPose {
  height: number;
  pitch: number;
  yaw: number;
  focalLength: number;
  mirrored: boolean;
}

/** Distance of the near clipping plane, in meters. */
export const nearPlane = 0.3;

export const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const subtract = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** Linear interpolation between `a` and `b`. */
export const interpolate = (a: Vector, b: Vector, fraction: number): Vector => [
  a[0] + (b[0] - a[0]) * fraction,
  a[1] + (b[1] - a[1]) * fraction,
  a[2] + (b[2] - a[2]) * fraction,
];

/** The point at the given offsets from `at`, relative to `heading`. */
export function offsetFrom(at: Vector, heading: number, along: number, left: number, up = 0): Vector {
  const cos = Math.cos(heading);
  const sin = Math.sin(heading);
  return [at[0] + along * cos - left * sin, at[1] + along * sin + left * cos, at[2] + up];
}

/** A horizontal circle, as a polygon. */
export const horizontalCircle = (center: Vector, radius: number, corners: number): Vector[] =>
  Array.from({ length: corners }, (_, index) =>
    offsetFrom(center, (index / corners) * 2 * Math.PI, radius, 0),
  );

/** The bounding box of a set of points. */
export const boundsOf = (points: readonly Point[]): Bounds => ({
  left: Math.min(...points.map(({ x }) => x)),
  top: Math.min(...points.map(({ y }) => y)),
  right: Math.max(...points.map(({ x }) => x)),
  bottom: Math.max(...points.map(({ y }) => y)),
});

/** The smallest convex polygon around all points. */
export function convexHull(points: readonly Point[]): Point[] {
  const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  const turn = (a: Point, b: Point, c: Point): number =>
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
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

/**
 * A pinhole camera. Every drawing is projected through the camera, so all scales are
 * consistent.
 */
export class PinholeCamera {
  readonly position: Vector;
  readonly #forward: Vector;
  readonly #up: Vector;
  readonly #right: Vector;

  constructor(readonly pose: CameraPose) {
    const { pitch, yaw, height } = pose;
    const side = pose.mirrored ? -1 : 1;
    this.position = [0, 0, height];
    this.#forward = [Math.sin(yaw) * Math.cos(pitch), Math.cos(yaw) * Math.cos(pitch), -Math.sin(pitch)];
    this.#up = [Math.sin(yaw) * Math.sin(pitch), Math.cos(yaw) * Math.sin(pitch), Math.cos(pitch)];
    this.#right = [Math.cos(yaw) * side, -Math.sin(yaw) * side, 0];
  }

  /** Distance of a point along the viewing direction. */
  depth(point: Vector): number {
    return dot(subtract(point, this.position), this.#forward);
  }

  /** The scale at a point. */
  pixelsPerMeter(point: Vector): number {
    return this.pose.focalLength / Math.max(this.depth(point), nearPlane);
  }

  /** Projects a point in space to the picture. */
  project(point: Vector): Point {
    const offset = subtract(point, this.position);
    const pixelsPerMeter = this.pixelsPerMeter(point);
    return {
      x: pictureSize.width / 2 + dot(offset, this.#right) * pixelsPerMeter,
      y: pictureSize.height / 2 - dot(offset, this.#up) * pixelsPerMeter,
    };
  }

  /** The floor point shown at a point in the picture below the horizon. */
  unprojectToFloor(point: Point): Vector {
    const x = (point.x - pictureSize.width / 2) / this.pose.focalLength;
    const y = (pictureSize.height / 2 - point.y) / this.pose.focalLength;
    const ray = (axis: 0 | 1 | 2): number => this.#forward[axis] + this.#right[axis] * x + this.#up[axis] * y;
    const distance = this.pose.height / Math.max(-ray(2), 0.01);
    return [ray(0) * distance, ray(1) * distance, 0];
  }

  /** Clips a polygon at the near plane. */
  clip(points: readonly Vector[]): Vector[] {
    return points.flatMap((point, index) => {
      const following = points[(index + 1) % points.length] as Vector;
      const here = this.depth(point) - nearPlane;
      const there = this.depth(following) - nearPlane;
      const kept = here >= 0 ? [point] : [];
      return here >= 0 === there >= 0
        ? kept
        : [...kept, interpolate(point, following, here / (here - there))];
    });
  }
}
