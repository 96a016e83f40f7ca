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

export const pictureKey = (camera: number, name: string): string => `demo/camera-${camera}/${name}.webp`;

/** The camera of the demo fleet that a picture in the store shows, also in older demos; NaN if none. */
export const cameraOfPicture = (key: string | null): number =>
  Number(/^demo\/camera-(\d+)\//.exec(key ?? "")?.[1]);

export async function storePictures(store: ObjectStore): Promise<void> {
  for (const name of await readdir(directory, { recursive: true }))
    if (name.endsWith(".webp")) await store.put(`demo/${name}`, await readFile(path.join(directory, name)));
}
