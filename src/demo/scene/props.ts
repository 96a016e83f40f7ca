import { type Detail, range, shade } from "../drawing/drawing.js";
import type { Vector } from "../drawing/perspective.js";
import { type Lamp, type SceneContext, verticalRectangle } from "./ground.js";

/** Vertical seams, as on sheet metal. */
export const verticalSeams = (on: Detail[0], count: number, color: string, width: number): Detail[] =>
  range(0.5, count - 0.5, 1).map((seam): Detail => [on, seam / count, 0, (seam + width) / count, 1, color]);

/** Horizontal joints, as on roller doors and stacked cartons. */
export const horizontalJoints = (on: Detail[0], count: number, color: string): Detail[] =>
  range(1, count - 1, 1).map((row): Detail => [on, 0, row / count, 1, row / count + 0.015, color]);

/** Adds a lamp on a tall post and returns its lights. */
export function addLampPost({ drawing, night }: SceneContext, x: number, y: number): Lamp[] {
  drawing.addObject(
    [x, y, 0],
    drawing.renderBlock({ at: [x, y, 0], size: [0.5, 0.5, 0.5], color: "#8b8d8c" }),
    drawing.renderBlock({ at: [x, y, 0], size: [0.14, 0.14, 6.4], color: "#70767a" }),
    drawing.renderBlock({
      at: [x, y - 0.7, 6.4],
      size: [0.3, 1.8, 0.14],
      color: night ? "#fff6dc" : "#8f9598",
    }),
  );
  if (!night) return [];
  return [
    { at: [x, y - 2, 0], radius: 7, strength: 0.75 },
    { at: [x, y - 0.7, 3.5], radius: 3.6, strength: 0.45 },
    { at: [x, y - 0.7, 6.4], radius: 1, strength: 1 },
  ];
}

export function addTree({ drawing, random }: SceneContext, x: number, y: number): void {
  const height = random.between(4, 6.5);
  const crown = random.pick(["#4b6138", "#56703f", "#66733c"]);
  const leaves = range(0, 1, 0.04).map((share) => {
    const center = drawing.camera.project([
      x + random.between(-1, 1) * (1.7 - share * 0.7),
      y,
      height * (0.42 + share * 0.55),
    ]);
    const radius = drawing.camera.pixelsPerMeter([x, y, 0]) * random.between(0.4, 0.85);
    return `<circle cx="${center.x}" cy="${center.y}" r="${radius}" fill="${shade(crown, random.between(0.65, 0.95) + share * 0.3)}"/>`;
  });
  drawing.addShadow({ at: [x, y, 0], size: [2, 2, height], color: crown, taper: [0.6, 0.6, 0.6] });
  drawing.addObject(
    [x, y, 0],
    drawing.renderBlock({ at: [x, y, 0], size: [0.25, 0.25, height * 0.6], color: "#54463a" }),
    ...leaves,
  );
}

export function addFence({ drawing }: SceneContext, y: number, from: number, to: number): void {
  for (const x of range(from, to - 2.5, 2.5)) {
    const wires = range(0.25, 2.25, 0.25).map((along) =>
      drawing.renderPolygon(verticalRectangle(x + along, x + along + 0.025, y, 0.1, 2.4), "#7f868a", 0.75),
    );
    const rails = [0.1, 1.2, 2.34].map((up) =>
      drawing.renderPolygon(verticalRectangle(x, x + 2.5, y, up, up + 0.06), "#8d9498"),
    );
    drawing.addObject(
      [x + 1.2, y, 0],
      ...wires,
      ...rails,
      drawing.renderBlock({ at: [x, y, 0], size: [0.1, 0.1, 2.5], color: "#6a7074" }),
    );
  }
}

export function addBollard({ drawing }: SceneContext, x: number, y: number): void {
  drawing.addCylinder([x, y, 0], 0.11, 1, "#dcb021");
  drawing.addObject(
    [x, y - 0.12, 0],
    drawing.renderBlock({ at: [x, y - 0.05, 0.62], size: [0.23, 0.14, 0.16], color: "#26282a" }),
  );
}

/** Renders a loaded pallet: cartons, or goods wrapped in foil. */
export function renderLoadedPallet(
  { drawing, random }: SceneContext,
  [x, y, up]: Vector,
  height: number,
): string {
  const wrapped = random.chance(0.45);
  const color = random.pick(wrapped ? ["#c7ccca", "#aebfcb", "#8fa3ad"] : ["#b48d60", "#a57d4f", "#c19b6c"]);
  const edge = shade(color, wrapped ? 0.9 : 0.68);
  const columns = [0.32, 0.66].flatMap((at): Detail[] =>
    (["flanks", "ends"] as const).map((on) => [on, at, 0, at + 0.015, 1, edge]),
  );
  // Farther away, the joints would be thinner than a pixel.
  const close = drawing.camera.depth([x, y, up]) < 26;
  const rows = (["flanks", "ends"] as const).flatMap((on) =>
    horizontalJoints(on, wrapped ? 6 : Math.round(height / 0.4), edge),
  );
  const pallet = drawing.renderBlock({ at: [x, y, up], size: [1.15, 1, 0.13], color: "#8a6b45" });
  const details = close ? (wrapped ? rows : [...rows, ...columns]) : [];
  return pallet + drawing.renderBlock({ at: [x, y, up + 0.13], size: [1.05, 0.92, height], color, details });
}

export function addPalletStack(context: SceneContext, x: number, y: number, height: number): void {
  context.drawing.addShadow({ at: [x, y, 0], size: [1.15, 1, height], color: "#000000" });
  context.drawing.addObject([x, y, 0], renderLoadedPallet(context, [x, y, 0], height));
}
