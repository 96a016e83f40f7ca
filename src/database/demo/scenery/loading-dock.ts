import { drawVehicle } from "../figures.js";
import { shade, steps } from "./drawing.js";
import { away, layOpenGround, paintLine, paintStains, paintTracks, type Setting, type Stage } from "./ground.js";
import { bollard, joints, palletStack, seams } from "./props.js";

/** The yard before the doors of a warehouse, lorries backed up to some of them. */
export function loadingDock(stage: Stage): Setting {
  const { drawing, random, night } = stage;
  const wall = random.pick(["#a9b0b3", "#b9b2a3", "#8f9ba6"]);
  const door = random.pick(["#d5d8d8", "#e0ddd2"]);
  layOpenGround(stage, "#6d6e6e");
  paintStains(stage, 60, 16, 1.6, ["#1d1d1e", "#2b2a28", "#a3a29c"]);
  paintTracks(stage, 4, "#1b1b1c");
  const band = random.pick(["#2c5aa0", "#b5302a", "#3b7a55"]);
  drawing.backdrop(
    drawing.block({
      at: [0, 24, 0],
      size: [60, 4, 9],
      colour: wall,
      details: [["right", 0, 0, 1, 0.12, shade(wall, 0.7)], ...seams("right", 90, shade(wall, 0.92), 0.3), ["right", 0, 0.72, 1, 0.76, band]],
    }),
  );
  const doors = steps(-12.6, 12.6, 4.2);
  const occupied = random.shuffled(doors).slice(0, 3);
  for (const x of doors) {
    const open = !occupied.includes(x) && random.chance(0.15);
    paintLine(stage, x - 2.1, 11.5, 22, "#d9bd3c", 0.14);
    drawing.backdrop(
      drawing.block({ at: [x, 21.9, 1], size: [3.5, 0.25, 3.7], colour: "#26282a" }),
      drawing.block({
        at: [x, 21.75, 1.15],
        size: [2.7, 0.1, 3.1],
        colour: open ? "#3b3a35" : door,
        details: open ? [] : [...joints("right", 7, shade(door, 0.7)), ["right", 0.4, 0.6, 0.6, 0.68, "#3a4650"]],
      }),
      ...[-1.1, 1.1].map((side) => drawing.block({ at: [x + side, 21.7, 0.6], size: [0.4, 0.35, 0.5], colour: "#151617" })),
      drawing.block({ at: [x, 21.8, 4.9], size: [0.5, 0.3, 0.2], colour: night ? "#fff4d8" : "#d8d8d0" }),
    );
    bollard(stage, x + 2.1, 21);
    if (occupied.includes(x)) drawVehicle(drawing, "truck", [x, 17, 0], -away, random);
  }
  palletStack(stage, -13.5, 12.5, 1.1);
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
    headings: [-away, 0.2, away, Math.PI - 0.2],
    attire: "worker",
  };
}
