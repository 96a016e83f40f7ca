import { range } from "../drawing/drawing.js";
import { drawPerson } from "../drawing/people.js";
import { drawVehicle } from "../drawing/vehicles.js";
import {
  headingAway,
  type Lamp,
  paintBareFloor,
  paintLine,
  paintRectangle,
  paintStains,
  paintWheelTracks,
  type SceneContext,
  type SceneLayout,
  verticalRectangle,
} from "./ground.js";
import { horizontalJoints, renderLoadedPallet } from "./props.js";

const depth = 44;
const height = 8.5;
const half = 7.5;

/** Draws the floor and the far wall, the only wall visible between the racks. */
function drawRoom(context: SceneContext, floor: string): void {
  const { drawing } = context;
  paintBareFloor(context, floor);
  drawing.addBackground(
    drawing.renderPolygon(verticalRectangle(-50, 50, depth, 0, 30), "#777a79"),
    drawing.renderPolygon(verticalRectangle(-half, half, depth, 0, height), "#a7abaa", 1, "down"),
    drawing.renderBlock({
      at: [0, depth - 0.2, 0],
      size: [4, 0.2, 4.2],
      color: "#c9cdcb",
      details: horizontalJoints("right", 8, "#8f9492"),
    }),
  );
}

/** Adds one bay of a pallet rack, with openings toward the aisle. */
function addRackBay(context: SceneContext, x: number, y: number): void {
  const { drawing, random } = context;
  const posts = (along: number): string[] =>
    [-0.5, 0.5].map((across) =>
      drawing.renderBlock({ at: [x + across, y + along, 0], size: [0.1, 0.1, 7.5], color: "#2d5590" }),
    );
  const levels = range(0, 5.25, 1.75).flatMap((up) => {
    const loads = [0.62, -0.62].filter(() => random.chance(0.86));
    const beams = up === 0 ? [] : [-0.52, 0.52].map((across) => (x < 0 ? across : -across));
    return [
      ...loads.map((along) =>
        renderLoadedPallet(context, [x, y + along, up + 0.14], random.between(0.7, 1.3)),
      ),
      ...beams.map((across) =>
        drawing.renderBlock({ at: [x + across, y, up], size: [0.06, 2.6, 0.14], color: "#d9702a" }),
      ),
    ];
  });
  drawing.addShadow({ at: [x, y, 0], size: [1.2, 2.6, 1], color: "#000000" });
  drawing.addObject([x, y, 0], ...posts(1.3), ...levels, ...posts(-1.3));
}

/** An aisle between high racks, with a pedestrian crossing. */
export function buildWarehouseAisle(context: SceneContext): SceneLayout {
  const { drawing, random, night } = context;
  drawRoom(context, random.pick(["#8e8f8c", "#989488", "#858b8f"]));
  paintStains(context, 50, 7, 1.2, ["#3c3a36", "#d8d6ce", "#2e2d2b"]);
  paintWheelTracks(context, 2, "#2b2a28");
  for (const x of [-2.75, 2.75]) paintLine(context, x, 3, 40, "#e0bd2e");
  const crossing = random.pick([13.5, 16.2]);
  for (const x of range(-2.3, 2.3, 0.92))
    paintLine(context, x, crossing - 0.8, crossing + 0.8, "#e9e7df", 0.44);
  for (const y of range(6, 40, 5.6))
    paintRectangle(context, { left: -half, right: half, near: y, far: y + 0.03 }, "#6f706e", 0.8);
  for (const y of range(5.4, 38, 2.7)) {
    if (Math.abs(y - crossing) < 1.3) continue;
    // Farther away, the front row of racks hides the row behind it.
    for (const x of y < 15 ? [-5.1, 5.1, -3.65, 3.65] : [-3.65, 3.65]) addRackBay(context, x, y);
  }
  if (random.chance(0.6)) drawPerson(drawing, [random.between(-1.5, 1.5), 27, 0], random, "worker");
  if (random.chance(0.5))
    drawVehicle(drawing, "forklift", [random.pick([-1, 1]), 33, 0], -headingAway, random);
  const lit = range(5, 40, 5).filter(() => !night || random.chance(0.4));
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
    headings: [headingAway, -headingAway, -headingAway + 0.3],
    clothing: "worker",
  };
}
