import {
  between,
  type Camera,
  cross,
  dot,
  type Extent,
  extentOf,
  hull,
  locate,
  minus,
  nearest,
  type Point,
  pictureSize,
  ring,
  type Vector,
} from "../perspective.js";

type Side = "right" | "front" | "left" | "rear" | "top";

/**
 * A rectangle painted on a side of a block, in shares of its width and height. On the flanks, widths count from rear
 * to front. What is bright keeps its colour on a side that lies in the shade.
 */
export type Detail = readonly [
  on: Side | "flanks" | "ends",
  left: number,
  bottom: number,
  right: number,
  top: number,
  colour: string,
  brightness?: "bright",
];

/** A box standing anywhere; with heading 0 its right side looks towards the camera. */
export interface Block {
  /** The centre of its base. */
  at: Vector;
  /** Length, width and height in metres. */
  size: Vector;
  heading?: number;
  colour: string;
  /** How much shorter the top is than the base: in front, behind and on both sides. */
  taper?: readonly [front: number, rear: number, side: number];
  details?: readonly Detail[];
}

const sideNames: readonly Side[] = ["right", "front", "left", "rear"];
const pairs: Partial<Record<Side, Detail[0]>> = { right: "flanks", left: "flanks", front: "ends", rear: "ends" };
const light: Vector = [-0.35, -0.5, 0.79];

// Gradients relative to whatever they are laid over, so that nothing looks flat.
const stop = (offset: number, colour: string, opacity: number): string =>
  `<stop offset="${offset}" stop-color="${colour}" stop-opacity="${opacity}"/>`;
const gradients = `<defs>
<linearGradient id="down" x2="0" y2="1">${stop(0, "#fff", 0.07)}${stop(0.5, "#000", 0)}${stop(1, "#000", 0.3)}</linearGradient>
<linearGradient id="across">${stop(0, "#fff", 0.08)}${stop(1, "#000", 0.12)}</linearGradient>
<linearGradient id="round">${stop(0, "#000", 0.4)}${stop(0.3, "#fff", 0.18)}${stop(0.6, "#000", 0.08)}${stop(1, "#000", 0.55)}</linearGradient>
</defs>`;

/** A "#rrggbb" colour made darker (factor below 1) or lighter. */
export const shade = (colour: string, factor: number): string =>
  colour.replace(/[0-9a-f]{2}/gi, (channel) =>
    Math.min(255, Math.round(Number.parseInt(channel, 16) * factor))
      .toString(16)
      .padStart(2, "0"),
  );

/** Points as SVG wants them. */
export const pathOf = (points: readonly Point[]): string => points.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");

/** Evenly spaced numbers, the last one included. */
export const steps = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.max(0, Math.floor((to - from) / step + 1e-6) + 1) }, (_, index) => from + index * step);

function cornersOf({ at, size: [length, width, height], heading = 0, taper = [0, 0, 0] }: Block): { base: Vector[]; top: Vector[] } {
  const corners = (back: number, ahead: number, half: number, up: number): Vector[] => [
    locate(at, heading, back, -half, up),
    locate(at, heading, ahead, -half, up),
    locate(at, heading, ahead, half, up),
    locate(at, heading, back, half, up),
  ];
  const [front, rear, side] = taper;
  return {
    base: corners(-length / 2, length / 2, width / 2, 0),
    top: corners(-length / 2 + rear, length / 2 - front, width / 2 - side, height),
  };
}

/** False for what lies outside the picture or is smaller than a pixel: a rack has thousands of those. */
const isWorthDrawing = ({ left, top, right, bottom }: Extent): boolean =>
  right > 0 && left < pictureSize.width && bottom > 0 && top < pictureSize.height && (right - left) * (bottom - top) > 2;

/** A drawing in layers: backdrop, floor paint, shadows, and what stands there from back to front. */
export class Drawing {
  /** The edges of all that stands in the drawing, shadows not counted. */
  readonly extent: Extent = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  readonly #backdrop: string[] = [];
  readonly #floor: string[] = [];
  readonly #shadows: string[] = [];
  readonly #standing: { distance: number; markup: string }[] = [];

  /** The sun says how far a shadow falls per metre of height. */
  constructor(
    readonly camera: Camera,
    readonly sun: readonly [right: number, ahead: number],
  ) {}

  backdrop(...markup: string[]): void {
    this.#backdrop.push(...markup);
  }

  /** Paints a polygon on the floor. */
  paint(points: readonly Vector[], colour: string, opacity = 1): void {
    this.#floor.push(this.face(points, colour, opacity));
  }

  /** Puts finished parts where `at` says, in front of what is farther away. */
  stand(at: Vector, ...parts: string[]): void {
    // By distance rather than depth, or of two lorries side by side the outer one would cover the inner one.
    this.#standing.push({ distance: Math.hypot(at[0], at[1]), markup: parts.join("") });
  }

