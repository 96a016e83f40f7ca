import { dot, locate, minus, type Vector } from "./perspective.js";
import type { SeededRandom } from "./random.js";
import { type Block, type Detail, type Drawing, shade, steps } from "./scenery/drawing.js";

/** What people wear: protective clothing or everyday clothes. */
export type Attire = "worker" | "visitor";

const shape = (path: string, colour: string): string => `<path d="${path}" fill="${colour}"/>`;

/** Head and torso, in metres above the ground; shared by people on foot and drivers. */
function upperBody(random: SeededRandom, attire: Attire, sleeve: string): string {
  const torso = "M-.2,1.44Q-.24,1.4 -.22,1.2L-.175,.86L.175,.86L.22,1.2Q.24,1.4 .2,1.44Q0,1.5 -.2,1.44Z";
  const skin = random.pick(["#c99a7b", "#a87655", "#7d5339", "#dcb294"]);
  const neck = shape("M-.05,1.54L.05,1.54L.06,1.44L-.06,1.44Z", shade(skin, 0.75));
  const head = `<ellipse cy="1.615" rx=".088" ry=".115" fill="${skin}"/>`;
  if (attire === "visitor") {
    const hair = "M-.092,1.62Q-.11,1.755 0,1.755Q.11,1.755 .092,1.62Q.05,1.69 -.03,1.685Q-.08,1.68 -.092,1.62Z";
    const shirt = shape("M-.05,1.47L.05,1.47L0,1.2Z", "#dfe0e2");
    return shape(torso, sleeve) + shirt + shape(torso, "url(#round)") + neck + head + shape(hair, random.pick(["#2b211b", "#4b3626", "#1a1a1c"]));
  }
  const vest = "M-.17,1.46L-.2,1.38L-.205,1.18L-.18,.84L.18,.84L.205,1.18L.2,1.38L.17,1.46L.06,1.47L0,1.3L-.06,1.47Z";
  const bands = "M-.2,1.1L.2,1.1L.195,1.045L-.195,1.045ZM-.187,.96L.187,.96L.183,.905L-.183,.905Z";
  const straps = "M-.15,1.46L-.1,1.47L-.1,1.1L-.15,1.1ZM.15,1.46L.1,1.47L.1,1.1L.15,1.1Z";
  const helmet = "M-.115,1.645Q-.115,1.79 0,1.79Q.115,1.79 .115,1.645L.125,1.625L-.125,1.625Z";
  return [
    shape(torso, sleeve),
    shape(vest, random.pick(["#e8722a", "#d6e02c"])),
    shape(bands + straps, "#dae0dc"),
    shape(torso, "url(#round)"),
    neck,
    head,
    shape(helmet, random.pick(["#f1f1ec", "#f2c81e", "#2f62b0", "#d8402c"])),
    shape(helmet, "url(#round)"),
  ].join("");
}

/** A person standing or walking at a floor point. */
export function drawPerson(drawing: Drawing, foot: Vector, random: SeededRandom, attire: Attire): void {
  const trousers = random.pick(["#26303f", "#33373d", "#2a3a56", "#4a4438"]);
  const sleeve = random.pick(attire === "worker" ? ["#3a4657", "#5a5f66", "#27436b"] : ["#3d4454", "#6d2f35", "#8a8f96", "#b7ad9c"]);
  const stride = random.pick([0, 0.03, 0.12, 0.17]);
  const walking = stride > 0.1;
  const leg = (side: 1 | -1, lift: number, colour: string): string => {
    const hip = side * 0.075;
    const knee = side * (0.08 + stride * 0.6);
    const ankle = side * (0.09 + stride);
    const path = `M${hip - 0.09},.9L${knee - 0.07},${0.48 + lift}L${ankle - 0.055},${0.08 + lift}h.11L${knee + 0.075},${0.48 + lift}L${hip + 0.09},.9Z`;
    const shoe = `<ellipse cx="${ankle + (walking ? 0.05 : 0.01)}" cy="${0.04 + lift}" rx="${walking ? 0.12 : 0.075}" ry=".05" fill="#15161a"/>`;
    return shape(path, colour) + shoe;
  };
  const arm = (side: 1 | -1, reach: number, colour: string): string => {
    const hand = side * 0.23 + reach;
    const path = `M${side * 0.2},1.39L${side * 0.26 + reach * 0.35},1.14L${hand},.93`;
    const sleeved = `<path d="${path}" fill="none" stroke="${colour}" stroke-width=".095" stroke-linecap="round" stroke-linejoin="round"/>`;
    return `${sleeved}<circle cx="${hand}" cy=".88" r=".045" fill="#a87a5c"/>`;
  };
  const swing = walking ? 0.16 : 0.02;
  const body = [
    arm(-1, swing, shade(sleeve, 0.8)),
    leg(-1, walking ? 0.05 : 0.015, shade(trousers, 0.75)),
    leg(1, 0, trousers),
    upperBody(random, attire, sleeve),
    arm(1, -swing * 0.6, shade(sleeve, 0.95)),
  ].join("");
  const size = random.between(0.95, 1.05);
  const facing = random.chance(0.5) ? size : -size;
  drawing.shadow({ at: foot, size: [0.42, 0.3, 1.7], colour: trousers, taper: [0.1, 0.1, 0.06] });
  const figure = `<g transform="scale(${facing} ${size})">${body}</g>`;
  drawing.stand(foot, drawing.upright(foot, 1.79 * size, (walking ? 0.41 : 0.33) * size, figure));
}

