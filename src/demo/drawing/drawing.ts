import type { Point } from "../../platform/geometry.js";
import {
  type Bounds,
  boundsOf,
  convexHull,
  cross,
  dot,
  horizontalCircle,
  interpolate,
  nearPlane,
  offsetFrom,
  type PinholeCamera,
  pictureSize,
  subtract,
  type Vector,
} from "./perspective.js";

type Side = "right" | "front" | "left" | "rear" | "top";

/**
 * A rectangle painted on one or two sides of a block ("flanks": left and right, "ends":
 * front and rear). Coordinates are fractions of the side's width and height. On the
 * flanks, they run from rear to front. A bright detail is not shaded.
 */
export type Detail = readonly [
  on: Side | "flanks" | "ends",
  left: number,
  bottom: number,
  right: number,
  top: number,
  color: string,
  brightness?: "bright",
];

/** A box. With heading 0, its right side faces the camera. */
export interface Block {
  /** The center of the base. */
  at: Vector;
  /** Length, width and height in meters. */
  size: Vector;
  heading?: number;
  color: string;
  /**
   * The inset of the top from the base at the front, at the rear and on both sides, in
   * meters.
   */
  taper?: readonly [front: number, rear: number, side: number];
  details?: readonly Detail[];
}

const sideNames: readonly Side[] = ["right", "front", "left", "rear"];
const sidePairs: Partial<Record<Side, Detail[0]>> = {
  right: "flanks",
  left: "flanks",
  front: "ends",
  rear: "ends",
};
const light: Vector = [-0.35, -0.5, 0.79];

// Gradients over the shapes, so that surfaces do not look flat. Their coordinates are
// relative to the covered shape.
const gradientStop = (offset: number, color: string, opacity: number): string =>
  `<stop offset="${offset}" stop-color="${color}" stop-opacity="${opacity}"/>`;
const gradients = `<defs>
<linearGradient id="down" x2="0" y2="1">${gradientStop(0, "#fff", 0.07)}${gradientStop(0.5, "#000", 0)}${gradientStop(1, "#000", 0.3)}</linearGradient>
<linearGradient id="across">${gradientStop(0, "#fff", 0.08)}${gradientStop(1, "#000", 0.12)}</linearGradient>
<linearGradient id="round">${gradientStop(0, "#000", 0.4)}${gradientStop(0.3, "#fff", 0.18)}${gradientStop(0.6, "#000", 0.08)}${gradientStop(1, "#000", 0.55)}</linearGradient>
</defs>`;

/** Makes a "#rrggbb" color darker (factor below 1) or lighter. */
export const shade = (color: string, factor: number): string =>
  color.replace(/[0-9a-f]{2}/gi, (channel) =>
    Math.min(255, Math.round(Number.parseInt(channel, 16) * factor))
      .toString(16)
      .padStart(2, "0"),
  );

/** Formats points for the SVG `points` attribute. */
export const svgPoints = (points: readonly Point[]): string =>
  points.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");

/** Evenly spaced numbers from `from` to `to`, both inclusive. */
export const range = (from: number, to: number, step: number): number[] =>
  Array.from(
    { length: Math.max(0, Math.floor((to - from) / step + 1e-6) + 1) },
    (_, index) => from + index * step,
  );

function cornersOf({ at, size: [length, width, height], heading = 0, taper = [0, 0, 0] }: Block): {
  base: Vector[];
  top: Vector[];
} {
  const corners = (back: number, ahead: number, half: number, up: number): Vector[] => [
    offsetFrom(at, heading, back, -half, up),
    offsetFrom(at, heading, ahead, -half, up),
    offsetFrom(at, heading, ahead, half, up),
    offsetFrom(at, heading, back, half, up),
  ];
  const [front, rear, side] = taper;
  return {
    base: corners(-length / 2, length / 2, width / 2, 0),
    top: corners(-length / 2 + rear, length / 2 - front, width / 2 - side, height),
  };
}

/**
 * Skips shapes outside the picture or smaller than a pixel. A rack has thousands of them.
 */
const isDrawable = ({ left, top, right, bottom }: Bounds): boolean =>
  right > 0 &&
  left < pictureSize.width &&
  bottom > 0 &&
  top < pictureSize.height &&
  (right - left) * (bottom - top) > 2;

/**
 * An SVG drawing in layers: background, floor markings, shadows, and objects from back to
 * front.
 */
export class Drawing {
  /** The bounds of everything drawn, without shadows. */
  readonly bounds: Bounds = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  readonly #background: string[] = [];
  readonly #floor: string[] = [];
  readonly #shadows: string[] = [];
  readonly #objects: { distance: number; markup: string }[] = [];

  /** `sun` is the offset of a shadow per meter of height. */
  constructor(
    readonly camera: PinholeCamera,
    readonly sun: readonly [right: number, ahead: number],
  ) {}

  addBackground(...markup: string[]): void {
    this.#background.push(...markup);
  }

  /** Paints a polygon on the floor. */
  paintFloor(points: readonly Vector[], color: string, opacity = 1): void {
    this.#floor.push(this.renderPolygon(points, color, opacity));
  }

  /**
   * Adds rendered parts as one object at `at`, drawn in front of objects farther away.
   */
  addObject(at: Vector, ...parts: string[]): void {
    // Sort by distance, not depth: of two trucks side by side, the outer one would cover
    // the inner one.
    this.#objects.push({ distance: Math.hypot(at[0], at[1]), markup: parts.join("") });
  }

