import { defined } from "../../../platform/defined.js";
import type { Point, Size } from "../../../platform/geometry.js";

export interface Annotation {
  /** The frame of reference of the coordinates; null for the original size of the picture. */
  canvas: Size | null;
  areas: readonly (readonly Point[])[];
  points: readonly Point[];
}

/** The limit of coordinates in pixels. Beyond it, they would lose precision. */
const furthest = 1e7;

/**
 * Draws the outline of each area and a ring around each point, as an SVG image of the picture's size. The
 * image contains only numbers.
 */
export function annotationSvg({ canvas, areas, points }: Annotation, size: Size, original: Size): string {
  const { width, height } = size;
  const scaled = scaling(canvas ?? original, size);
  const shown = (given: readonly Point[]) =>
    given.map(scaled).filter(({ x, y }) => Number.isFinite(x) && Number.isFinite(y));
  const line = Math.max(2, Math.max(width, height) / 400);
  const radius = Math.round(line * 2.8);
  // Clip outside the picture, so that the edges along the clip stay invisible.
  const bounds = { left: -4 * line, top: -4 * line, right: width + 4 * line, bottom: height + 4 * line };
  const outline = areas.map((area) => pathOf(clip(shown(area), bounds))).join("");
  const isNear = ({ x, y }: Point) =>
    x > -2 * radius && y > -2 * radius && x < width + 2 * radius && y < height + 2 * radius;
  // Draw one path each: thousands of elements would take much longer.
  const rings = shown(points)
    .filter(isNear)
    .map((point) => circle(point, radius))
    .join("");
  const stroke = (path: string, color: string, factor: number) =>
    `<path d="${path}" fill="none" stroke="${color}" stroke-width="${number(line * factor)}" stroke-linejoin="round"/>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">`,
    ...(outline && [
      `<path d="${outline}" fill="#ff3b30" fill-opacity="0.15"/>`,
      `<g stroke-opacity="0.55">${stroke(outline, "#1a1a1a", 2)}</g>`,
      stroke(outline, "#ff3b30", 1),
    ]),
    ...(rings && [stroke(rings, "#1a1a1a", 2), stroke(rings, "#ffe14a", 1)]),
    "</svg>",
  ].join("");
}

function scaling(from: Size, to: Size): (point: Point) => Point {
  const [horizontal, vertical] = [to.width / from.width, to.height / from.height];
  const limited = (value: number) => Math.min(Math.max(value, -furthest), furthest);
  return ({ x, y }) => ({ x: limited(x * horizontal), y: limited(y * vertical) });
}

interface Bounds {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Clips a polygon to a rectangle, one side after the other: a line along each replaces the part beyond it. */
function clip(polygon: readonly Point[], { left, top, right, bottom }: Bounds): readonly Point[] {
  const sides: ((point: Point) => number)[] = [
    ({ x }) => x - left,
    ({ x }) => right - x,
    ({ y }) => y - top,
    ({ y }) => bottom - y,
  ];
  return sides.reduce(clipSide, polygon);
}

/** `inside` returns the distance of a point from the side, negative beyond it. */
function clipSide(polygon: readonly Point[], inside: (point: Point) => number): Point[] {
  return polygon.flatMap((point, index) => {
    const before = defined(polygon.at(index - 1));
    const [from, to] = [inside(before), inside(point)];
    const kept = to >= 0 ? [point] : [];
    if (from >= 0 === to >= 0) return kept;
    const share = from / (from - to);
    return [
      { x: before.x + share * (point.x - before.x), y: before.y + share * (point.y - before.y) },
      ...kept,
    ];
  });
}

const number = (value: number) => String(Math.round(value * 10) / 10);
const pathOf = (polygon: readonly Point[]) =>
  polygon.length === 0 ? "" : `M${polygon.map(({ x, y }) => `${number(x)} ${number(y)}`).join("L")}Z`;

function circle({ x, y }: Point, radius: number): string {
  const arc = `a${radius} ${radius} 0 1 0`;
  return `M${number(x - radius)} ${number(y)}${arc} ${2 * radius} 0${arc} ${-2 * radius} 0Z`;
}
