import { listOf } from "../support/list-of.js";
import { idOf } from "./dataset-ids.js";

export const rulesPerCamera = 5;
const objectsPerFrame = 10;
/** The time between two frames of a camera, in milliseconds. */
export const frameMs = 200;
export const picture = { width: 1280, height: 720 };

/** The cameras and rules, besides those of the data set. */
export const cameraId = (n: number) => idOf("a", n + 1);
export const ruleId = (n: number) => idOf("b", n + 1);

/** The tree of a rule of a camera: persons in a hexagon, for a second. */
export const treeOf = (n: number) => ({
  id: idOf("c", n + 1),
  type: "GROUP",
  operator: "AND",
  children: [
    {
      id: idOf("d", n + 1),
      type: "AREA",
      name: "Area",
      points: listOf(6, (corner) => ({
        x: Math.round(200 + 200 * (n % rulesPerCamera) + 180 * Math.cos((corner * Math.PI) / 3)),
        y: Math.round(360 + 300 * Math.sin((corner * Math.PI) / 3)),
      })),
    },
    { id: idOf("e", n + 1), type: "STATIC_DELIMITATION_AREA", objects: ["PERSON"] },
  ],
});

/** What is seen in the n-th frame of a camera: ten tracked persons who walk about. */
export const objectsOf = (n: number) =>
  listOf(objectsPerFrame, (object) => ({
    label: "person",
    confidence: 0.9,
    box: {
      x: 100 + ((object * 120 + n * 4) % 1000),
      y: 200 + ((object * 53 + n) % 200),
      width: 40,
      height: 90,
    },
    trackId: `${object + 10 * Math.floor(n / 250)}`,
  }));