export type VehicleKind = "car" | "van" | "truck" | "forklift";

/** How much floor each kind of vehicle takes: length and width in metres. */
export const vehicleSizes: Record<VehicleKind, readonly [length: number, width: number]> = {
  car: [4.4, 1.8],
  van: [5.4, 2.0],
  truck: [8.6, 2.5],
  forklift: [3.6, 1.3],
};

const paints = ["#b9bec4", "#2f3338", "#7c1f24", "#25406b", "#d9dad8", "#5d646b", "#3d5245", "#8d8368"];
const glass = "#20282f";
const steel = "#2b2e31";

/** A pair of lamps in the outer corners. */
const lamps = (on: "front" | "rear", bottom: number, top: number, colour: string): Detail[] =>
  [0.03, 0.81].map((left) => [on, left, bottom, left + 0.16, top, colour, "bright"]);

/** A vehicle in the making: its blocks are given relative to its place and heading. */
class Vehicle {
  constructor(
    readonly drawing: Drawing,
    readonly at: Vector,
    readonly heading: number,
  ) {}

  part(along: number, left: number, up: number, size: Vector, colour: string, shape: Pick<Block, "taper" | "details"> = {}): Block {
    return { at: locate(this.at, this.heading, along, left, up), size, heading: this.heading, colour, ...shape };
  }

  block(...part: Parameters<Vehicle["part"]>): string {
    return this.drawing.block(this.part(...part));
  }

  /** Tyres belong below the body and discs over it, so they come separately. */
  wheels(width: number, radius: number, places: readonly number[]): { tyres: string; discs: string } {
    const sides = places.flatMap((along) => [-width / 2, width / 2].map((left) => [along, left] as const));
    return {
      tyres: sides.map(([along, left]) => this.block(along, left * 0.86, 0, [radius * 1.5, 0.24, radius], "#1b1c1e")).join(""),
      discs: sides.map(([along, left]) => this.#disc(along, left, radius)).join(""),
    };
  }

  #disc(along: number, left: number, radius: number): string {
    const centre = locate(this.at, this.heading, along, left, radius);
    const outward = minus(centre, locate(this.at, this.heading, along, 0, radius));
    if (dot(outward, minus(this.drawing.camera.position, centre)) <= 0) return "";
    const circle = (size: number): Vector[] =>
      steps(0, 15, 1).map((index) => {
        const angle = (index / 16) * 2 * Math.PI;
        return locate(centre, this.heading, Math.cos(angle) * size, 0, Math.sin(angle) * size);
      });
    return this.drawing.face(circle(radius), "#17181a") + this.drawing.face(circle(radius * 0.58), "#8d9194");
  }
}

function drawCar(vehicle: Vehicle, colour: string, van: boolean): void {
  const { drawing, at } = vehicle;
  const [length, width] = vehicleSizes[van ? "van" : "car"];
  const fittings: Detail[] = [
    ...lamps("front", 0.5, 0.82, "#f3f1e2"),
    ["front", 0.27, 0.38, 0.73, 0.72, "#17191c"],
    ...lamps("rear", 0.5, 0.85, "#b3201c"),
    ["ends", 0.38, 0.12, 0.62, 0.32, "#e6e6e0"],
    ["flanks", 0, 0, 1, 0.12, "#1d1f22"],
    ["flanks", 0.5, 0.12, 0.505, 0.95, shade(colour, 0.6)],
  ];
  const panes: Detail[] = [
    ["front", 0.05, 0.08, 0.95, 0.9, "#3a4650"],
    ["rear", 0.08, 0.25, 0.92, 0.88, glass],
    ...(van ? [[0.72, 0.95] as const] : [[0.1, 0.48] as const, [0.53, 0.92] as const]).map(
      ([from, to]): Detail => ["flanks", from, 0.14, to, 0.86, glass],
    ),
  ];
  const height = van ? 0.75 : 0.56;
  const body = vehicle.part(0, 0, 0.24, [length, width, height], colour, { taper: [0.16, 0.08, 0.06], details: fittings });
  const cabin = van
    ? vehicle.part(-0.45, 0, 0.24 + height, [4.3, width - 0.14, 1.05], colour, { taper: [0.75, 0.05, 0.1], details: panes })
    : vehicle.part(-0.25, 0, 0.24 + height, [2.85, width - 0.14, 0.58], colour, { taper: [0.85, 0.5, 0.2], details: panes });
  const { tyres, discs } = vehicle.wheels(width, 0.33, [-length * 0.31, length * 0.31]);
  const underside = vehicle.block(0, 0, 0, [length * 0.86, width * 0.8, 0.26], "#101113");
  drawing.shadow(body);
  drawing.shadow(cabin);
  drawing.stand(at, underside, tyres, drawing.block(body), discs, drawing.block(cabin));
}

