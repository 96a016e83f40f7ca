import sharp from "sharp";
import { encodeBody, formType } from "../uploads/multipart.js";
import type { Attack } from "./attack-case.js";
import { requests } from "./attack-requests.js";

const side = 7_000;

/** A small file of 49 megapixels that cannot be decoded row by row. */
function interlacedPicture(): Promise<Buffer> {
  return sharp({ create: { width: side, height: side, channels: 3, background: { r: 40, g: 90, b: 160 } } })
    .toColourspace("rgb16")
    .png({ progressive: true, compressionLevel: 1 })
    .toBuffer();
}

const pictures = (
  count: number,
  description: Pick<Attack, "name" | "isShort" | "alsoProbed" | "description">,
): Attack =>
  requests(description, async (attacker) => {
    const content = await interlacedPicture();
    const request = {
      method: "PATCH",
      path: "/user/picture",
      headers: { authorization: await attacker.newUser("none"), "content-type": formType },
      body: encodeBody([{ name: "image", filename: "picture.png", type: "image/png", content }]),
    };
    return Array(count).fill(request);
  });

/** Attacks by pictures that are expensive to decode. */
export const pictureAttacks: Attack[] = [
  pictures(1, {
    name: "interlaced-picture",
    description: "An interlaced 16-bit PNG of 49 megapixels",
    isShort: true,
  }),
  pictures(4, {
    name: "interlaced-pictures",
    description: "4 interlaced 16-bit PNGs of 49 megapixels at once, by one caller",
    alsoProbed: ["upload"],
  }),
];
