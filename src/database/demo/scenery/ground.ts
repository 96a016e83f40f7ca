import type { Attire, VehicleKind } from "../figures.js";
import { locate, pictureSize, type Vector } from "../perspective.js";
import type { SeededRandom } from "../random.js";
import { type Drawing, shade, steps } from "./drawing.js";

/** A rectangle of the floor, in metres. */
export interface Zone {
  left: number;
  right: number;
  near: number;
  far: number;
}

/** A pool of light: flat on the floor, facing the camera in the air. */
export interface Lamp {
  at: Vector;
  radius: number;
  strength: number;
}

/** What alerts there may be about in a place, and what lights it. */
export interface Setting {
  /** Free floor. */
  zones: readonly Zone[];
  lamps: readonly Lamp[];
  vehicles: readonly VehicleKind[];
  /** Which ways vehicles head there, in radians. */
  headings: readonly number[];
  attire: Attire;
}

/** What a kind of place is drawn with. */
export interface Stage {
  drawing: Drawing;
  random: SeededRandom;
  night: boolean;
}

/** The heading of what drives away from the camera. */
export const away = Math.PI / 2;

/** An upright rectangle across the view. */
export const upright = (left: number, right: number, ahead: number, low: number, high: number): Vector[] => [
  [left, ahead, low],
  [right, ahead, low],
  [right, ahead, high],
  [left, ahead, high],
];

/** Fills the picture with floor, darker towards the camera. */
export function layFloor({ drawing }: Stage, colour: string): void {
  const stops = `<stop stop-color="${shade(colour, 1.2)}"/><stop offset=".4" stop-color="${colour}"/><stop offset="1" stop-color="${shade(colour, 0.84)}"/>`;
  drawing.backdrop(`<linearGradient id="ground" x2="0" y2="1">${stops}</linearGradient><rect width="1280" height="720" fill="url(#ground)"/>`);
}

/** Floor under an open sky, with a ridge of hills at the horizon. */
export function layOpenGround(stage: Stage, colour: string): void {
  const { drawing, night, random } = stage;
  const { pitch, focal } = drawing.camera.view;
  const level = pictureSize.height / 2 - focal * Math.tan(pitch);
  const [high, low] = night ? ["#10151f", "#2a3140"] : random.pick([["#8fb0d0", "#dfe6ea"] as const, ["#aab4bd", "#dcdfe0"] as const]);
  const ridge = steps(0, pictureSize.width, 40).map((x) => `${x},${level - random.integer(4, 26)}`);
  layFloor(stage, colour);
  drawing.backdrop(
    `<linearGradient id="sky" x2="0" y2="1"><stop stop-color="${high}"/><stop offset="1" stop-color="${low}"/></linearGradient>`,
    `<rect width="1280" height="${Math.max(level, 0)}" fill="url(#sky)"/><polygon points="0,${level + 4} ${ridge.join(" ")} 1280,${level + 4}" fill="#4d5847"/>`,
  );
}

export function paintRectangle({ drawing }: Stage, { left, right, near, far }: Zone, colour: string, opacity = 1): void {
  const corners: Vector[] = [
    [left, near, 0],
    [right, near, 0],
    [right, far, 0],
    [left, far, 0],
  ];
  drawing.paint(corners, colour, opacity);
}

/** A painted line along the view. */
export const paintLine = (stage: Stage, x: number, near: number, far: number, colour: string, width = 0.12): void =>
  paintRectangle(stage, { left: x - width / 2, right: x + width / 2, near, far }, colour, 0.8);

/** Dirt, patches and wear: irregular spots that make a floor look used. */
export function paintStains({ drawing, random }: Stage, count: number, reach: number, size: number, colours: readonly string[]): void {
  for (let index = 0; index < count; index += 1) {
    const at: Vector = [random.between(-reach, reach), random.between(3, 32), 0];
    // Few are large, or the floor looks patched.
    const radius = (0.12 + random.next() ** 3 * 0.88) * size;
    const stretch = random.between(0.4, 1);
    const turn = random.between(0, Math.PI);
    const dents = [2, 3, 5].map((count) => [count, random.between(0, 6)] as const);
    const points = steps(0, 21, 1).map((corner): Vector => {
      const angle = (corner / 22) * 2 * Math.PI;
      const distance = radius * dents.reduce((sum, [count, shift]) => sum + 0.09 * Math.sin(angle * count + shift), 1);
      return locate(at, turn, Math.cos(angle) * distance, Math.sin(angle) * distance * stretch);
    });
    drawing.paint(points, random.pick(colours), random.between(0.04, 0.15));
  }
}

/** Pairs of faint tracks that wheels have left. */
export function paintTracks({ drawing, random }: Stage, count: number, colour: string): void {
  for (let index = 0; index < count; index += 1) {
    const start = random.between(-8, 8);
    const bend = random.between(-0.4, 0.4);
    for (const side of [-0.8, 0.8]) {
      const edge = (offset: number): Vector[] =>
        steps(3, 27, 2).map((y) => [start + side + offset + bend * (y - 4) + Math.sin(y / 6 + index) * 0.5, y, 0]);
      drawing.paint([...edge(-0.14), ...edge(0.14).reverse()], colour, random.between(0.08, 0.2));
    }
  }
}
