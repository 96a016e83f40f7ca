import sharp, { type Sharp } from "sharp";
import { pngChunk } from "../support/png.js";

/** Metadata that no stored picture may contain. */
export const secrets = ["secret place", "secret person", "secret comment"];

/** A picture with a gradient and two shapes. */
export function drawPicture(width = 640, height = 400): Sharp {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <defs><linearGradient id="sky" x2="1" y2="1"><stop stop-color="#204080"/><stop offset="1" stop-color="#e0a040"/></linearGradient></defs>
    <rect width="100%" height="100%" fill="url(#sky)"/>
    <circle cx="30%" cy="40%" r="20%" fill="#30c060"/><rect x="60%" y="50%" width="30%" height="40%" fill="#c03030"/></svg>`;
  return sharp(Buffer.from(svg)).flatten({ background: "black" });
}

export const formats = ["jpeg", "png", "webp"] as const;
export type Format = (typeof formats)[number];

const encoded = new Map<string, Promise<Buffer>>();

/** The picture in a format, encoded once. */
export function pictureAs(format: Format, width?: number, height?: number): Promise<Buffer> {
  const key = `${format} ${width} ${height}`;
  const picture = encoded.get(key) ?? drawPicture(width, height).toFormat(format).toBuffer();
  encoded.set(key, picture);
  return picture;
}

/** Metadata that reveals where and by whom a picture was taken. */
const exif = {
  IFD0: { Artist: "secret person", ImageDescription: "secret place", Make: "Camera" },
  IFD3: {
    GPSLatitudeRef: "N",
    GPSLatitude: "52/1 22/1 12/1",
    GPSLongitudeRef: "E",
    GPSLongitude: "4/1 53/1 42/1",
  },
};
const xmp = `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF
  xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/"
  dc:creator="secret person"/></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;

/** A picture with every kind of metadata that its format supports. */
export async function pictureWithMetadata(format: Format): Promise<Buffer> {
  const picture = await drawPicture()
    .withExif(exif)
    .withXmp(xmp)
    .withIccProfile("p3")
    .toFormat(format)
    .toBuffer();
  if (format === "png") return withChunk(picture, "tEXt", "Comment\0secret comment");
  return format === "jpeg" ? withComment(picture, "secret comment") : picture;
}

/** Adds a chunk after the header of a PNG. */
export function withChunk(png: Buffer, type: string, data: string | Buffer): Buffer {
  const header = 8 + 25;
  return Buffer.concat([
    png.subarray(0, header),
    pngChunk(type, Buffer.from(data as string)),
    png.subarray(header),
  ]);
}

/** Adds a comment at the beginning of a JPEG. */
export function withComment(jpeg: Buffer, comment: string | Buffer): Buffer {
  const text = Buffer.from(comment as string);
  const head = Buffer.from([0xff, 0xfe, (text.length + 2) >> 8, (text.length + 2) & 0xff]);
  return Buffer.concat([jpeg.subarray(0, 2), head, text, jpeg.subarray(2)]);
}

const corners = {
  red: [220, 30, 30],
  green: [30, 200, 30],
  blue: [30, 30, 220],
  yellow: [220, 220, 30],
} as const;
export type Color = keyof typeof corners;

/**
 * Four areas of 40 by 30 pixels with an EXIF orientation: red, green, blue and yellow,
 * clockwise from the upper left.
 */
export function rotatedPicture(orientation: number): Promise<Buffer> {
  const [width, height] = [80, 60];
  const pixels = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const color: Color =
        y < height / 2 ? (x < width / 2 ? "red" : "green") : x < width / 2 ? "yellow" : "blue";
      pixels.set(corners[color], (y * width + x) * 3);
    }
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .withMetadata({ orientation })
    .jpeg({ quality: 95 })
    .toBuffer();
}

/** The colors of a picture's corners, clockwise from the upper left. */
export async function cornersOf(picture: Buffer): Promise<Color[]> {
  const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (right: number, down: number) => {
    const x = Math.floor(info.width * (right ? 0.85 : 0.15));
    const y = Math.floor(info.height * (down ? 0.85 : 0.15));
    return [...data.subarray((y * info.width + x) * info.channels, (y * info.width + x) * info.channels + 3)];
  };
  const distance = (first: readonly number[], second: readonly number[]) =>
    first.reduce((sum, value, index) => sum + Math.abs(value - (second[index] ?? 0)), 0);
  const nearest = (pixel: number[]) =>
    (Object.keys(corners) as Color[]).toSorted(
      (a, b) => distance(pixel, corners[a]) - distance(pixel, corners[b]),
    )[0];
  return [at(0, 0), at(1, 0), at(1, 1), at(0, 1)].map((pixel) => nearest(pixel) as Color);
}

/**
 * The mean difference between the channel values (0 to 255) of two pictures of the same
 * size.
 */
export async function difference(first: Buffer, second: Buffer): Promise<number> {
  const [a, b] = await Promise.all(
    [first, second].map((picture) => sharp(picture).toColourspace("srgb").removeAlpha().raw().toBuffer()),
  );
  if (!a || !b || a.length !== b.length) return 255;
  let sum = 0;
  for (let index = 0; index < a.length; index += 1)
    sum += Math.abs((a[index] as number) - (b[index] as number));
  return sum / a.length;
}
