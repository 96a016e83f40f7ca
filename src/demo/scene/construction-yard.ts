import { type Detail, range, shade } from "../drawing/drawing.js";
import { drawPerson } from "../drawing/people.js";
import type { Vector } from "../drawing/perspective.js";
import { drawVehicle } from "../drawing/vehicles.js";
import {
  headingAway,
  paintOpenGround,
  paintStains,
  paintWheelTracks,
  type SceneContext,
  type SceneLayout,
  verticalRectangle,
} from "./ground.js";
import { addFence, addLampPost, addPalletStack, verticalSeams } from "./props.js";

function addContainer({ drawing, random }: SceneContext, at: Vector, heading: number): void {
  const color = random.pick(["#2d5c8f", "#a3402c", "#3f6b4a", "#b58b2b"]);
  const bars = [0.15, 0.38, 0.62, 0.85].map(
    (bar): Detail => ["ends", bar, 0.03, bar + 0.02, 0.97, "#a9adb0"],
  );
  const block = {
    at,
    size: [6.06, 2.44, 2.6],
    heading,
    color,
    details: [...verticalSeams("flanks", 22, shade(color, 0.78), 0.4), ...bars],
  } as const;
  drawing.addShadow(block);
  // Sort a stacked container slightly closer to the camera, because it must cover the one
  // below.
  drawing.addObject([at[0], at[1] - at[2] * 0.1, 0], drawing.renderBlock(block));
}

/** The shell of a building: slabs on columns, with scaffolding in front. */
function addBuildingShell({ drawing }: SceneContext): void {
  for (const level of [0, 1, 2]) {
    const up = level * 3.2;
    const columns = range(3, 18, 5).flatMap((x) =>
      [30, 25].map((y) => drawing.renderBlock({ at: [x, y, up], size: [0.45, 0.45, 2.9], color: "#a09d96" })),
    );
    const slab = drawing.renderBlock({
      at: [10.5, 27.5, up + 2.9],
      size: [16.5, 6.5, 0.3],
      color: "#b0ada6",
    });
    drawing.addObject(
      [10, 26 - level, 0],
      drawing.renderPolygon(verticalRectangle(3, 18, 31, up, up + 2.9), "#6a6862"),
      ...columns,
      slab,
    );
  }
  const boards = [1.9, 3.9, 5.9].flatMap((up) => [
    drawing.renderBlock({ at: [10, 23.9, up], size: [16.4, 0.8, 0.07], color: "#a88a55" }),
    drawing.renderBlock({ at: [10, 23.5, up + 1], size: [16.4, 0.05, 0.05], color: "#b9a25a" }),
  ]);
  const poles = range(2, 18, 2).map((x) =>
    drawing.renderBlock({ at: [x, 23.6, 0], size: [0.07, 0.07, 9], color: "#b9a25a" }),
  );
  drawing.addObject([10, 21.5, 0], ...boards, ...poles);
}

/** A construction site with containers, a heap of sand and a truck. */
export function buildConstructionYard(context: SceneContext): SceneLayout {
  const { drawing, random } = context;
  paintOpenGround(context, random.pick(["#8b7b64", "#94836a", "#7f7465"]));
  paintStains(context, 90, 18, 2.2, ["#4c3f30", "#b9a98d", "#3c3327"]);
  paintWheelTracks(context, 7, "#42372a");
  addFence(context, 33, -30, 30);
  addBuildingShell(context);
  addContainer(context, [-13, 25, 0], 0.1);
  addContainer(context, [-12.6, 25, 2.6], 0.05);
  addContainer(context, [-12, 18, 0], 0.5);
  drawing.addCylinder([-5.5, 22, 0], 3, 1.9, "#b59d73", 0.25);
  for (const x of range(-9, -5.1, 1.3))
    drawing.addBlock({ at: [x, 14.5, 0], size: [1.2, 0.35, 0.85], color: "#d8d5cf", taper: [0, 0, 0.1] });
  addPalletStack(context, 10.5, 14.8, 0.9);
  addPalletStack(context, 12.2, 14, 0.7);
  drawVehicle(drawing, "truck", [2.5, 20, 0], random.pick([0.15, Math.PI - 0.15]), random);
  drawPerson(drawing, [7.5, 20.5, 0], random, "worker");
  drawPerson(drawing, [-7.5, 17.5, 0], random, "worker");
  return {
    zones: [
      { left: -6.5, right: 0.5, near: 7.5, far: 13 },
      { left: 0.5, right: 7.5, near: 8.5, far: 15 },
      { left: -3.5, right: 3, near: 6.5, far: 11 },
      { left: -4, right: 5, near: 12, far: 17.5 },
    ],
    lamps: [...addLampPost(context, -9.5, 21.5), ...addLampPost(context, 13.5, 19)],
    vehicles: ["truck", "forklift", "van", "truck"],
    headings: [0.4, Math.PI - 0.4, -headingAway + 0.4, headingAway - 0.5],
    clothing: "worker",
  };
}
