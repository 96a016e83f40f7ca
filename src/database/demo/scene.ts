import sharp from "sharp";
import { drawPerson, drawVehicle } from "./figures.js";
import { type Extent, extentOf, type Point, pictureSize } from "./perspective.js";
import { SeededRandom } from "./random.js";
import { Drawing, pathOf } from "./scenery/drawing.js";
import { blend, expose, lightMap } from "./scenery/exposure.js";
import { layArea, placePeople, placeVehicle } from "./scenery/placement.js";
import { buildScenery, type SceneKind, type Scenery } from "./scenery.js";

export { type Point, pictureSize } from "./perspective.js";
export { type SceneKind, sceneKinds } from "./scenery.js";

/** The size of every alert thumbnail in pixels. */
export const thumbnailSize = { width: 320, height: 180 };

export interface SceneOptions {
  kind: SceneKind;
  /** Decides the mounting of the camera and everything that stands in the scene. */
  seed: number;
  night?: boolean;
}

export type ObjectKind = "PERSON" | "VEHICLE";

export interface AlertOptions {
  /** The violated area, in pixels. */
  area: readonly Point[];
  /** "#rrggbb". */
  areaColor: string;
  objectKind: ObjectKind;
  seed: number;
}

export interface AlertPicture {
  picture: Buffer;
  thumbnail: Buffer;
  /** Where the objects touch the floor, in whole pixels. */
  coordinates: Point[];
}

interface Figure {
  drawing: Drawing;
  foot: Point;
}

const { width, height } = pictureSize;
const raw = { width, height, channels: 3 } as const;
const jpeg = { quality: 75 };
const wholePicture: Extent = { left: 0, top: 0, right: width, bottom: height };

const svg = ({ left, top, right, bottom }: Extent, content: string): Buffer => {
  const size = `width="${right - left}" height="${bottom - top}" viewBox="${left} ${top} ${right - left} ${bottom - top}"`;
  return Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${size}>${content}</svg>`);
};

const rasterise = (part: Extent, content: string): Promise<Buffer> => sharp(svg(part, content)).ensureAlpha().raw().toBuffer();

/** The whole pixels of the picture that `extent` covers, with some room around it. */
const partAround = ({ left, top, right, bottom }: Extent, room: number): Extent => ({
  left: Math.max(0, Math.floor(left - room)),
  top: Math.max(0, Math.floor(top - room)),
  right: Math.min(width, Math.ceil(right + room)),
  bottom: Math.min(height, Math.ceil(bottom + room)),
});

/** One camera's view: its empty picture, its areas, and pictures of alerts in it. */
export class Scene {
  private constructor(
    /** The scene as the camera sees it when nothing happens (JPEG). */
    readonly frame: Buffer,
    private readonly pixels: Buffer,
    private readonly light: Buffer,
    private readonly scenery: Scenery,
    private readonly seed: number,
  ) {}

  /** Draws the scene; the pictures of its alerts are laid over the result. */
  static async render({ kind, seed, night = false }: SceneOptions): Promise<Scene> {
    const scenery = buildScenery(kind, seed, night);
    const [pixels, light] = await Promise.all([
      sharp(svg(wholePicture, scenery.drawing.toString())).removeAlpha().blur().raw().toBuffer(),
      lightMap(scenery),
    ]);
    expose(pixels, 3, wholePicture, light, night);
    return new Scene(await sharp(pixels, { raw }).jpeg(jpeg).toBuffer(), pixels, light, scenery, seed);
  }

  /** The delimitation area with that index: always the same whole-pixel polygon on free floor. */
  areaOf(index: number): Point[] {
    return layArea(this.scenery, index, this.seed * 31 + index * 977 + 5);
  }

  /** The picture of an alert: objects inside the area, the area and the detections marked. */
  async renderAlert({ area, areaColor, objectKind, seed }: AlertOptions): Promise<AlertPicture> {
    const random = new SeededRandom(seed);
    const figures = objectKind === "PERSON" ? this.#people(area, random) : [this.#vehicle(area, random)];
    const pixels = Buffer.from(this.pixels);
    const ground = partAround(extentOf(area), 8);
    blend(pixels, await rasterise(ground, fill(area, areaColor) + outline(area, areaColor, 1)), ground);
    for (const { drawing } of figures) {
      const part = partAround(drawing.extent, 24);
      const overlay = await sharp(svg(part, drawing.toString())).ensureAlpha().blur().raw().toBuffer();
      expose(overlay, 4, part, this.light, this.scenery.night);
      blend(pixels, overlay, part);
    }
    // The outline shows through the objects as well, for a truck may hide all of it.
    const boxes = figures.map(({ drawing }) => partAround(drawing.extent, 5));
    const marked = partAround(extentOf([...area, ...boxes.flatMap(cornersOf)]), 4);
    blend(pixels, await rasterise(marked, outline(area, areaColor, 0.4) + boxes.map(box).join("")), marked);
    const [picture, thumbnail] = await Promise.all([
      sharp(pixels, { raw }).jpeg(jpeg).toBuffer(),
      sharp(pixels, { raw }).resize(thumbnailSize.width, thumbnailSize.height).jpeg(jpeg).toBuffer(),
    ]);
    return { picture, thumbnail, coordinates: figures.map(({ foot }) => foot) };
  }

  /** A drawing of its own for each object, because its extent becomes the detection box. */
  #blank(): Drawing {
    return new Drawing(this.scenery.drawing.camera, this.scenery.drawing.sun);
  }

  #people(area: readonly Point[], random: SeededRandom): Figure[] {
    return placePeople(this.scenery, area, random).map((foot) => {
      const drawing = this.#blank();
      drawPerson(drawing, drawing.camera.floorAt(foot), random, this.scenery.attire);
      return { drawing, foot };
    });
  }

  #vehicle(area: readonly Point[], random: SeededRandom): Figure {
    const { kind, foot, heading } = placeVehicle(this.scenery, area, random);
    const drawing = this.#blank();
    drawVehicle(drawing, kind, drawing.camera.floorAt(foot), heading, random);
    return { drawing, foot };
  }
}

const cornersOf = ({ left, top, right, bottom }: Extent): Point[] => [
  { x: left, y: top },
  { x: right, y: bottom },
];

const fill = (area: readonly Point[], colour: string): string => `<polygon points="${pathOf(area)}" fill="${colour}" fill-opacity=".22"/>`;

const outline = (area: readonly Point[], colour: string, opacity: number): string =>
  `<polygon points="${pathOf(area)}" fill="none" stroke="${colour}" stroke-width="3" stroke-linejoin="round" stroke-opacity="${opacity}"/>`;

const box = ({ left, top, right, bottom }: Extent): string =>
  `<rect x="${left + 2}" y="${top + 2}" width="${right - left - 4}" height="${bottom - top - 4}" fill="none" stroke="#ff2a2a" stroke-width="2.5"/>`;
