import type { Vector } from "../perspective.js";
import { type Detail, shade, steps } from "./drawing.js";
import { type Lamp, type Stage, upright } from "./ground.js";

/** Vertical seams, as in sheet metal. */
export const seams = (on: Detail[0], count: number, colour: string, width: number): Detail[] =>
  steps(0.5, count - 0.5, 1).map((seam): Detail => [on, seam / count, 0, (seam + width) / count, 1, colour]);

/** Horizontal joints, as in doors and stacks. */
export const joints = (on: Detail[0], count: number, colour: string): Detail[] =>
  steps(1, count - 1, 1).map((row): Detail => [on, 0, row / count, 1, row / count + 0.015, colour]);

/** A lamp on a tall post; answers the light it gives. */
export function lampPost({ drawing, night }: Stage, x: number, y: number): Lamp[] {
  drawing.stand(
    [x, y, 0],
    drawing.block({ at: [x, y, 0], size: [0.5, 0.5, 0.5], colour: "#8b8d8c" }),
    drawing.block({ at: [x, y, 0], size: [0.14, 0.14, 6.4], colour: "#70767a" }),
    drawing.block({ at: [x, y - 0.7, 6.4], size: [0.3, 1.8, 0.14], colour: night ? "#fff6dc" : "#8f9598" }),
  );
  if (!night) return [];
  return [
    { at: [x, y - 2, 0], radius: 7, strength: 0.75 },
    { at: [x, y - 0.7, 3.5], radius: 3.6, strength: 0.45 },
    { at: [x, y - 0.7, 6.4], radius: 1, strength: 1 },
  ];
}

export function tree({ drawing, random }: Stage, x: number, y: number): void {
  const height = random.between(4, 6.5);
  const crown = random.pick(["#4b6138", "#56703f", "#66733c"]);
  const leaves = steps(0, 1, 0.04).map((share) => {
    const centre = drawing.camera.project([x + random.between(-1, 1) * (1.7 - share * 0.7), y, height * (0.42 + share * 0.55)]);
    const radius = drawing.camera.scale([x, y, 0]) * random.between(0.4, 0.85);
    return `<circle cx="${centre.x}" cy="${centre.y}" r="${radius}" fill="${shade(crown, random.between(0.65, 0.95) + share * 0.3)}"/>`;
  });
  drawing.shadow({ at: [x, y, 0], size: [2, 2, height], colour: crown, taper: [0.6, 0.6, 0.6] });
  drawing.stand([x, y, 0], drawing.block({ at: [x, y, 0], size: [0.25, 0.25, height * 0.6], colour: "#54463a" }), ...leaves);
}

export function fence({ drawing }: Stage, y: number, from: number, to: number): void {
  for (const x of steps(from, to - 2.5, 2.5)) {
    const wires = steps(0.25, 2.25, 0.25).map((along) => drawing.face(upright(x + along, x + along + 0.025, y, 0.1, 2.4), "#7f868a", 0.75));
    const rails = [0.1, 1.2, 2.34].map((up) => drawing.face(upright(x, x + 2.5, y, up, up + 0.06), "#8d9498"));
    drawing.stand([x + 1.2, y, 0], ...wires, ...rails, drawing.block({ at: [x, y, 0], size: [0.1, 0.1, 2.5], colour: "#6a7074" }));
  }
}

export function bollard({ drawing }: Stage, x: number, y: number): void {
  drawing.cylinder([x, y, 0], 0.11, 1, "#dcb021");
  drawing.stand([x, y - 0.12, 0], drawing.block({ at: [x, y - 0.05, 0.62], size: [0.23, 0.14, 0.16], colour: "#26282a" }));
}

/** A loaded pallet: cartons, or something wrapped in foil. */
export function goods({ drawing, random }: Stage, [x, y, up]: Vector, height: number): string {
  const wrapped = random.chance(0.45);
  const colour = random.pick(wrapped ? ["#c7ccca", "#aebfcb", "#8fa3ad"] : ["#b48d60", "#a57d4f", "#c19b6c"]);
  const edge = shade(colour, wrapped ? 0.9 : 0.68);
  const columns = [0.32, 0.66].flatMap((at): Detail[] => (["flanks", "ends"] as const).map((on) => [on, at, 0, at + 0.015, 1, edge]));
  // Beyond that the joints would be thinner than a pixel.
  const close = drawing.camera.depth([x, y, up]) < 26;
  const rows = (["flanks", "ends"] as const).flatMap((on) => joints(on, wrapped ? 6 : Math.round(height / 0.4), edge));
  const pallet = drawing.block({ at: [x, y, up], size: [1.15, 1, 0.13], colour: "#8a6b45" });
  const details = close ? (wrapped ? rows : [...rows, ...columns]) : [];
  return pallet + drawing.block({ at: [x, y, up + 0.13], size: [1.05, 0.92, height], colour, details });
}

export function palletStack(stage: Stage, x: number, y: number, height: number): void {
  stage.drawing.shadow({ at: [x, y, 0], size: [1.15, 1, height], colour: "#000000" });
  stage.drawing.stand([x, y, 0], goods(stage, [x, y, 0], height));
}