  /** A polygon anywhere in the world; `overlay` names a gradient laid over it. */
  face(points: readonly Vector[], colour: string, opacity = 1, overlay?: string): string {
    const clipped = this.camera.clip(points);
    if (clipped.length < 3) return "";
    const projected = clipped.map((point) => this.camera.project(point));
    const extent = this.#extend(projected);
    if (!isWorthDrawing(extent)) return "";
    const path = pathOf(projected);
    const polygon = `<polygon points="${path}" fill="${colour}"${opacity < 1 ? ` fill-opacity="${opacity.toFixed(2)}"` : ""}/>`;
    return overlay === undefined ? polygon : `${polygon}<polygon points="${path}" fill="url(#${overlay})"/>`;
  }

  /** The sides of a block that can be seen. */
  block(block: Block): string {
    const { base, top } = cornersOf(block);
    const sides = sideNames.map((name, index): [Side, Vector[]] => {
      const following = (index + 1) % 4;
      return [name, [base[index], base[following], top[following], top[index]] as Vector[]];
    });
    return [...sides, ["top", top] as const].map(([name, corners]) => this.#side(block, name, corners)).join("");
  }

  /** Puts a block where it belongs, with its shadow. */
  place(block: Block): void {
    this.shadow(block);
    this.stand(block.at, this.block(block));
  }

  /** The shadow of a block on the floor, as if it reached down there. */
  shadow(block: Block): void {
    const { base, top } = cornersOf(block);
    this.#cast([...base.map(([right, ahead]): Vector => [right, ahead, 0]), ...top]);
  }

  /** An upright cylinder or, with another radius at the top, a cone. */
  cylinder(at: Vector, radius: number, height: number, colour: string, topRadius = radius): void {
    const base = ring(at, radius, 28);
    const top = ring([at[0], at[1], at[2] + height], topRadius, 28);
    this.#cast([...base, ...top]);
    const outline = pathOf(hull([...base, ...top].map((point) => this.camera.project(point))));
    const rounded = `<polygon points="${outline}" fill="${colour}"/><polygon points="${outline}" fill="url(#round)"/>`;
    this.stand(at, rounded, this.face(top, shade(colour, 1.12)));
  }

  /** Markup drawn in metres, upright on `foot` and facing the camera. */
  upright(foot: Vector, height: number, halfWidth: number, markup: string): string {
    const { x, y } = this.camera.project(foot);
    const head = this.camera.project([foot[0], foot[1], foot[2] + height]);
    const scale = this.camera.scale(foot);
    const reach = halfWidth * scale;
    this.#extend([head, { x: x - reach, y: y + 0.03 * scale }, { x: x + reach, y }]);
    const matrix = [scale, 0, (head.x - x) / height, (head.y - y) / height, x, y];
    return `<g transform="matrix(${matrix.map((value) => value.toFixed(3)).join(" ")})">${markup}</g>`;
  }

  /** The content of an SVG picture. */
  toString(): string {
    const standing = this.#standing.sort((a, b) => b.distance - a.distance).map(({ markup }) => markup);
    // A wide faint rim stands in for a blur, which would take as long as all the rest.
    const shadows = `<g fill="#0c0e12" stroke="#0c0e12" stroke-width="6" stroke-opacity=".4" stroke-linejoin="round" opacity=".42">${this.#shadows.join("")}</g>`;
    return [gradients, ...this.#backdrop, ...this.#floor, shadows, ...standing].join("\n");
  }

  #side({ colour, details = [] }: Block, name: Side, corners: readonly Vector[]): string {
    const [a, b, c, d] = corners as [Vector, Vector, Vector, Vector];
    const normal = cross(minus(b, a), minus(d, a));
    const size = Math.hypot(...normal);
    if (size === 0 || dot(normal, minus(this.camera.position, a)) <= 0) return "";
    const brightness = 0.6 + 0.5 * Math.max(0, dot(normal, light) / size);
    const overlay = name === "top" ? "across" : "down";
    const faces = [this.face(corners, shade(colour, brightness), 1, size > 0.25 ? overlay : undefined)];
    for (const [on, left, bottom, right, top, paint, bright] of details) {
      if (on !== name && on !== pairs[name]) continue;
      const [from, to] = on === "flanks" && name === "left" ? [1 - right, 1 - left] : [left, right];
      const at = (u: number, v: number): Vector => between(between(a, b, u), between(d, c, u), v);
      faces.push(this.face([at(from, bottom), at(to, bottom), at(to, top), at(from, top)], bright ? paint : shade(paint, brightness)));
    }
    return faces.join("");
  }

  #extend(points: readonly Point[]): Extent {
    const { left, top, right, bottom } = extentOf(points);
    this.extent.left = Math.min(this.extent.left, left);
    this.extent.top = Math.min(this.extent.top, top);
    this.extent.right = Math.max(this.extent.right, right);
    this.extent.bottom = Math.max(this.extent.bottom, bottom);
    return { left, top, right, bottom };
  }

  #cast(points: readonly Vector[]): void {
    const fallen = points.map(([right, ahead, up]): Vector => [right + up * this.sun[0], ahead + up * this.sun[1], 0]);
    if (fallen.some((point) => this.camera.depth(point) < nearest)) return;
    this.#shadows.push(`<polygon points="${pathOf(hull(fallen.map((point) => this.camera.project(point))))}"/>`);
  }
}
