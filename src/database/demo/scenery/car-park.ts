import { drawPerson, drawVehicle } from "../figures.js";
import { type Detail, steps } from "./drawing.js";
import { away, type Lamp, layOpenGround, paintLine, paintRectangle, paintStains, type Setting, type Stage } from "./ground.js";
import { lampPost, tree } from "./props.js";

/** Two rows of parked cars before an office building. */
export function carPark(stage: Stage): Setting {
  const { drawing, random, night } = stage;
  layOpenGround(stage, random.pick(["#66686a", "#6e6c69", "#5e6265"]));
  paintStains(stage, 70, 18, 1.1, ["#191a1b", "#222223", "#9b9a95"]);
  paintRectangle(stage, { left: -40, right: 40, near: 27.5, far: 32 }, "#6a7a4c");
  const windows = [0.1, 0.42, 0.74].flatMap((up) =>
    steps(0.04, 0.92, 0.08).map(
      (at): Detail => ["right", at, up, at + 0.05, up + 0.17, night && random.chance(0.3) ? "#f0d898" : "#44535f", "bright"],
    ),
  );
  drawing.backdrop(drawing.block({ at: [3, 36, 0], size: [34, 6, 10], colour: random.pick(["#b7aa97", "#a8adb2", "#9d8878"]), details: windows }));
  for (const x of steps(-20, 20, 2.6)) {
    paintLine(stage, x, 21.5, 26.5, "#dcdcd6");
    paintLine(stage, x, 5, 9, "#dcdcd6");
    if (random.chance(0.72)) drawVehicle(drawing, random.chance(0.15) ? "van" : "car", [x + 1.3, 24, 0], random.pick([away, -away]), random);
  }
  // The near row stays empty in the middle, where people and vehicles turn up.
  for (const x of [-9.1, -6.5, 6.5, 9.1]) if (random.chance(0.8)) drawVehicle(drawing, "car", [x, 10.2, 0], away, random);
  for (const x of [-13, -4, 8, 15]) tree(stage, x + random.between(-1, 1), 29.5);
  drawPerson(drawing, [random.between(-9, 9), 19.8, 0], random, "visitor");
  const general: Lamp[] = night ? [{ at: [0, 12, 0], radius: 6, strength: 0.4 }] : [];
  return {
    zones: [
      { left: -6, right: 1, near: 12, far: 19 },
      { left: 0, right: 7.5, near: 12, far: 19 },
      { left: -5, right: 5, near: 7, far: 12 },
    ],
    lamps: [...lampPost(stage, -8, 28), ...lampPost(stage, 7, 28), ...general],
    vehicles: ["car", "car", "van"],
    headings: [0.1, Math.PI + 0.1, 0.35],
    attire: "visitor",
  };
}
