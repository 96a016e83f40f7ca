import type { SeededRandom } from "../seeded-random.js";
import { type Block, type Detail, type Drawing, range, shade } from "./drawing.js";
import { drawUpperBody } from "./people.js";
import { dot, offsetFrom, subtract, type Vector } from "./perspective.js";

export type VehicleKind = "car" | "van" | "truck" | "forklift";

/** The footprint of each kind of vehicle in meters. */
export const vehicleSizes: Record<VehicleKind, readonly [length: number, width: number]> = {
  car: [4.4, 1.8],
  van: [5.4, 2.0],
  truck: [8.6, 2.5],
  forklift: [3.6, 1.3],
};

const paints = ["#b9bec4", "#2f3338", "#7c1f24", "#25406b", "#d9dad8", "#5d646b", "#3d5245", "#8d8368"];
const glass = "#20282f";
const steel = "#2b2e31";

/** A pair of lamps at the outer corners. */
const lamps = (on: "front" | "rear", bottom: number, top: number, color: string): Detail[] =>
  [0.03, 0.81].map((left) => [on, left, bottom, left + 0.16, top, color, "bright"]);

/** Draws the parts of a vehicle, given relative to its position and heading. */
class Vehicle {
  constructor(
    readonly drawing: Drawing,
    readonly at: Vector,
    readonly heading: number,
  ) {}

  boxPart(
    along: number,
    left: number,
    up: number,
    size: Vector,
    color: string,
    shape: Pick<Block, "taper" | "details"> = {},
  ): Block {
    return {
      at: offsetFrom(this.at, this.heading, along, left, up),
      size,
      heading: this.heading,
      color,
      ...shape,
    };
  }

  renderPart(...boxPart: Parameters<Vehicle["boxPart"]>): string {
    return this.drawing.renderBlock(this.boxPart(...boxPart));
  }

  /** Renders tires and hubs separately: tires are drawn below the body, hubs on top. */
  wheels(width: number, radius: number, places: readonly number[]): { tires: string; hubs: string } {
    const sides = places.flatMap((along) => [-width / 2, width / 2].map((left) => [along, left] as const));
    return {
      tires: sides
        .map(([along, left]) =>
          this.renderPart(along, left * 0.86, 0, [radius * 1.5, 0.24, radius], "#1b1c1e"),
        )
        .join(""),
      hubs: sides.map(([along, left]) => this.#hub(along, left, radius)).join(""),
    };
  }

  #hub(along: number, left: number, radius: number): string {
    const center = offsetFrom(this.at, this.heading, along, left, radius);
    const outward = subtract(center, offsetFrom(this.at, this.heading, along, 0, radius));
    if (dot(outward, subtract(this.drawing.camera.position, center)) <= 0) return "";
    const circle = (size: number): Vector[] =>
      range(0, 15, 1).map((index) => {
        const angle = (index / 16) * 2 * Math.PI;
        return offsetFrom(center, this.heading, Math.cos(angle) * size, 0, Math.sin(angle) * size);
      });
    return (
      this.drawing.renderPolygon(circle(radius), "#17181a") +
      this.drawing.renderPolygon(circle(radius * 0.58), "#8d9194")
    );
  }
}

function drawCar(vehicle: Vehicle, color: string, van: boolean): void {
  const { drawing, at } = vehicle;
  const [length, width] = vehicleSizes[van ? "van" : "car"];
  const fittings: Detail[] = [
    ...lamps("front", 0.5, 0.82, "#f3f1e2"),
    ["front", 0.27, 0.38, 0.73, 0.72, "#17191c"],
    ...lamps("rear", 0.5, 0.85, "#b3201c"),
    ["ends", 0.38, 0.12, 0.62, 0.32, "#e6e6e0"],
    ["flanks", 0, 0, 1, 0.12, "#1d1f22"],
    ["flanks", 0.5, 0.12, 0.505, 0.95, shade(color, 0.6)],
  ];
  const panes: Detail[] = [
    ["front", 0.05, 0.08, 0.95, 0.9, "#3a4650"],
    ["rear", 0.08, 0.25, 0.92, 0.88, glass],
    ...(van ? [[0.72, 0.95] as const] : [[0.1, 0.48] as const, [0.53, 0.92] as const]).map(
      ([from, to]): Detail => ["flanks", from, 0.14, to, 0.86, glass],
    ),
  ];
  const height = van ? 0.75 : 0.56;
  const body = vehicle.boxPart(0, 0, 0.24, [length, width, height], color, {
    taper: [0.16, 0.08, 0.06],
    details: fittings,
  });
  const cabin = van
    ? vehicle.boxPart(-0.45, 0, 0.24 + height, [4.3, width - 0.14, 1.05], color, {
        taper: [0.75, 0.05, 0.1],
        details: panes,
      })
    : vehicle.boxPart(-0.25, 0, 0.24 + height, [2.85, width - 0.14, 0.58], color, {
        taper: [0.85, 0.5, 0.2],
        details: panes,
      });
  const { tires, hubs } = vehicle.wheels(width, 0.33, [-length * 0.31, length * 0.31]);
  const underside = vehicle.renderPart(0, 0, 0, [length * 0.86, width * 0.8, 0.26], "#101113");
  drawing.addShadow(body);
  drawing.addShadow(cabin);
  drawing.addObject(at, underside, tires, drawing.renderBlock(body), hubs, drawing.renderBlock(cabin));
}

