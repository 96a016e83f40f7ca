import { z } from "zod";
import type { ErrorDetail } from "../../platform/errors/errors.js";
import { existingId, pixelsFromLeft, pixelsFromTop } from "../../platform/input/descriptions.js";
import { graphqlField, idField, inputType } from "../../platform/input/input-type.js";
import { JsonObject } from "../../platform/input/scalars.js";
import { printableText } from "../../platform/input/text-rules.js";
import { attributeLimits, objectAttributes } from "../alert-rule/object-attributes.js";
import { maxFrameObjects } from "../alert-rule/rule-tree.js";
import { cutToFrame } from "./evaluation/cut-boxes.js";
import type { DetectionFrame } from "./evaluation/detection.js";

/** The maximum number of frames in one request, and of objects in all of them. */
const maxFrames = 1000;
const maxObjects = 5000;

/**
 * How far a frame may be ahead of the gateway's clock, in milliseconds. A detector whose clock is fast would shut its
 * camera out until then, as frames must be in order.
 */
const maxFutureMs = 5 * 60_000;

const coordinate = z
  .number("must be a number")
  .min(-1_000_000, "must be at least -1000000")
  .max(1_000_000, "must be at most 1000000");
const extent = z
  .number("must be a number")
  .min(0, "must not be negative")
  .max(1_000_000, "must be at most 1000000");

const box = z.object({
  x: coordinate.describe(`The left edge: ${pixelsFromLeft}`),
  y: coordinate.describe(`The upper edge: ${pixelsFromTop}`),
  width: extent.describe("0 to 1000000."),
  height: extent.describe("0 to 1000000."),
});
inputType("BoxInput", "A rectangle in an image, in pixels from its top left corner.", box);

const detectedObject = z.object({
  label: printableText(100).describe(
    "What the object is, such as PERSON; 1 to 100 printable characters. Rules compare it in upper case.",
  ),
  confidence: z
    .number("must be a number")
    .min(0, "must not be negative")
    .max(1, "must be at most 1")
    .nullish()
    .describe("How sure the detector is, from 0 to 1.")
    .register(graphqlField, { defaultValue: 1 }),
  box: box.describe(
    "Where the object is, in pixels of the frame. The box is cut to the frame first, and an object of whose box nothing is left is ignored. The object stands at the bottom centre of the box.",
  ),
  trackId: z
    .string("must be a string")
    .min(1, "must not be empty")
    .max(100, "must have at most 100 characters")
    .nullish()
    .describe(
      "Identifies the object in all frames of the camera, 1 to 100 characters; no two objects of a frame have the same. Alerts tell an object once as long as it stays. Without it, objects cannot be told apart, and are told again after each cool-down.",
    ),
  attributes: objectAttributes
    .register(graphqlField, { type: JsonObject })
    .nullish()
    .describe(
      `What else the detector knows of the object, such as {"helmet": false}: ${attributeLimits}. Rules may ask for values.`,
    ),
});
inputType("DetectedObjectInput", "An object that a detector sees in a frame.", detectedObject);

const pixelCount = z
  .int("must be an integer")
  .min(1, "must be positive")
  .max(1_000_000, "must be at most 1000000");

const detectionFrame = z
  .object({
    cameraId: idField.describe(existingId("the camera that took the frame")),
    at: z
      .date()
      .min(new Date("2000-01-01T00:00:00.000Z"), "must not be before the year 2000")
      .describe(
        "When the frame was taken; not before the year 2000, and at most 5 minutes in the future. A frame is dropped unless it is later than all earlier ones of its camera.",
      ),
    width: pixelCount.describe("The width of the frame in pixels, 1 to 1000000."),
    height: pixelCount.describe("The height of the frame in pixels, 1 to 1000000."),
    objects: z
      .array(detectedObject)
      .max(maxFrameObjects, `must list at most ${maxFrameObjects}`)
      .describe("All objects that the detector sees, at most 200; empty if it sees none."),
    uploadId: idField
      .nullish()
      .describe(
        "The ID of an upload created by `createAlertUpload` with the picture of the frame, for the alerts that the frame raises. The picture must have been sent.",
      ),
  })
  .superRefine(({ objects }, { addIssue }) => {
    const trackIds = new Set<string>();
    for (const [index, { trackId }] of objects.entries()) {
      if (trackId == null) continue;
      if (trackIds.has(trackId))
        addIssue({
          code: "custom",
          path: ["objects", index, "trackId"],
          message: "is given twice in the frame",
        });
      trackIds.add(trackId);
    }
  });

export type DetectionFrameInput = InstanceType<typeof DetectionFrameInput>;
export const DetectionFrameInput = inputType(
  "DetectionFrameInput",
  "What a detector sees in one frame of a camera.",
  detectionFrame,
);

export const detectionFrames = z
  .array(detectionFrame)
  .min(1, "must not be empty")
  .max(maxFrames, `must list at most ${maxFrames}`)
  .refine(
    (frames) => frames.reduce((sum, { objects }) => sum + objects.length, 0) <= maxObjects,
    `must have at most ${maxObjects} objects in all`,
  );

export const frameLimits = `1 to ${maxFrames} frames with at most ${maxObjects} objects in all`;

/** Whether a frame of this time is too far ahead of the clock. */
export const isAhead = (at: number, now: Date): boolean => at > now.getTime() + maxFutureMs;

/** The frames that are too far ahead of the clock; their paths begin with the argument's name. */
export function framesAhead(
  argument: string,
  frames: readonly DetectionFrameInput[],
  now: Date,
): ErrorDetail[] {
  return frames.flatMap(({ at }, index) =>
    isAhead(at.getTime(), now)
      ? [{ path: `${argument}.${index}.at`, message: "must be at most 5 minutes in the future" }]
      : [],
  );
}

/** Frames with the boxes of their objects cut to them, and the number of objects left out. */
export function cutFrames(frames: readonly DetectionFrameInput[]): {
  frames: DetectionFrameInput[];
  ignoredObjects: number;
} {
  let ignoredObjects = 0;
  const cut = frames.map((frame) => {
    const objects = cutToFrame(frame.objects, frame);
    ignoredObjects += frame.objects.length - objects.length;
    return objects === frame.objects ? frame : { ...frame, objects: [...objects] };
  });
  return { frames: cut, ignoredObjects };
}

export const frameOf = ({ at, width, height, objects }: DetectionFrameInput): DetectionFrame => ({
  at: at.getTime(),
  width,
  height,
  objects: objects.map(({ label, confidence, box, trackId, attributes }) => ({
    label,
    confidence: confidence ?? 1,
    box,
    ...(trackId != null && { trackId }),
    ...(attributes != null && { attributes }),
  })),
});
