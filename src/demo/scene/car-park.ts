import { type Detail, range } from "../drawing/drawing.js";
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
import { addLampPost, addTree } from "./props.js";

/** Two rows of parked cars in front of an office building. */
export function buildCarPark(context: SceneContext): SceneLayout {
  const { drawing, random, night } = context;
  paintOpenGround(context, random.pick(["#66686a", "#6e6c69", "#5e6265"]));
  paintStains(context, 70, 18, 1.1, ["#191a1b", "#222223", "#9b9a95"]);
  paintRectangle(context, { left: -40, right: 40, near: 27.5, far: 32 }, "#6a7a4c");
  const windows = [0.1, 0.42, 0.74].flatMap((up) =>
    range(0.04, 0.92, 0.08).map(
      (at): Detail => [
        "right",
        at,
        up,
        at + 0.05,
        up + 0.17,
        night && random.chance(0.3) ? "#f0d898" : "#44535f",
        "bright",
      ],
    ),
  );
  drawing.addBackground(
    drawing.renderBlock({
      at: [3, 36, 0],
      size: [34, 6, 10],
      color: random.pick(["#b7aa97", "#a8adb2", "#9d8878"]),
      details: windows,
    }),
  );
  for (const x of range(-20, 20, 2.6)) {
    paintLine(context, x, 21.5, 26.5, "#dcdcd6");
    paintLine(context, x, 5, 9, "#dcdcd6");
    if (random.chance(0.72))
      drawVehicle(
        drawing,
        random.chance(0.15) ? "van" : "car",
        [x + 1.3, 24, 0],
        random.pick([headingAway, -headingAway]),
        random,
      );
  }
  // The middle of the near row stays free for the people and vehicles of alerts.
  for (const x of [-9.1, -6.5, 6.5, 9.1])
    if (random.chance(0.8)) drawVehicle(drawing, "car", [x, 10.2, 0], headingAway, random);
  for (const x of [-13, -4, 8, 15]) addTree(context, x + random.between(-1, 1), 29.5);
  drawPerson(drawing, [random.between(-9, 9), 19.8, 0], random, "visitor");
  const general: Lamp[] = night ? [{ at: [0, 12, 0], radius: 6, strength: 0.4 }] : [];
  return {
    zones: [
      { left: -6, right: 1, near: 12, far: 19 },
      { left: 0, right: 7.5, near: 12, far: 19 },
      { left: -5, right: 5, near: 7, far: 12 },
    ],
    lamps: [...addLampPost(context, -8, 28), ...addLampPost(context, 7, 28), ...general],
    vehicles: ["car", "car", "van"],
    headings: [0.1, Math.PI + 0.1, 0.35],
    clothing: "visitor",
  };
}
