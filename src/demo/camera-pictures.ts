import sharp from "sharp";
import type { ObjectStore } from "../storage/object-store.js";
import { type CameraDefinition, pictureFolder, type RuleDefinition } from "./fleet-definition.js";
import { type Point, pictureSize, Scene } from "./scene/scene.js";

/**
 * The area of an alert rule in the camera's picture, and the pictures that the rule's
 * alerts share.
 */
export interface RulePictures {
  area: Point[];
  variants: { picture: string; thumbnail: string; coordinates: Point[] }[];
}

/** Object store keys of one camera's pictures. */
export interface CameraPictures {
  frame: string;
  calibrated: string;
  cropped: string;
  grid: string;
  rules: RulePictures[];
}

const variantsPerRule = 3;

/**
 * The scene that a camera of the demo fleet films. `index` identifies the camera and
 * seeds the scene.
 */
export const renderScene = (
  index: number,
  { scene: kind, night = false }: CameraDefinition,
): Promise<Scene> => Scene.render({ kind, seed: 100 + index, night });

/** Draws and stores the pictures of one camera. */
export async function storeCameraPictures(
  store: ObjectStore,
  index: number,
  camera: CameraDefinition,
  rules: RuleDefinition[],
): Promise<CameraPictures> {
  const scene = await renderScene(index, camera);
  const storePicture = async (name: string, content: Buffer) => {
    const key = `${pictureFolder(index)}/${name}.jpg`;
    await store.put(key, content);
    return key;
  };
  const pictures: RulePictures[] = [];
  for (const [position, rule] of rules.entries()) {
    const area = scene.areaOf(position);
    const variants = [];
    for (let variant = 0; variant < variantsPerRule; variant += 1) {
      const seed = index * 100 + position * 10 + variant;
      const alert = await scene.renderAlert({ area, objectKind: rule.object, seed });
      variants.push({
        picture: await storePicture(`alert-${position}-${variant}`, alert.picture),
        thumbnail: await storePicture(`alert-${position}-${variant}-small`, alert.thumbnail),
        coordinates: alert.coordinates,
      });
    }
    pictures.push({ area, variants });
  }
  return {
    frame: await storePicture("frame", scene.frame),
    calibrated: await storePicture("calibrated", scene.frame),
    cropped: await storePicture(
      "cropped",
      await sharp(scene.frame).extract({ left: 60, top: 380, width: 1160, height: 340 }).toBuffer(),
    ),
    grid: await storePicture(
      "grid",
      await sharp(scene.frame)
        .composite([{ input: gridOverlay() }])
        .toBuffer(),
    ),
    rules: pictures,
  };
}

/** The floor points of the demo calibrations, in pixels. */
export const calibrationPoints: Point[] = [
  { x: 320, y: 420 },
  { x: 960, y: 420 },
  { x: 1180, y: 680 },
  { x: 100, y: 680 },
];

function gridOverlay(): Buffer {
  const [farLeft, farRight, nearRight, nearLeft] = calibrationPoints as [Point, Point, Point, Point];
  const between = (from: Point, to: Point, share: number) =>
    `${from.x + (to.x - from.x) * share} ${from.y + (to.y - from.y) * share}`;
  const lines = [0, 0.25, 0.5, 0.75, 1].map(
    (share) =>
      `M${between(farLeft, farRight, share)}L${between(nearLeft, nearRight, share)}M${between(farLeft, nearLeft, share)}L${between(farRight, nearRight, share)}`,
  );
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${pictureSize.width}" height="${pictureSize.height}"><path d="${lines.join("")}" stroke="#22d3ee" stroke-width="2.5" fill="none"/></svg>`,
  );
}
