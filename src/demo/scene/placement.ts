import type { Point } from "../../platform/geometry.js";
import { boundsOf, offsetFrom, pictureSize, type Vector } from "../drawing/perspective.js";
import { type VehicleKind, vehicleSizes } from "../drawing/vehicles.js";
import { SeededRandom } from "../seeded-random.js";
import { headingAway } from "./ground.js";
import type { SceneModel } from "./scene-model.js";

const { width, height } = pictureSize;
/**
 * Of 20 points. Three corners on free floor, all four in the picture, and one inside the
 * area score this many.
 */
const goodScore = 15;

function isInside({ x, y }: Point, area: readonly Point[]): boolean {
  let inside = false;
  area.forEach((a, index) => {
    const b = area[(index + 1) % area.length] as Point;
    if (a.y > y !== b.y > y && x < a.x + ((y - a.y) / (b.y - a.y)) * (b.x - a.x)) inside = !inside;
  });
  return inside;
}

/** A random pixel inside the area, or one of its corners if it is too thin to hit. */
function randomPixelIn(area: readonly Point[], random: SeededRandom): Point {
  const { left, top, right, bottom } = boundsOf(area);
  for (let attempt = 0; attempt < 500; attempt += 1) {
    const pixel = { x: random.integer(left, right), y: random.integer(top, bottom) };
    if (isInside(pixel, area)) return pixel;
  }
  return area[0] as Point;
}

/**
 * A polygon on free floor, in whole pixels inside the picture; deterministic for a seed.
 */
export function createArea({ zones, drawing: { camera } }: SceneModel, index: number, seed: number): Point[] {
  const { left, right, near, far } = zones[index % zones.length] as (typeof zones)[number];
  const random = new SeededRandom(seed);
  const inset = (): number => random.between(0, 0.14);
  const cut = random.between(0.1, 0.45);
  const corners = [
    [inset(), inset()],
    [1 - inset(), inset()],
    [1, 1 - cut],
    [1 - cut, 1],
    [inset(), 1 - inset()],
  ] as const;
  return corners.map(([u, v]) => {
    const { x, y } = camera.project([left + (right - left) * u, near + (far - near) * v, 0]);
    return { x: Math.round(clamp(x, 20, width - 20)), y: Math.round(clamp(y, 70, height - 20)) };
  });
}

/**
 * Chooses where one to three people, or one who is alone, stand in the area, farthest
 * first.
 */
export function placePeople(
  { drawing: { camera } }: SceneModel,
  area: readonly Point[],
  random: SeededRandom,
  isAlone: boolean,
): Point[] {
  const several = random.weighted([
    [1, 5],
    [2, 3],
    [3, 2],
  ]);
  const count = isAlone ? 1 : several;
  const footPoints: Point[] = [randomPixelIn(area, random)];
  for (let attempt = 0; attempt < 80 && footPoints.length < count; attempt += 1) {
    const foot = randomPixelIn(area, random);
    const at = camera.unprojectToFloor(foot);
    const gaps = footPoints
      .map((other) => camera.unprojectToFloor(other))
      .map((other) => Math.hypot(at[0] - other[0], at[1] - other[1]));
    if (Math.min(...gaps) > 1.3) footPoints.push(foot);
  }
  return footPoints.sort((a, b) => a.y - b.y);
}

interface VehiclePlacement {
  kind: VehicleKind;
  foot: Point;
  heading: number;
}

/** Chooses a vehicle that fits into the area, and its position. */
export function placeVehicle(
  { vehicles, headings, zones, drawing }: SceneModel,
  area: readonly Point[],
  random: SeededRandom,
): VehiclePlacement {
  const { camera } = drawing;
  const isFree = ([x, y]: Vector): boolean =>
    zones.some(({ left, right, near, far }) => x >= left && x <= right && y >= near && y <= far);
  const score = ({ kind, foot, heading }: VehiclePlacement): number => {
    const at = camera.unprojectToFloor(foot);
    const [length, breadth] = vehicleSizes[kind];
    // This close to the camera, the vehicle would fill the picture and hide the area.
    if (camera.depth(at) < length * 1.6 + 1) return -1;
    const points = [1, -1].flatMap((along) =>
      [1, -1].map((left) => offsetFrom(at, heading, (along * length) / 2, (left * breadth) / 2)),
    );
    return points.reduce((sum, corner) => {
      const { x, y } = camera.project(corner);
      const visible = camera.depth(corner) > 2 && x > 10 && x < width - 10 && y < height - 10;
      // Off the free floor, the vehicle would overlap other objects. Outside of the
      // picture, it would be cut off.
      return sum + (isFree(corner) ? 2 : 0) + (visible ? 2 : 0) + (isInside({ x, y }, area) ? 1 : 0);
    }, 0);
  };
  let best: VehiclePlacement = { kind: "car", foot: randomPixelIn(area, random), heading: headingAway };
  let bestScore = -2;
  for (const kind of random.shuffled(vehicles)) {
    for (let attempt = 0; attempt < 40; attempt += 1) {
      const placement = {
        kind,
        foot: randomPixelIn(area, random),
        heading: random.pick(headings) + random.between(-0.12, 0.12),
      };
      const found = score(placement);
      if (found <= bestScore) continue;
      best = placement;
      bestScore = found;
    }
    // Smaller vehicles always score higher: stop at the first kind with a good score.
    if (bestScore >= goodScore) break;
  }
  return best;
}

const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);
