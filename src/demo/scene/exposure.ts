import sharp from "sharp";
import { svgPoints } from "../drawing/drawing.js";
import { type Bounds, horizontalCircle, pictureSize, type Vector } from "../drawing/perspective.js";
import { SeededRandom } from "../seeded-random.js";
import type { SceneModel } from "./scene-model.js";

const { width, height } = pictureSize;
const noiseSize = 512;
const lightScale = 8;

const noiseRandom = new SeededRandom(7);
/** Sensor noise in brightness levels, tiled over the picture. */
const noise = Int8Array.from(
  { length: noiseSize ** 2 },
  () => (noiseRandom.next() + noiseRandom.next() + noiseRandom.next() - 1.5) * 6,
);

/** Renders the brightness of each pixel; 128 leaves a color unchanged. */
export async function renderLightMap({
  drawing: { camera },
  lamps,
  indoors,
  night,
}: SceneModel): Promise<Buffer> {
  const ambient = night ? (indoors ? 66 : 54) : indoors ? 118 : 150;
  const pools = lamps.flatMap(({ at, radius, strength }) =>
    [1, 0.75, 0.5, 0.25].map((share) => {
      const flat = horizontalCircle(at, radius * share, 20);
      // A pool of light on the floor is horizontal. A pool in the air faces the camera.
      const rim =
        at[2] === 0 ? flat : flat.map(([right, ahead]): Vector => [right, at[1], at[2] + ahead - at[1]]);
      return `<polygon points="${svgPoints(camera.clip(rim).map((point) => camera.project(point)))}" fill="#fff" fill-opacity="${strength * 0.4}"/>`;
    }),
  );
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width / lightScale}" height="${height / lightScale}" viewBox="0 0 ${width} ${height}">
<radialGradient id="edge" cx=".5" cy=".5" r=".75"><stop offset=".45" stop-opacity="0"/><stop offset="1" stop-opacity="${night ? 0.6 : 0.42}"/></radialGradient>
<radialGradient id="spot" cx=".5" cy=".62" r=".5"><stop stop-color="#fff" stop-opacity="${night ? 0.42 : 0.08}"/><stop offset="1" stop-color="#fff" stop-opacity="0"/></radialGradient>
<rect width="100%" height="100%" fill="rgb(${ambient},${ambient},${ambient})"/>${pools.join("")}
<rect width="100%" height="100%" fill="url(#spot)"/><rect width="100%" height="100%" fill="url(#edge)"/></svg>`;
  const blurred = await sharp(Buffer.from(svg))
    .removeAlpha()
    .grayscale()
    .blur(2.2)
    .toColorspace("b-w")
    .raw()
    .toBuffer();
  // Uneven light makes surfaces look rough instead of painted.
  const random = new SeededRandom(11);
  const rough = blurred.map((light) => Math.min(255, light * random.between(0.972, 1.028)));
  return sharp(rough, { raw: { width: width / lightScale, height: height / lightScale, channels: 1 } })
    .resize(width, height, { kernel: "cubic" })
    .toColorspace("b-w")
    .raw()
    .toBuffer();
}

/**
 * Makes a part of a flat drawing look photographed: applies the light map, lower
 * saturation (especially at night) and sensor noise.
 */
export function applyExposure(
  pixels: Buffer,
  channels: 3 | 4,
  part: Bounds,
  light: Buffer,
  night: boolean,
): void {
  const saturation = night ? 0.4 : 0.88;
  const lift = night ? 9 : 7;
  const grain = night ? 1.5 : 1;
  const level = (value: number): number => Math.min(Math.max(value, 0), 255);
  let index = 0;
  for (let y = part.top; y < part.bottom; y += 1) {
    const noiseRow = (y % noiseSize) * noiseSize;
    for (let x = part.left; x < part.right; x += 1) {
      const gain = ((light[y * width + x] as number) / 128) * 0.96;
      const offset = lift + (noise[noiseRow + (x % noiseSize)] as number) * grain;
      const red = pixels[index] as number;
      const green = pixels[index + 1] as number;
      const blue = pixels[index + 2] as number;
      const gray = red * 0.3 + green * 0.59 + blue * 0.11;
      pixels[index] = level((gray + (red - gray) * saturation) * gain + offset);
      pixels[index + 1] = level((gray + (green - gray) * saturation) * gain + offset + 1);
      pixels[index + 2] = level((gray + (blue - gray) * saturation) * gain + offset);
      index += channels;
    }
  }
}

/**
 * Blends a transparent overlay into a part of the picture. Faster than libvips, which
 * would process every pixel of the picture.
 */
export function alphaBlend(pixels: Buffer, overlay: Buffer, part: Bounds): void {
  let source = 0;
  for (let y = part.top; y < part.bottom; y += 1) {
    for (let target = (y * width + part.left) * 3; target < (y * width + part.right) * 3; target += 3) {
      const alpha = (overlay[source + 3] as number) / 255;
      for (let channel = 0; alpha > 0 && channel < 3; channel += 1) {
        const below = pixels[target + channel] as number;
        pixels[target + channel] = below + ((overlay[source + channel] as number) - below) * alpha;
      }
      source += 4;
    }
  }
}
