import { range, shade } from "../drawing/drawing.js";
import { drawPerson } from "../drawing/people.js";
import { drawVehicle } from "../drawing/vehicles.js";
import {
  headingAway,
  type Lamp,
  paintLine,
  paintOpenGround,
  paintRectangle,
  paintStains,
  type SceneContext,
  type SceneLayout,
} from "./ground.js";
import { addBollard, addFence, addLampPost, addTree, verticalSeams } from "./props.js";

function addGatehouse({ drawing, random, night }: SceneContext): void {
  const color = random.pick(["#d6d2c6", "#c3cbd0", "#d9c9a8"]);
  const pane = night ? "#f2dfa6" : "#52626d";
  const details = (["flanks", "ends"] as const).flatMap((on) => [
    [on, 0.06, 0.38, 0.47, 0.82, pane, "bright"] as const,
    [on, 0.53, 0.38, 0.94, 0.82, pane, "bright"] as const,
    [on, 0, 0, 1, 0.08, "#77756f"] as const,
  ]);
  const walls = { at: [6.6, 17, 0], size: [3, 3.4, 2.8], color, details } as const;
  drawing.addShadow(walls);
  drawing.addObject(
    walls.at,
    drawing.renderBlock(walls),
    drawing.renderBlock({ at: [6.6, 17, 2.8], size: [3.8, 4.2, 0.25], color: "#6d7277" }),
  );
}

/** Two barriers: the left one is closed, the right one raised. */
function addBarriers({ drawing }: SceneContext): void {
  for (const x of [-4.5, 4.5])
    drawing.addBlock({
      at: [x, 15.6, 0],
      size: [0.45, 0.4, 1.1],
      color: "#d6a422",
      details: [["right", 0, 0.8, 1, 0.95, "#2a2c2e"]],
    });
  for (const piece of range(0, 7, 1)) {
    const color = piece % 2 === 0 ? "#c8332b" : "#e9e6df";
    drawing.addObject(
      [-2, 15.4, 0],
      drawing.renderBlock({ at: [piece * 0.52 - 4.1, 15.5, 0.92], size: [0.52, 0.06, 0.13], color }),
    );
    drawing.addObject(
      [4.4, 15.4, 0],
      drawing.renderBlock({
        at: [4.45 - piece * 0.1, 15.5, 1.05 + piece * 0.5],
        size: [0.14, 0.06, 0.5],
        color,
      }),
    );
  }
}

/** The road through a fence, with a gatehouse and barriers. */
export function buildMainGate(context: SceneContext): SceneLayout {
  const { drawing, random, night } = context;
  const hall = "#a4a8aa";
  paintOpenGround(context, "#7c8061");
  paintStains(context, 60, 22, 2.4, ["#565c3c", "#98966e"]);
  paintRectangle(context, { left: -5.2, right: 9.5, near: 0, far: 21 }, "#8f8d87");
  paintRectangle(context, { left: -4, right: 4, near: 0, far: 90 }, "#67696b");
  paintStains(context, 40, 4, 1, ["#1a1a1b", "#8f8e88"]);
  for (const x of [-4, 4]) paintLine(context, x, 0, 60, "#b9b7b0", 0.22);
  for (const y of range(3, 60, 3.4)) paintLine(context, 0, y, y + 1.7, "#e3e1da", 0.14);
  paintRectangle(context, { left: -3.8, right: -0.2, near: 13.6, far: 14 }, "#e9e7df", 0.85);
  for (const x of range(4.6, 8.6, 1)) paintLine(context, x, 0, 21, "#77756f", 0.04);
  drawing.addBackground(
    drawing.renderBlock({
      at: [-14, 48, 0],
      size: [20, 8, 7],
      color: hall,
      details: verticalSeams("right", 30, shade(hall, 0.86), 0.2),
    }),
  );
  addFence(context, 17.5, -32, -5.5);
  addFence(context, 17.5, 10, 32);
  for (const x of [-16, -11, 13, 19]) addTree(context, x + random.between(-1, 1), random.between(22, 30));
  addGatehouse(context);
  addBarriers(context);
  for (const y of [8, 10.5, 13]) for (const x of [-4.7, 4.6]) addBollard(context, x, y);
  if (random.chance(0.7))
    drawVehicle(
      drawing,
      random.pick(["car", "van", "truck"]),
      [1.9, random.between(24, 30), 0],
      headingAway,
      random,
    );
  if (random.chance(0.7)) drawPerson(drawing, [random.between(8.6, 9.2), 14.5, 0], random, "worker");
  const general: Lamp[] = night ? [{ at: [0, 12, 0], radius: 5, strength: 0.5 }] : [];
  return {
    zones: [
      { left: -3.7, right: 3.7, near: 7, far: 13 },
      { left: -3.7, right: -0.2, near: 7, far: 13.3 },
      { left: 0.2, right: 3.8, near: 7.5, far: 15 },
      { left: 4.9, right: 9.2, near: 8, far: 14.5 },
    ],
    lamps: [...addLampPost(context, -6, 19), ...addLampPost(context, 9.8, 19), ...general],
    vehicles: ["car", "truck", "van"],
    headings: [headingAway, -headingAway],
    clothing: "visitor",
  };
}