function drawTruck(vehicle: Vehicle, colour: string, random: SeededRandom): void {
  const { drawing, at } = vehicle;
  const [length] = vehicleSizes.truck;
  const canvas = random.pick(["#dfe1df", "#c9ccce", "#36588a"]);
  const cargo = vehicle.part(-1.25, 0, 0.95, [length - 2.5, 2.5, 2.7], canvas, {
    details: [
      ["flanks", 0, 0.2, 1, 0.3, random.pick(["#b5302a", "#2c5aa0", "#2f7d4f"])],
      ["flanks", 0, 0, 1, 0.04, "#5c6166"],
      ...steps(0.125, 0.875, 0.125).map((at): Detail => ["flanks", at, 0.04, at + 0.004, 1, shade(canvas, 0.86)]),
      ["rear", 0.49, 0, 0.51, 1, "#6d7276"],
      ...lamps("rear", 0, 0.06, "#b3201c"),
    ],
  });
  const cab = vehicle.part(length / 2 - 1.05, 0, 0.55, [2.1, 2.4, 2.35], colour, {
    taper: [0.3, 0, 0.08],
    details: [
      ["front", 0.07, 0.5, 0.93, 0.9, "#2d3942"],
      ["front", 0.15, 0.14, 0.85, 0.42, "#1d2023"],
      ...lamps("front", 0.03, 0.13, "#f3f1e2"),
      ["flanks", 0.4, 0.5, 0.9, 0.88, glass],
    ],
  });
  const { tyres, discs } = vehicle.wheels(2.4, 0.48, [1.1 - length / 2, 2.2 - length / 2, length / 2 - 1.1]);
  const chassis = vehicle.block(0, 0, 0.45, [length - 0.3, 2.1, 0.5], "#25282b");
  const halves = [cargo, cab].sort((a, b) => drawing.camera.depth(b.at) - drawing.camera.depth(a.at));
  for (const half of halves) drawing.shadow(half);
  drawing.stand(at, tyres, chassis, discs, ...halves.map((half) => drawing.block(half)));
}

function drawForklift(vehicle: Vehicle, random: SeededRandom): void {
  const { drawing, at, heading } = vehicle;
  const colour = random.pick(["#e0a31c", "#d8641c", "#c9352b"]);
  const posts = [0.35, -1.05].flatMap((along) => [-0.5, 0.5].map((left) => vehicle.block(along, left, 0.9, [0.07, 0.07, 1.25], steel)));
  const facesAway = drawing.camera.depth(locate(at, heading, 1, 0)) > drawing.camera.depth(at);
  const { tyres, discs } = vehicle.wheels(1.2, 0.32, [-1, 0.4]);
  const body = [
    tyres,
    vehicle.block(-0.35, 0, 0.18, [2, 1.15, 0.55], colour),
    vehicle.block(-0.95, 0, 0.3, [0.8, 1.15, 0.8], shade(colour, 0.9), { taper: [0, 0.2, 0.08], details: [["rear", 0.2, 0.3, 0.8, 0.5, steel]] }),
    discs,
    drawing.upright(locate(at, heading, -0.45, 0, 0.05), 1.8, 0.25, upperBody(random, "worker", "#3a4657")),
    ...posts,
    vehicle.block(-0.35, 0, 2.12, [1.5, 1.1, 0.08], steel),
  ];
  const mast = [-0.35, 0.35].map((left) => vehicle.block(0.72, left, 0.08, [0.12, 0.14, 2.3], steel));
  const forks = [-0.25, 0.25].map((left) => vehicle.block(1.3, left, 0.14, [1.1, 0.12, 0.05], "#3a3d40"));
  if (random.chance(0.65)) {
    const load = random.pick(["#b08a5c", "#a67c4c", "#c9ccc8"]);
    forks.push(vehicle.block(1.32, 0, 0.2, [1.05, 1.15, 0.13], "#8a6a42"), vehicle.block(1.32, 0, 0.33, [0.95, 1.05, 0.95], load));
  }
  drawing.shadow(vehicle.part(-0.35, 0, 0, [2, 1.2, 2.1], colour));
  drawing.shadow(vehicle.part(1.2, 0, 0, [1.2, 1.1, 0.4], colour));
  drawing.stand(at, ...(facesAway ? [...forks, ...mast, ...body] : [...body, ...mast, ...forks]));
}

/** A vehicle standing at a floor point. */
export function drawVehicle(drawing: Drawing, kind: VehicleKind, at: Vector, heading: number, random: SeededRandom): void {
  const vehicle = new Vehicle(drawing, at, heading);
  if (kind === "forklift") drawForklift(vehicle, random);
  else if (kind === "truck") drawTruck(vehicle, random.pick(paints), random);
  else drawCar(vehicle, random.pick(kind === "van" ? ["#d9dad8", "#c4c8ca", "#36588a"] : paints), kind === "van");
}
