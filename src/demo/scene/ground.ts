import { type Drawing, range, shade } from "../drawing/drawing.js";
import type { Clothing } from "../drawing/people.js";
import { offsetFrom, pictureSize, type Vector } from "../drawing/perspective.js";
import type { VehicleKind } from "../drawing/vehicles.js";
import type { SeededRandom } from "../seeded-random.js";

/** A rectangle on the floor, in meters. */
export interface Zone {
  left: number;
  right: number;
  near: number;
  far: number;
}

/** A pool of light: horizontal on the floor, facing the camera above it. */
export interface Lamp {
  at: Vector;
  radius: number;
  strength: number;
}

/** The lighting of a scene, and the places and means of its alerts. */
export interface SceneLayout {
  /** Areas of free floor. */
  zones: readonly Zone[];
  lamps: readonly Lamp[];
  vehicles: readonly VehicleKind[];
  /** Plausible headings of vehicles, in radians. */
  headings: readonly number[];
  clothing: Clothing;
}

/** The drawing tools of the scene builders. */
export interface SceneContext {
  drawing: Drawing;
  random: SeededRandom;
  night: boolean;
}

/** The heading of a vehicle that drives away from the camera. */
export const headingAway = Math.PI / 2;

/** A vertical rectangle perpendicular to the viewing direction. */
export const verticalRectangle = (
  left: number,
  right: number,
  ahead: number,
  low: number,
  high: number,
): Vector[] => [
  [left, ahead, low],
  [right, ahead, low],
  [right, ahead, high],
  [left, ahead, high],
];

/** Fills the picture with floor that gets darker toward the camera. */
export function paintBareFloor({ drawing }: SceneContext, color: string): void {
  const stops = `<stop stop-color="${shade(color, 1.2)}"/><stop offset=".4" stop-color="${color}"/><stop offset="1" stop-color="${shade(color, 0.84)}"/>`;
  drawing.addBackground(
    `<linearGradient id="ground" x2="0" y2="1">${stops}</linearGradient><rect width="1280" height="720" fill="url(#ground)"/>`,
  );
}

/** Paints outdoor floor, sky, and hills on the horizon. */
export function paintOpenGround(context: SceneContext, color: string): void {
  const { drawing, night, random } = context;
  const { pitch, focalLength } = drawing.camera.pose;
  const level = pictureSize.height / 2 - focalLength * Math.tan(pitch);
  const [high, low] = night
    ? ["#10151f", "#2a3140"]
    : random.pick([["#8fb0d0", "#dfe6ea"] as const, ["#aab4bd", "#dcdfe0"] as const]);
  const ridge = range(0, pictureSize.width, 40).map((x) => `${x},${level - random.integer(4, 26)}`);
  paintBareFloor(context, color);
  drawing.addBackground(
    `<linearGradient id="sky" x2="0" y2="1"><stop stop-color="${high}"/><stop offset="1" stop-color="${low}"/></linearGradient>`,
    `<rect width="1280" height="${Math.max(level, 0)}" fill="url(#sky)"/><polygon points="0,${level + 4} ${ridge.join(" ")} 1280,${level + 4}" fill="#4d5847"/>`,
  );
}

export function paintRectangle(
  { drawing }: SceneContext,
  { left, right, near, far }: Zone,
  color: string,
  opacity = 1,
): void {
  const corners: Vector[] = [
    [left, near, 0],
    [right, near, 0],
    [right, far, 0],
    [left, far, 0],
  ];
  drawing.paintFloor(corners, color, opacity);
}

/** Paints a line along the viewing direction. */
export const paintLine = (
  context: SceneContext,
  x: number,
  near: number,
  far: number,
  color: string,
  width = 0.12,
): void => paintRectangle(context, { left: x - width / 2, right: x + width / 2, near, far }, color, 0.8);

/** Paints irregular spots (dirt, patches, wear) that make a floor look used. */
export function paintStains(
  { drawing, random }: SceneContext,
  count: number,
  halfWidth: number,
  size: number,
  colors: readonly string[],
): void {
  for (let index = 0; index < count; index += 1) {
    const at: Vector = [random.between(-halfWidth, halfWidth), random.between(3, 32), 0];
    // Prefer small ones, or the floor would look patched.
    const radius = (0.12 + random.next() ** 3 * 0.88) * size;
    const stretch = random.between(0.4, 1);
    const turn = random.between(0, Math.PI);
    const dents = [2, 3, 5].map((count) => [count, random.between(0, 6)] as const);
    const points = range(0, 21, 1).map((corner): Vector => {
      const angle = (corner / 22) * 2 * Math.PI;
      const distance =
        radius * dents.reduce((sum, [count, shift]) => sum + 0.09 * Math.sin(angle * count + shift), 1);
      return offsetFrom(at, turn, Math.cos(angle) * distance, Math.sin(angle) * distance * stretch);
    });
    drawing.paintFloor(points, random.pick(colors), random.between(0.04, 0.15));
  }
}

/** Paints faint pairs of wheel tracks. */
export function paintWheelTracks({ drawing, random }: SceneContext, count: number, color: string): void {
  for (let index = 0; index < count; index += 1) {
    const start = random.between(-8, 8);
    const bend = random.between(-0.4, 0.4);
    for (const side of [-0.8, 0.8]) {
      const edge = (offset: number): Vector[] =>
        range(3, 27, 2).map((y) => [
          start + side + offset + bend * (y - 4) + Math.sin(y / 6 + index) * 0.5,
          y,
          0,
        ]);
      drawing.paintFloor([...edge(-0.14), ...edge(0.14).reverse()], color, random.between(0.08, 0.2));
    }
  }
}