  /** Renders a polygon in space; `overlay` is the id of a gradient drawn on top of it. */
  renderPolygon(points: readonly Vector[], color: string, opacity = 1, overlay?: string): string {
    const clipped = this.camera.clip(points);
    if (clipped.length < 3) return "";
    const projected = clipped.map((point) => this.camera.project(point));
    const bounds = this.#growBounds(projected);
    if (!isDrawable(bounds)) return "";
    const path = svgPoints(projected);
    const polygon = `<polygon points="${path}" fill="${color}"${opacity < 1 ? ` fill-opacity="${opacity.toFixed(2)}"` : ""}/>`;
    return overlay === undefined ? polygon : `${polygon}<polygon points="${path}" fill="url(#${overlay})"/>`;
  }

  /** Renders the visible sides of a block. */
  renderBlock(block: Block): string {
    const { base, top } = cornersOf(block);
    const sides = sideNames.map((name, index): [Side, Vector[]] => {
      const following = (index + 1) % 4;
      return [name, [base[index], base[following], top[following], top[index]] as Vector[]];
    });
    return [...sides, ["top", top] as const]
      .map(([name, corners]) => this.#renderSide(block, name, corners))
      .join("");
  }

  /** Adds a block together with its shadow. */
  addBlock(block: Block): void {
    this.addShadow(block);
    this.addObject(block.at, this.renderBlock(block));
  }

  /** Adds the shadow of a block, as if the block extended down to the floor. */
  addShadow(block: Block): void {
    const { base, top } = cornersOf(block);
    this.#castShadow([...base.map(([right, ahead]): Vector => [right, ahead, 0]), ...top]);
  }

  /** Adds a vertical cylinder or, with a different `topRadius`, a truncated cone. */
  addCylinder(at: Vector, radius: number, height: number, color: string, topRadius = radius): void {
    const base = horizontalCircle(at, radius, 28);
    const top = horizontalCircle([at[0], at[1], at[2] + height], topRadius, 28);
    this.#castShadow([...base, ...top]);
    const outline = svgPoints(convexHull([...base, ...top].map((point) => this.camera.project(point))));
    const rounded = `<polygon points="${outline}" fill="${color}"/><polygon points="${outline}" fill="url(#round)"/>`;
    this.addObject(at, rounded, this.renderPolygon(top, shade(color, 1.12)));
  }

  /**
   * Renders markup given in meters as a vertical plane at `foot` that faces the camera.
   */
  renderBillboard(foot: Vector, height: number, halfWidth: number, markup: string): string {
    const { x, y } = this.camera.project(foot);
    const head = this.camera.project([foot[0], foot[1], foot[2] + height]);
    const scale = this.camera.pixelsPerMeter(foot);
    const halfWidthPixels = halfWidth * scale;
    this.#growBounds([head, { x: x - halfWidthPixels, y: y + 0.03 * scale }, { x: x + halfWidthPixels, y }]);
    const matrix = [scale, 0, (head.x - x) / height, (head.y - y) / height, x, y];
    return `<g transform="matrix(${matrix.map((value) => value.toFixed(3)).join(" ")})">${markup}</g>`;
  }

  /** The content of the SVG element. */
  toString(): string {
    const objects = this.#objects.sort((a, b) => b.distance - a.distance).map(({ markup }) => markup);
    // Use a wide, faint stroke instead of a blur, which would take as long as everything
    // else together.
    const shadows = `<g fill="#0c0e12" stroke="#0c0e12" stroke-width="6" stroke-opacity=".4" stroke-linejoin="round" opacity=".42">${this.#shadows.join("")}</g>`;
    return [gradients, ...this.#background, ...this.#floor, shadows, ...objects].join("\n");
  }

  #renderSide({ color, details = [] }: Block, name: Side, corners: readonly Vector[]): string {
    const [a, b, c, d] = corners as [Vector, Vector, Vector, Vector];
    const normal = cross(subtract(b, a), subtract(d, a));
    const size = Math.hypot(...normal);
    if (size === 0 || dot(normal, subtract(this.camera.position, a)) <= 0) return "";
    const brightness = 0.6 + 0.5 * Math.max(0, dot(normal, light) / size);
    const overlay = name === "top" ? "across" : "down";
    const faces = [
      this.renderPolygon(corners, shade(color, brightness), 1, size > 0.25 ? overlay : undefined),
    ];
    for (const [on, left, bottom, right, top, paint, bright] of details) {
      if (on !== name && on !== sidePairs[name]) continue;
      const [from, to] = on === "flanks" && name === "left" ? [1 - right, 1 - left] : [left, right];
      const at = (u: number, v: number): Vector => interpolate(interpolate(a, b, u), interpolate(d, c, u), v);
      faces.push(
        this.renderPolygon(
          [at(from, bottom), at(to, bottom), at(to, top), at(from, top)],
          bright ? paint : shade(paint, brightness),
        ),
      );
    }
    return faces.join("");
  }

  #growBounds(points: readonly Point[]): Bounds {
    const { left, top, right, bottom } = boundsOf(points);
    this.bounds.left = Math.min(this.bounds.left, left);
    this.bounds.top = Math.min(this.bounds.top, top);
    this.bounds.right = Math.max(this.bounds.right, right);
    this.bounds.bottom = Math.max(this.bounds.bottom, bottom);
    return { left, top, right, bottom };
  }

  #castShadow(points: readonly Vector[]): void {
    const projected = points.map(
      ([right, ahead, up]): Vector => [right + up * this.sun[0], ahead + up * this.sun[1], 0],
    );
    if (projected.some((point) => this.camera.depth(point) < nearPlane)) return;
    this.#shadows.push(
      `<polygon points="${svgPoints(convexHull(projected.map((point) => this.camera.project(point))))}"/>`,
    );
  }
}
