import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { ObjectStore } from "../../engine/storage/object-store.js";
import { builtFile } from "../../platform/project-files.js";

const directory = builtFile("src/programs/demo/pictures", "dist/demo/pictures");

export const pictureSize = { width: 1280, height: 720 };

/** Whether a picture is taken in daylight. */
export type DayTime = "day" | "night";

/** The area of a rule, and the boxes of what is seen in the pictures of its alerts. */
export interface RulePictures
  extends Record<DayTime, [x: number, y: number, width: number, height: number][]> {
  area: [x: number, y: number][];
}

export const readRulePictures = async (): Promise<RulePictures[][]> =>
  JSON.parse(await readFile(path.join(directory, "objects.json"), "utf8"));

export const readAlertPicture = (camera: number, rule: number, dayTime: DayTime): Promise<Buffer> =>
  readFile(path.join(directory, `camera-${camera}`, `${dayTime}-${rule}.webp`));

/** The cameras with a clip of what breaks their first rule by day, and the bytes of that. It shows two seconds before. */
export const clipSizes: ReadonlyMap<number, number> = new Map([
  [0, 40_569],
  [2, 75_102],
  [5, 43_448],
]);
export const clipSeconds = { duration: 8, before: 2 };

const keyOf = (camera: number, file: string) => `demo/camera-${camera}/${file}`;

export const clipKey = (camera: number): string => keyOf(camera, "day-0.mp4");

export const pictureKey = (camera: number, name: string): string => keyOf(camera, `${name}.webp`);

/** The camera of the demo fleet that a picture in the store shows, also in older demos; NaN if none. */
export const cameraOfPicture = (key: string | null): number =>
  Number(/^demo\/camera-(\d+)\//.exec(key ?? "")?.[1]);

export async function storePictures(store: ObjectStore): Promise<void> {
  for (const name of await readdir(directory, { recursive: true }))
    if (/\.(?:webp|mp4)$/.test(name))
      await store.put(`demo/${name}`, await readFile(path.join(directory, name)));
}
