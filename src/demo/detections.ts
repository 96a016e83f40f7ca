import type { RuleNode } from "../alert-rule/rule-tree.js";
import type { DetectionFrameInput } from "../detection/detection-frame.input.js";
import type { Point, Size } from "../platform/geometry.js";
import type { ObjectKind } from "./scene/scene.js";

const second = 1_000;

/** What is known of each simulated object. */
const attributes = { simulated: true };

/** What `info` of an alert contains if a rule raised it for simulated objects. */
export const mark = { source: "detections", objects: [{ attributes }] };

/** An object that stands at a point of the picture. */
interface StandingObject {
  label: ObjectKind;
  foot: Point;
  confidence: number;
  trackId: string;
}

interface Sighting {
  cameraId: string;
  size: Size;
  /** The picture of the last frame. */
  uploadId: string;
  /** When the last frame is taken. */
  until: Date;
  /** How long the objects have been there by then. */
  seconds: number;
}

/** The frames of objects that stand still for some seconds, one for each second. */
export function framesOf(
  objects: readonly StandingObject[],
  { cameraId, size, uploadId, until, seconds }: Sighting,
): DetectionFrameInput[] {
  const seen = objects.map(({ label, foot, confidence, trackId }) => ({
    ...{ label, confidence, trackId, attributes },
    box: boxOf(label, foot, size),
  }));
  return Array.from({ length: seconds + 1 }, (_, index) => ({
    cameraId,
    at: new Date(until.getTime() - (seconds - index) * second),
    ...size,
    objects: seen,
    ...(index === seconds && { uploadId }),
  }));
}

/** The box of an object with its bottom centre at a point. Nearer objects are larger. */
function boxOf(label: ObjectKind, { x, y }: Point, size: { height: number }) {
  const height = Math.max(2, Math.round(y / (label === "PERSON" ? 4 : 3)));
  const width = 2 * Math.max(1, Math.round(height * (label === "PERSON" ? 0.2 : 0.8)));
  return { x: x - width / 2, y: Math.min(y, size.height) - height, width, height };
}

/** The longest time for which the demo lets objects stand. */
const longestStay = 60;

/** How long objects must stand until a rule fires, in whole seconds. */
export const secondsUntilFiring = (group: RuleNode): number =>
  Math.min(longestStay, Math.ceil(Math.max(...minSecondsIn(group))));

/** The seconds that detections of a tree ask for. */
const minSecondsIn = ({ type, children = [], minSeconds = 1 }: RuleNode): number[] =>
  type === "GROUP" ? [0, ...children.flatMap(minSecondsIn)] : type === "AREA" ? [0] : [minSeconds];
