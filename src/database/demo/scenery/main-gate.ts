import { drawPerson, drawVehicle } from "../figures.js";
import { shade, steps } from "./drawing.js";
import { away, type Lamp, layOpenGround, paintLine, paintRectangle, paintStains, type Setting, type Stage } from "./ground.js";
import { bollard, fence, lampPost, seams, tree } from "./props.js";

function gatehouse({ drawing, random, night }: Stage): void {
  const colour = random.pick(["#d6d2c6", "#c3cbd0", "#d9c9a8"]);
  const pane = night ? "#f2dfa6" : "#52626d";
  const details = (["flanks", "ends"] as const).flatMap((on) => [
    [on, 0.06, 0.38, 0.47, 0.82, pane, "bright"] as const,
    [on, 0.53, 0.38, 0.94, 0.82, pane, "bright"] as const,
    [on, 0, 0, 1, 0.08, "#77756f"] as const,
  ]);
  const walls = { at: [6.6, 17, 0], size: [3, 3.4, 2.8], colour, details } as const;
  drawing.shadow(walls);
  drawing.stand(walls.at, drawing.block(walls), drawing.block({ at: [6.6, 17, 2.8], size: [3.8, 4.2, 0.25], colour: "#6d7277" }));
}

/** One barrier down across the near lane, one raised. */
function barriers({ drawing }: Stage): void {
  for (const x of [-4.5, 4.5])
    drawing.place({ at: [x, 15.6, 0], size: [0.45, 0.4, 1.1], colour: "#d6a422", details: [["right", 0, 0.8, 1, 0.95, "#2a2c2e"]] });
  for (const piece of steps(0, 7, 1)) {
    const colour = piece % 2 === 0 ? "#c8332b" : "#e9e6df";
    drawing.stand([-2, 15.4, 0], drawing.block({ at: [piece * 0.52 - 4.1, 15.5, 0.92], size: [0.52, 0.06, 0.13], colour }));
    drawing.stand([4.4, 15.4, 0], drawing.block({ at: [4.45 - piece * 0.1, 15.5, 1.05 + piece * 0.5], size: [0.14, 0.06, 0.5], colour }));
  }
}

/** The road through a fence, with a gatehouse and barriers. */
export function mainGate(stage: Stage): Setting {
  const { drawing, random, night } = stage;
  const hall = "#a4a8aa";
  layOpenGround(stage, "#7c8061");
  paintStains(stage, 60, 22, 2.4, ["#565c3c", "#98966e"]);
  paintRectangle(stage, { left: -5.2, right: 9.5, near: 0, far: 21 }, "#8f8d87");
  paintRectangle(stage, { left: -4, right: 4, near: 0, far: 90 }, "#67696b");
  paintStains(stage, 40, 4, 1, ["#1a1a1b", "#8f8e88"]);
  for (const x of [-4, 4]) paintLine(stage, x, 0, 60, "#b9b7b0", 0.22);
  for (const y of steps(3, 60, 3.4)) paintLine(stage, 0, y, y + 1.7, "#e3e1da", 0.14);
  paintRectangle(stage, { left: -3.8, right: -0.2, near: 13.6, far: 14 }, "#e9e7df", 0.85);
  for (const x of steps(4.6, 8.6, 1)) paintLine(stage, x, 0, 21, "#77756f", 0.04);
  drawing.backdrop(drawing.block({ at: [-14, 48, 0], size: [20, 8, 7], colour: hall, details: seams("right", 30, shade(hall, 0.86), 0.2) }));
  fence(stage, 17.5, -32, -5.5);
  fence(stage, 17.5, 10, 32);
  for (const x of [-16, -11, 13, 19]) tree(stage, x + random.between(-1, 1), random.between(22, 30));
  gatehouse(stage);
  barriers(stage);
  for (const y of [8, 10.5, 13]) for (const x of [-4.7, 4.6]) bollard(stage, x, y);
  if (random.chance(0.7)) drawVehicle(drawing, random.pick(["car", "van", "truck"]), [1.9, random.between(24, 30), 0], away, random);
  if (random.chance(0.7)) drawPerson(drawing, [random.between(8.6, 9.2), 14.5, 0], random, "worker");
  const general: Lamp[] = night ? [{ at: [0, 12, 0], radius: 5, strength: 0.5 }] : [];
  return {
    zones: [
      { left: -3.7, right: 3.7, near: 7, far: 13 },
      { left: -3.7, right: -0.2, near: 7, far: 13.3 },
      { left: 0.2, right: 3.8, near: 7.5, far: 15 },
      { left: 4.9, right: 9.2, near: 8, far: 14.5 },
    ],
    lamps: [...lampPost(stage, -6, 19), ...lampPost(stage, 9.8, 19), ...general],
    vehicles: ["car", "truck", "van"],
    headings: [away, -away],
    attire: "visitor",
  };
}
