import sharp from "sharp";
import type { Point } from "../platform/geometry.js";
import type { ObjectStore } from "../storage/object-store.js";
import { type CameraDefinition, pictureFolder, type RuleDefinition } from "./fleet-definition.js";
import { pictureSize, Scene } from "./scene/scene.js";

/**
 * The area of an alert rule in the camera's picture, and the pictures that the rule's
 * alerts share.
 */
export interface RulePictures {
  area: Point[];
  variants: Record<DayTime, AlertVariant[]>;
}

/** A picture of an alert, with the key of its files and the points in it. */
interface AlertVariant {
  picture: string;
  thumbnail: string;
  coordinates: Point[];
}

/** Whether a picture is taken in daylight. */
export type DayTime = "day" | "night";

/** Object store keys of one camera's pictures. */
export interface CameraPictures {
  frame: string;
  calibrated: string;
  cropped: string;
  grid: string;
  rules: RulePictures[];
}

const variantsPerDayTime = 2;

/**
 * The scene that a camera of the demo fleet films. `index` identifies the camera and
 * seeds the scene.
 */
export const renderScene = (
  index: number,
  { scene: kind }: CameraDefinition,
  dayTime: DayTime,
): Promise<Scene> => Scene.render({ kind, seed: 100 + index, night: dayTime === "night" });

/** What {@link storeCameraPictures} draws; `index` identifies the camera. */
interface PicturesOptions {
  index: number;
  camera: CameraDefinition;
  rules: RuleDefinition[];
  /** Whether the camera's own picture is taken in daylight. */
  dayTime: DayTime;
}

/** Draws and stores the pictures of one camera. */
export async function storeCameraPictures(
  store: ObjectStore,
  { index, camera, rules, dayTime }: PicturesOptions,
): Promise<CameraPictures> {
  const scenes = {
    day: await renderScene(index, camera, "day"),
    night: await renderScene(index, camera, "night"),
  };
  const scene = scenes.day;
  const storePicture = async (name: string, content: Buffer) => {
    const key = `${pictureFolder(index)}/${name}.jpg`;
    await store.put(key, content);
    return key;
  };
  const pictures: RulePictures[] = [];
  for (const [position, rule] of rules.entries()) {
    const area = scene.areaOf(position);
    const drawVariants = async (time: DayTime) => {
      const variants: AlertVariant[] = [];
      for (let variant = 0; variant < variantsPerDayTime; variant += 1) {
        const seed = index * 100 + position * 10 + variant + (time === "night" ? variantsPerDayTime : 0);
        const alert = await scenes[time].renderAlert({ area, objectKind: rule.object, seed });
        const name = `alert-${position}-${time}-${variant}`;
        variants.push({
          picture: await storePicture(name, alert.picture),
          thumbnail: await storePicture(`${name}-small`, alert.thumbnail),
          coordinates: alert.coordinates,
        });
      }
      return variants;
    };
    pictures.push({ area, variants: { day: await drawVariants("day"), night: await drawVariants("night") } });
  }
  return {
    frame: await storePicture("frame", scenes[dayTime].frame),
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
