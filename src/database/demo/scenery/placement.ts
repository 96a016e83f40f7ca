import { type VehicleKind, vehicleSizes } from "../figures.js";
import { extentOf, locate, type Point, pictureSize, type Vector } from "../perspective.js";
import { SeededRandom } from "../random.js";
import type { Scenery } from "../scenery.js";
import { away } from "./ground.js";

const { width, height } = pictureSize;
/** Out of 20: three corners on free floor, all four in the picture, one inside the area. */
const wellPlaced = 15;

function isInside({ x, y }: Point, area: readonly Point[]): boolean {
  let inside = false;
  area.forEach((a, index) => {
    const b = area[(index + 1) % area.length] as Point;
    if (a.y > y !== b.y > y && x < a.x + ((y - a.y) / (b.y - a.y)) * (b.x - a.x)) inside = !inside;
  });
  return inside;
}

/** A whole pixel inside the area, or a corner of one that is too thin to hit. */
function pixelIn(area: readonly Point[], random: SeededRandom): Point {
  const { left, top, right, bottom } = extentOf(area);
  for (let attempt = 0; attempt < 500; attempt += 1) {
    const pixel = { x: random.integer(left, right), y: random.integer(top, bottom) };
    if (isInside(pixel, area)) return pixel;
  }
  return area[0] as Point;
}

/** An area on free floor, in whole pixels that all lie in the picture; the same for the same seed. */
export function layArea({ zones, drawing: { camera } }: Scenery, index: number, seed: number): Point[] {
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

/** Up to three places in the area where people may stand, the farthest first. */
export function placePeople({ drawing: { camera } }: Scenery, area: readonly Point[], random: SeededRandom): Point[] {
  const count = random.weighted([
    [1, 5],
    [2, 3],
    [3, 2],
  ]);
  const feet: Point[] = [pixelIn(area, random)];
  for (let attempt = 0; attempt < 80 && feet.length < count; attempt += 1) {
    const foot = pixelIn(area, random);
    const at = camera.floorAt(foot);
    const gaps = feet.map((other) => camera.floorAt(other)).map((other) => Math.hypot(at[0] - other[0], at[1] - other[1]));
    if (Math.min(...gaps) > 1.3) feet.push(foot);
  }
  return feet.sort((a, b) => a.y - b.y);
}

interface Parking {
  kind: VehicleKind;
  foot: Point;
  heading: number;
}

/** Where in the area a vehicle fits, and of what kind. */
export function placeVehicle({ vehicles, headings, zones, drawing }: Scenery, area: readonly Point[], random: SeededRandom): Parking {
  const { camera } = drawing;
  const isFree = ([x, y]: Vector): boolean => zones.some(({ left, right, near, far }) => x >= left && x <= right && y >= near && y <= far);
  const score = ({ kind, foot, heading }: Parking): number => {
    const at = camera.floorAt(foot);
    const [length, breadth] = vehicleSizes[kind];
    // So near the camera it would fill the picture and hide the area.
    if (camera.depth(at) < length * 1.6 + 1) return -1;
    const points = [1, -1].flatMap((along) => [1, -1].map((left) => locate(at, heading, (along * length) / 2, (left * breadth) / 2)));
    return points.reduce((sum, corner) => {
      const { x, y } = camera.project(corner);
      const visible = camera.depth(corner) > 2 && x > 10 && x < width - 10 && y < height - 10;
      // Off the free floor it would stand in something, off the picture it would be cut.
      return sum + (isFree(corner) ? 2 : 0) + (visible ? 2 : 0) + (isInside({ x, y }, area) ? 1 : 0);
    }, 0);
  };
  let best: Parking = { kind: "car", foot: pixelIn(area, random), heading: away };
  let bestScore = -2;
  for (const kind of random.shuffled(vehicles)) {
    for (let attempt = 0; attempt < 40; attempt += 1) {
      const parking = { kind, foot: pixelIn(area, random), heading: random.pick(headings) + random.between(-0.12, 0.12) };
      const found = score(parking);
      if (found <= bestScore) continue;
      best = parking;
      bestScore = found;
    }
    // A smaller kind would always fit better, so the first that fits well enough stays.
    if (bestScore >= wellPlaced) break;
  }
  return best;
}

const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);