function drawTruck(vehicle: Vehicle, color: string, random: SeededRandom): void {
  const { drawing, at } = vehicle;
  const [length] = vehicleSizes.truck;
  const canvas = random.pick(["#dfe1df", "#c9ccce", "#36588a"]);
  const cargo = vehicle.boxPart(-1.25, 0, 0.95, [length - 2.5, 2.5, 2.7], canvas, {
    details: [
      ["flanks", 0, 0.2, 1, 0.3, random.pick(["#b5302a", "#2c5aa0", "#2f7d4f"])],
      ["flanks", 0, 0, 1, 0.04, "#5c6166"],
      ...range(0.125, 0.875, 0.125).map(
        (at): Detail => ["flanks", at, 0.04, at + 0.004, 1, shade(canvas, 0.86)],
      ),
      ["rear", 0.49, 0, 0.51, 1, "#6d7276"],
      ...lamps("rear", 0, 0.06, "#b3201c"),
    ],
  });
  const cab = vehicle.boxPart(length / 2 - 1.05, 0, 0.55, [2.1, 2.4, 2.35], color, {
    taper: [0.3, 0, 0.08],
    details: [
      ["front", 0.07, 0.5, 0.93, 0.9, "#2d3942"],
      ["front", 0.15, 0.14, 0.85, 0.42, "#1d2023"],
      ...lamps("front", 0.03, 0.13, "#f3f1e2"),
      ["flanks", 0.4, 0.5, 0.9, 0.88, glass],
    ],
  });
  const { tires, hubs } = vehicle.wheels(2.4, 0.48, [1.1 - length / 2, 2.2 - length / 2, length / 2 - 1.1]);
  const chassis = vehicle.renderPart(0, 0, 0.45, [length - 0.3, 2.1, 0.5], "#25282b");
  const halves = [cargo, cab].sort((a, b) => drawing.camera.depth(b.at) - drawing.camera.depth(a.at));
  for (const half of halves) drawing.addShadow(half);
  drawing.addObject(at, tires, chassis, hubs, ...halves.map((half) => drawing.renderBlock(half)));
}

function drawForklift(vehicle: Vehicle, random: SeededRandom): void {
  const { drawing, at, heading } = vehicle;
  const color = random.pick(["#e0a31c", "#d8641c", "#c9352b"]);
  const posts = [0.35, -1.05].flatMap((along) =>
    [-0.5, 0.5].map((left) => vehicle.renderPart(along, left, 0.9, [0.07, 0.07, 1.25], steel)),
  );
  const facesAway = drawing.camera.depth(offsetFrom(at, heading, 1, 0)) > drawing.camera.depth(at);
  const { tires, hubs } = vehicle.wheels(1.2, 0.32, [-1, 0.4]);
  const body = [
    tires,
    vehicle.renderPart(-0.35, 0, 0.18, [2, 1.15, 0.55], color),
    vehicle.renderPart(-0.95, 0, 0.3, [0.8, 1.15, 0.8], shade(color, 0.9), {
      taper: [0, 0.2, 0.08],
      details: [["rear", 0.2, 0.3, 0.8, 0.5, steel]],
    }),
    hubs,
    drawing.renderBillboard(
      offsetFrom(at, heading, -0.45, 0, 0.05),
      1.8,
      0.25,
      drawUpperBody(random, "worker", "#3a4657"),
    ),
    ...posts,
    vehicle.renderPart(-0.35, 0, 2.12, [1.5, 1.1, 0.08], steel),
  ];
  const mast = [-0.35, 0.35].map((left) => vehicle.renderPart(0.72, left, 0.08, [0.12, 0.14, 2.3], steel));
  const forks = [-0.25, 0.25].map((left) =>
    vehicle.renderPart(1.3, left, 0.14, [1.1, 0.12, 0.05], "#3a3d40"),
  );
  if (random.chance(0.65)) {
    const load = random.pick(["#b08a5c", "#a67c4c", "#c9ccc8"]);
    forks.push(
      vehicle.renderPart(1.32, 0, 0.2, [1.05, 1.15, 0.13], "#8a6a42"),
      vehicle.renderPart(1.32, 0, 0.33, [0.95, 1.05, 0.95], load),
    );
  }
  drawing.addShadow(vehicle.boxPart(-0.35, 0, 0, [2, 1.2, 2.1], color));
  drawing.addShadow(vehicle.boxPart(1.2, 0, 0, [1.2, 1.1, 0.4], color));
  drawing.addObject(at, ...(facesAway ? [...forks, ...mast, ...body] : [...body, ...mast, ...forks]));
}

/** Draws a vehicle at a floor point. */
export function drawVehicle(
  drawing: Drawing,
  kind: VehicleKind,
  at: Vector,
  heading: number,
  random: SeededRandom,
): void {
  const vehicle = new Vehicle(drawing, at, heading);
  if (kind === "forklift") drawForklift(vehicle, random);
  else if (kind === "truck") drawTruck(vehicle, random.pick(paints), random);
  else
    drawCar(
      vehicle,
      random.pick(kind === "van" ? ["#d9dad8", "#c4c8ca", "#36588a"] : paints),
      kind === "van",
    );
}
