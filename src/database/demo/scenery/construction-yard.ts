import { drawPerson, drawVehicle } from "../figures.js";
import type { Vector } from "../perspective.js";
import { type Detail, shade, steps } from "./drawing.js";
import { away, layOpenGround, paintStains, paintTracks, type Setting, type Stage, upright } from "./ground.js";
import { fence, lampPost, palletStack, seams } from "./props.js";

function container({ drawing, random }: Stage, at: Vector, heading: number): void {
  const colour = random.pick(["#2d5c8f", "#a3402c", "#3f6b4a", "#b58b2b"]);
  const bars = [0.15, 0.38, 0.62, 0.85].map((bar): Detail => ["ends", bar, 0.03, bar + 0.02, 0.97, "#a9adb0"]);
  const block = { at, size: [6.06, 2.44, 2.6], heading, colour, details: [...seams("flanks", 22, shade(colour, 0.78), 0.4), ...bars] } as const;
  drawing.shadow(block);
  // Whatever is stacked must cover what it stands on, hence the nudge towards the camera.
  drawing.stand([at[0], at[1] - at[2] * 0.1, 0], drawing.block(block));
}

/** The shell of a building: slabs on columns, with scaffolding in front. */
function shell({ drawing }: Stage): void {
  for (const level of [0, 1, 2]) {
    const up = level * 3.2;
    const columns = steps(3, 18, 5).flatMap((x) =>
      [30, 25].map((y) => drawing.block({ at: [x, y, up], size: [0.45, 0.45, 2.9], colour: "#a09d96" })),
    );
    const slab = drawing.block({ at: [10.5, 27.5, up + 2.9], size: [16.5, 6.5, 0.3], colour: "#b0ada6" });
    drawing.stand([10, 26 - level, 0], drawing.face(upright(3, 18, 31, up, up + 2.9), "#6a6862"), ...columns, slab);
  }
  const boards = [1.9, 3.9, 5.9].flatMap((up) => [
    drawing.block({ at: [10, 23.9, up], size: [16.4, 0.8, 0.07], colour: "#a88a55" }),
    drawing.block({ at: [10, 23.5, up + 1], size: [16.4, 0.05, 0.05], colour: "#b9a25a" }),
  ]);
  const poles = steps(2, 18, 2).map((x) => drawing.block({ at: [x, 23.6, 0], size: [0.07, 0.07, 9], colour: "#b9a25a" }));
  drawing.stand([10, 21.5, 0], ...boards, ...poles);
}

/** A building site with containers, heaps and a lorry. */
export function constructionYard(stage: Stage): Setting {
  const { drawing, random } = stage;
  layOpenGround(stage, random.pick(["#8b7b64", "#94836a", "#7f7465"]));
  paintStains(stage, 90, 18, 2.2, ["#4c3f30", "#b9a98d", "#3c3327"]);
  paintTracks(stage, 7, "#42372a");
  fence(stage, 33, -30, 30);
  shell(stage);
  container(stage, [-13, 25, 0], 0.1);
  container(stage, [-12.6, 25, 2.6], 0.05);
  container(stage, [-12, 18, 0], 0.5);
  drawing.cylinder([-5.5, 22, 0], 3, 1.9, "#b59d73", 0.25);
  for (const x of steps(-9, -5.1, 1.3)) drawing.place({ at: [x, 14.5, 0], size: [1.2, 0.35, 0.85], colour: "#d8d5cf", taper: [0, 0, 0.1] });
  palletStack(stage, 10.5, 14.8, 0.9);
  palletStack(stage, 12.2, 14, 0.7);
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
    lamps: [...lampPost(stage, -9.5, 21.5), ...lampPost(stage, 13.5, 19)],
    vehicles: ["truck", "forklift", "van", "truck"],
    headings: [0.4, Math.PI - 0.4, -away + 0.4, away - 0.5],
    attire: "worker",
  };
}
