import { z } from "zod";
import type { DetectedObjectInput, DetectionFrameInput } from "../../../generated/connectors.js";

/** Why a message is of no use, as counts and the log call it. */
export class BadMessage extends Error {
  constructor(readonly reason: "notJson" | "tooLarge" | "otherFormat" | "noCamera" | "retained") {
    super(reason);
  }
}

export interface SeenFrame {
  /** The field of the format that a camera's name may be made of; empty if it is missing. */
  cameraField: string;
  frame: Omit<DetectionFrameInput, "cameraId">;
  /** The number of objects that the gateway would not take. */
  leftOut: number;
}

/** The size of a frame in pixels. */
export interface FrameSize {
  width: number;
  height: number;
}

/** The gateway's limits of a frame. */
const maxObjects = 200;
const maxTextLength = 100;

/** A date and time with its zone. */
export const instant = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)$/)
  .transform((text, context) => {
    const at = new Date(text);
    if (Number.isNaN(at.getTime())) {
      context.addIssue({ code: "custom", message: "is not a time" });
      return z.NEVER;
    }
    return at.toISOString();
  });

/** An object as formats tell of it: the edges of its box in pixels. */
export interface SeenObject {
  label: string;
  confidence?: number | undefined;
  trackId?: string | undefined;
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/**
 * The objects of a frame that the gateway takes: those with a box in the frame, each track once, up to the
 * maximum number. One that it does not take would cost the others.
 */
export function takenObjects(
  objects: readonly (SeenObject | undefined)[],
  size: FrameSize,
  labels: ReadonlyMap<string, string>,
): { objects: DetectedObjectInput[]; leftOut: number } {
  const taken: DetectedObjectInput[] = [];
  const trackIds = new Set<string>();
  for (const object of objects) {
    if (taken.length === maxObjects) break;
    if (!object) continue;
    const { left, top, right, bottom, confidence } = object;
    const label = (labels.get(object.label) ?? object.label).trim().slice(0, maxTextLength);
    const trackId = object.trackId?.slice(0, maxTextLength) || undefined;
    if (!isInFrame(object, size) || label === "" || (trackId !== undefined && trackIds.has(trackId)))
      continue;
    if (trackId !== undefined) trackIds.add(trackId);
    taken.push({
      label,
      box: { x: left, y: top, width: right - left, height: bottom - top },
      ...(confidence !== undefined && { confidence: Math.min(Math.max(confidence, 0), 1) }),
      ...(trackId !== undefined && { trackId }),
    });
  }
  return { objects: taken, leftOut: objects.length - taken.length };
}

/** Whether a box has a finite size, and is at least partly in the frame. */
function isInFrame({ left, top, right, bottom }: SeenObject, { width, height }: FrameSize): boolean {
  const hasSize = [right - left, bottom - top].every((side) => Number.isFinite(side) && side > 0);
  return hasSize && left < width && top < height && right > 0 && bottom > 0;
}
