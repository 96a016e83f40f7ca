import sharp from "sharp";
import type { Point, Size } from "../../platform/geometry.js";
import { Drawing } from "../drawing/drawing.js";
import { drawPerson } from "../drawing/people.js";
import { type Bounds, pictureSize } from "../drawing/perspective.js";
import { drawVehicle } from "../drawing/vehicles.js";
import { SeededRandom } from "../seeded-random.js";
import { alphaBlend, applyExposure, renderLightMap } from "./exposure.js";
import { createArea, placePeople, placeVehicle } from "./placement.js";
import { buildSceneModel, type SceneKind, type SceneModel } from "./scene-model.js";

export { pictureSize } from "../drawing/perspective.js";
export type { SceneKind } from "./scene-model.js";

/** The size of all alert thumbnails, in pixels. */
const thumbnailSize = { width: 320, height: 180 };

export interface SceneOptions {
  kind: SceneKind;
  /** Determines the pose of the camera and all objects in the scene. */
  seed: number;
  night?: boolean;
}

export type ObjectKind = "PERSON" | "VEHICLE";

export interface AlertOptions {
  /** The violated area, in pixels. */
  area: readonly Point[];
  objectKind: ObjectKind;
  /** Whether a single object is in the area, where there may be several. */
  isAlone?: boolean;
  seed: number;
}

export interface AlertPicture {
  picture: Buffer;
  thumbnail: Buffer;
  /** The size of the picture, in pixels. */
  size: Size;
  /** The points where the objects touch the floor, in whole pixels. */
  coordinates: Point[];
}

interface PlacedObject {
  drawing: Drawing;
  foot: Point;
}

const { width, height } = pictureSize;
const raw = { width, height, channels: 3 } as const;
const jpeg = { quality: 75 };
const fullBounds: Bounds = { left: 0, top: 0, right: width, bottom: height };

const svg = ({ left, top, right, bottom }: Bounds, content: string): Buffer => {
  const size = `width="${right - left}" height="${bottom - top}" viewBox="${left} ${top} ${right - left} ${bottom - top}"`;
  return Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${size}>${content}</svg>`);
};

/** The given bounds plus padding, rounded to whole pixels and clipped to the picture. */
const pixelBounds = ({ left, top, right, bottom }: Bounds, padding: number): Bounds => ({
  left: Math.max(0, Math.floor(left - padding)),
  top: Math.max(0, Math.floor(top - padding)),
  right: Math.min(width, Math.ceil(right + padding)),
  bottom: Math.min(height, Math.ceil(bottom + padding)),
});

/**
 * The scene of one camera. Renders the empty scene, its delimitation areas and its alert
 * pictures.
 */
export class Scene {
  private constructor(
    /** The scene without alerts (JPEG). */
    readonly frame: Buffer,
    private readonly pixels: Buffer,
    private readonly light: Buffer,
    private readonly model: SceneModel,
    private readonly seed: number,
  ) {}

  /** Renders the scene, on which alert pictures are drawn later. */
  static async render({ kind, seed, night = false }: SceneOptions): Promise<Scene> {
    const model = buildSceneModel(kind, seed, night);
    const [pixels, light] = await Promise.all([
      sharp(svg(fullBounds, model.drawing.toString())).removeAlpha().blur().raw().toBuffer(),
      renderLightMap(model),
    ]);
    applyExposure(pixels, 3, fullBounds, light, night);
    return new Scene(await sharp(pixels, { raw }).jpeg(jpeg).toBuffer(), pixels, light, model, seed);
  }

  /**
   * The delimitation area with the given index: a deterministic polygon on free floor, in
   * whole pixels.
   */
  areaOf(index: number): Point[] {
    return createArea(this.model, index, this.seed * 31 + index * 977 + 5);
  }

  /** Renders an alert: the scene with objects inside the area. */
  async renderAlert({ area, objectKind, isAlone = false, seed }: AlertOptions): Promise<AlertPicture> {
    const random = new SeededRandom(seed);
    const objects =
      objectKind === "PERSON" ? this.#placePeople(area, random, isAlone) : [this.#placeVehicle(area, random)];
    const pixels = Buffer.from(this.pixels);
    for (const { drawing } of objects) {
      const part = pixelBounds(drawing.bounds, 24);
      const overlay = await sharp(svg(part, drawing.toString())).ensureAlpha().blur().raw().toBuffer();
      applyExposure(overlay, 4, part, this.light, this.model.night);
      alphaBlend(pixels, overlay, part);
    }
    const [picture, thumbnail] = await Promise.all([
      sharp(pixels, { raw }).jpeg(jpeg).toBuffer(),
      sharp(pixels, { raw }).resize(thumbnailSize.width, thumbnailSize.height).jpeg(jpeg).toBuffer(),
    ]);
    return { picture, thumbnail, size: pictureSize, coordinates: objects.map(({ foot }) => foot) };
  }

  /**
   * Creates a drawing for one object: only the part of the picture within its bounds is
   * rendered again.
   */
  #newDrawing(): Drawing {
    return new Drawing(this.model.drawing.camera, this.model.drawing.sun);
  }

  #placePeople(area: readonly Point[], random: SeededRandom, isAlone: boolean): PlacedObject[] {
    return placePeople(this.model, area, random, isAlone).map((foot) => {
      const drawing = this.#newDrawing();
      drawPerson(drawing, drawing.camera.unprojectToFloor(foot), random, this.model.clothing);
      return { drawing, foot };
    });
  }

  #placeVehicle(area: readonly Point[], random: SeededRandom): PlacedObject {
    const { kind, foot, heading } = placeVehicle(this.model, area, random);
    const drawing = this.#newDrawing();
    drawVehicle(drawing, kind, drawing.camera.unprojectToFloor(foot), heading, random);
    return { drawing, foot };
  }
}
