import { Drawing } from "../drawing/drawing.js";
import { PinholeCamera } from "../drawing/perspective.js";
import { SeededRandom } from "../seeded-random.js";
import { buildCarPark } from "./car-park.js";
import { buildConstructionYard } from "./construction-yard.js";
import type { SceneContext, SceneLayout } from "./ground.js";
import { buildLoadingDock } from "./loading-dock.js";
import { buildMainGate } from "./main-gate.js";
import { buildWarehouseAisle } from "./warehouse-aisle.js";

/** The kinds of scenes that demo cameras film. */
export type SceneKind = "loading-dock" | "warehouse-aisle" | "construction-yard" | "car-park" | "main-gate";

/** A scene with its camera, drawing and layout. */
export interface SceneModel extends SceneLayout {
  drawing: Drawing;
  indoors: boolean;
  night: boolean;
}

interface SceneDefinition {
  build(context: SceneContext): SceneLayout;
  height: number;
  pitch: number;
}

const sceneDefinitions: Record<SceneKind, SceneDefinition> = {
  "loading-dock": { build: buildLoadingDock, height: 5.6, pitch: 0.35 },
  "warehouse-aisle": { build: buildWarehouseAisle, height: 4.6, pitch: 0.32 },
  "construction-yard": { build: buildConstructionYard, height: 6, pitch: 0.34 },
  "car-park": { build: buildCarPark, height: 6, pitch: 0.34 },
  "main-gate": { build: buildMainGate, height: 5.2, pitch: 0.32 },
};

/** Builds the scene that a camera films. Deterministic for the same arguments. */
export function buildSceneModel(kind: SceneKind, seed: number, night: boolean): SceneModel {
  const random = new SeededRandom(seed);
  const { build, height, pitch } = sceneDefinitions[kind];
  const camera = new PinholeCamera({
    height: height * random.between(0.92, 1.1),
    pitch: pitch + random.between(-0.02, 0.05),
    yaw: random.between(-0.16, 0.16),
    focalLength: random.between(840, 960),
    mirrored: random.chance(0.5),
  });
  const indoors = kind === "warehouse-aisle";
  const drawing = new Drawing(
    camera,
    indoors || night ? [0.08, 0.06] : [random.between(0.35, 0.9), random.between(-0.5, 0.3)],
  );
  return { ...build({ drawing, random, night }), drawing, indoors, night };
}
