import { range, shade } from "../drawing/drawing.js";
import { drawVehicle } from "../drawing/vehicles.js";
import {
  headingAway,
  paintLine,
  paintOpenGround,
  paintStains,
  paintWheelTracks,
  type SceneContext,
  type SceneLayout,
} from "./ground.js";
import { addBollard, addPalletStack, horizontalJoints, verticalSeams } from "./props.js";

/**
 * The yard in front of a warehouse's dock doors, with trucks backed up to some of them.
 */
export function buildLoadingDock(context: SceneContext): SceneLayout {
  const { drawing, random, night } = context;
  const wall = random.pick(["#a9b0b3", "#b9b2a3", "#8f9ba6"]);
  const door = random.pick(["#d5d8d8", "#e0ddd2"]);
  paintOpenGround(context, "#6d6e6e");
  paintStains(context, 60, 16, 1.6, ["#1d1d1e", "#2b2a28", "#a3a29c"]);
  paintWheelTracks(context, 4, "#1b1b1c");
  const band = random.pick(["#2c5aa0", "#b5302a", "#3b7a55"]);
  drawing.addBackground(
    drawing.renderBlock({
      at: [0, 24, 0],
      size: [60, 4, 9],
      color: wall,
      details: [
        ["right", 0, 0, 1, 0.12, shade(wall, 0.7)],
        ...verticalSeams("right", 90, shade(wall, 0.92), 0.3),
        ["right", 0, 0.72, 1, 0.76, band],
      ],
    }),
  );
  const doors = range(-12.6, 12.6, 4.2);
  const occupied = random.shuffled(doors).slice(0, 3);
  for (const x of doors) {
    const open = !occupied.includes(x) && random.chance(0.15);
    paintLine(context, x - 2.1, 11.5, 22, "#d9bd3c", 0.14);
    drawing.addBackground(
      drawing.renderBlock({ at: [x, 21.9, 1], size: [3.5, 0.25, 3.7], color: "#26282a" }),
      drawing.renderBlock({
        at: [x, 21.75, 1.15],
        size: [2.7, 0.1, 3.1],
        color: open ? "#3b3a35" : door,
        details: open
          ? []
          : [...horizontalJoints("right", 7, shade(door, 0.7)), ["right", 0.4, 0.6, 0.6, 0.68, "#3a4650"]],
      }),
      ...[-1.1, 1.1].map((side) =>
        drawing.renderBlock({ at: [x + side, 21.7, 0.6], size: [0.4, 0.35, 0.5], color: "#151617" }),
      ),
      drawing.renderBlock({
        at: [x, 21.8, 4.9],
        size: [0.5, 0.3, 0.2],
        color: night ? "#fff4d8" : "#d8d8d0",
      }),
    );
    addBollard(context, x + 2.1, 21);
    if (occupied.includes(x)) drawVehicle(drawing, "truck", [x, 17, 0], -headingAway, random);
  }
  addPalletStack(context, -13.5, 12.5, 1.1);
  const free = doors.filter((x) => !occupied.includes(x) && Math.abs(x) < 9);
  return {
    zones: [
      { left: -8, right: -0.5, near: 7, far: 11 },
      { left: 0.5, right: 8, near: 7, far: 11 },
      ...free.map((x) => ({ left: x - 1.9, right: x + 1.9, near: 12, far: 19.5 })),
    ],
    lamps: (night ? doors : []).flatMap((x) => [
      { at: [x, 19.5, 0], radius: 2.6, strength: 0.6 } as const,
      { at: [x, 21.6, 3.6], radius: 1.9, strength: 0.8 } as const,
    ]),
    vehicles: ["forklift", "forklift", "van", "truck"],
    headings: [-headingAway, 0.2, headingAway, Math.PI - 0.2],
    clothing: "worker",
  };
}
