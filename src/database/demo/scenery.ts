import { Camera } from "./perspective.js";
import { SeededRandom } from "./random.js";
import { carPark } from "./scenery/car-park.js";
import { constructionYard } from "./scenery/construction-yard.js";
import { Drawing } from "./scenery/drawing.js";
import type { Setting, Stage } from "./scenery/ground.js";
import { loadingDock } from "./scenery/loading-dock.js";
import { mainGate } from "./scenery/main-gate.js";
import { warehouseAisle } from "./scenery/warehouse-aisle.js";

/** The kinds of places that cameras look at. */
export const sceneKinds = ["loading-dock", "warehouse-aisle", "construction-yard", "car-park", "main-gate"] as const;

export type SceneKind = (typeof sceneKinds)[number];

/** A place with everything that belongs there. */
export interface Scenery extends Setting {
  drawing: Drawing;
  indoors: boolean;
  night: boolean;
}

interface Mounting {
  build(stage: Stage): Setting;
  height: number;
  pitch: number;
}

const mountings: Record<SceneKind, Mounting> = {
  "loading-dock": { build: loadingDock, height: 5.6, pitch: 0.35 },
  "warehouse-aisle": { build: warehouseAisle, height: 4.6, pitch: 0.32 },
  "construction-yard": { build: constructionYard, height: 6, pitch: 0.34 },
  "car-park": { build: carPark, height: 6, pitch: 0.34 },
  "main-gate": { build: mainGate, height: 5.2, pitch: 0.32 },
};

/** Builds the place a camera looks at; the same arguments always give the same place. */
export function buildScenery(kind: SceneKind, seed: number, night: boolean): Scenery {
  const random = new SeededRandom(seed);
  const { build, height, pitch } = mountings[kind];
  const camera = new Camera({
    height: height * random.between(0.92, 1.1),
    pitch: pitch + random.between(-0.02, 0.05),
    yaw: random.between(-0.16, 0.16),
    focal: random.between(840, 960),
    mirrored: random.chance(0.5),
  });
  const indoors = kind === "warehouse-aisle";
  const drawing = new Drawing(camera, indoors || night ? [0.08, 0.06] : [random.between(0.35, 0.9), random.between(-0.5, 0.3)]);
  return { ...build({ drawing, random, night }), drawing, indoors, night };
}
