import { drawPerson, drawVehicle } from "../figures.js";
import { steps } from "./drawing.js";
import { away, type Lamp, layFloor, paintLine, paintRectangle, paintStains, paintTracks, type Setting, type Stage, upright } from "./ground.js";
import { goods, joints } from "./props.js";

const depth = 44;
const height = 8.5;
const half = 7.5;

/** Only the far wall of the room shows between the racks. */
function layRoom(stage: Stage, floor: string): void {
  const { drawing } = stage;
  layFloor(stage, floor);
  drawing.backdrop(
    drawing.face(upright(-50, 50, depth, 0, 30), "#777a79"),
    drawing.face(upright(-half, half, depth, 0, height), "#a7abaa", 1, "down"),
    drawing.block({ at: [0, depth - 0.2, 0], size: [4, 0.2, 4.2], colour: "#c9cdcb", details: joints("right", 8, "#8f9492") }),
  );
}

/** One bay of a pallet rack, its openings facing along x. */
function rackBay(stage: Stage, x: number, y: number): void {
  const { drawing, random } = stage;
  const posts = (along: number): string[] =>
    [-0.5, 0.5].map((across) => drawing.block({ at: [x + across, y + along, 0], size: [0.1, 0.1, 7.5], colour: "#2d5590" }));
  const levels = steps(0, 5.25, 1.75).flatMap((up) => {
    const loads = [0.62, -0.62].filter(() => random.chance(0.86));
    const beams = up === 0 ? [] : [-0.52, 0.52].map((across) => (x < 0 ? across : -across));
    return [
      ...loads.map((along) => goods(stage, [x, y + along, up + 0.14], random.between(0.7, 1.3))),
      ...beams.map((across) => drawing.block({ at: [x + across, y, up], size: [0.06, 2.6, 0.14], colour: "#d9702a" })),
    ];
  });
  drawing.shadow({ at: [x, y, 0], size: [1.2, 2.6, 1], colour: "#000000" });
  drawing.stand([x, y, 0], ...posts(1.3), ...levels, ...posts(-1.3));
}

/** Looks down an aisle between high racks, with a crossing for people. */
export function warehouseAisle(stage: Stage): Setting {
  const { drawing, random, night } = stage;
  layRoom(stage, random.pick(["#8e8f8c", "#989488", "#858b8f"]));
  paintStains(stage, 50, 7, 1.2, ["#3c3a36", "#d8d6ce", "#2e2d2b"]);
  paintTracks(stage, 2, "#2b2a28");
  for (const x of [-2.75, 2.75]) paintLine(stage, x, 3, 40, "#e0bd2e");
  const crossing = random.pick([13.5, 16.2]);
  for (const x of steps(-2.3, 2.3, 0.92)) paintLine(stage, x, crossing - 0.8, crossing + 0.8, "#e9e7df", 0.44);
  for (const y of steps(6, 40, 5.6)) paintRectangle(stage, { left: -half, right: half, near: y, far: y + 0.03 }, "#6f706e", 0.8);
  for (const y of steps(5.4, 38, 2.7)) {
    if (Math.abs(y - crossing) < 1.3) continue;
    // Farther away the front row hides the one behind it.
    for (const x of y < 15 ? [-5.1, 5.1, -3.65, 3.65] : [-3.65, 3.65]) rackBay(stage, x, y);
  }
  if (random.chance(0.6)) drawPerson(drawing, [random.between(-1.5, 1.5), 27, 0], random, "worker");
  if (random.chance(0.5)) drawVehicle(drawing, "forklift", [random.pick([-1, 1]), 33, 0], -away, random);
  const lit = steps(5, 40, 5).filter(() => !night || random.chance(0.4));
  return {
    zones: [
      { left: -2.6, right: 2.6, near: 6, far: 11.5 },
      { left: -2.6, right: 2.6, near: 10.5, far: 18 },
      { left: -2.6, right: 0.4, near: 6, far: 14 },
    ],
    lamps: lit.flatMap((y): Lamp[] => [
      { at: [0, y, 0], radius: 2.6, strength: night ? 0.55 : 0.35 },
      { at: [0, y, height - 0.9], radius: 0.9, strength: 0.8 },
    ]),
    vehicles: ["forklift"],
    headings: [away, -away, -away + 0.3],
    attire: "worker",
  };
}
