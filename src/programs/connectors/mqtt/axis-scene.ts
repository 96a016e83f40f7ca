import { z } from "zod";
import {
  BadMessage,
  type FrameSize,
  instant,
  type SeenFrame,
  type SeenObject,
  takenObjects,
} from "./seen-frame.js";

// Axis scene metadata: https://developer.axis.com/analytics/axis-scene-metadata. Of a frame without objects, a camera
// sends neither of the lists.

const boundingBox = z.object({ left: z.number(), top: z.number(), right: z.number(), bottom: z.number() });
const classification = z.object({ type: z.string(), score: z.number().optional() });
const detection = z.object({
  bounding_box: boundingBox,
  class: classification.optional(),
  object_track_id: z.string().optional(),
});
const observation = z.object({
  bounding_box: boundingBox,
  class: classification.optional(),
  track_id: z.string().optional(),
});

/** `com.axis.scene.frame.v1`, since AXIS OS 12.8. */
const frame = z.object({
  channel_id: z.int(),
  timestamp: instant,
  detections: z.array(z.unknown()).default([]),
});

/** `com.axis.analytics_scene_description.v0.beta`, which came before. */
const betaFrame = z.object({
  frame: z.object({ timestamp: instant, observations: z.array(z.unknown()).default([]) }),
});

/**
 * What objects are called that the camera has not classified (yet), about a tenth of all. They have no confidence, so
 * that only rules fire for them that take any object.
 */
const unclassified = { type: "UNCLASSIFIED", score: 0 };

/** A frame of Axis scene metadata. Its coordinates are shares of the picture. */
export function axisFrame(message: unknown, size: FrameSize, labels: ReadonlyMap<string, string>): SeenFrame {
  const frameAt = (objects: readonly (SeenObject | undefined)[], at: string, channel: string): SeenFrame => {
    const taken = takenObjects(objects, size, labels);
    return { cameraField: channel, frame: { at, ...size, objects: taken.objects }, leftOut: taken.leftOut };
  };
  const current = frame.safeParse(message);
  if (current.success) {
    const { channel_id, timestamp, detections } = current.data;
    const objects = detections.map((each) => {
      const { data } = detection.safeParse(each);
      return data && seen(data, data.object_track_id, size);
    });
    return frameAt(objects, timestamp, `${channel_id}`);
  }
  const beta = betaFrame.safeParse(message);
  if (!beta.success) throw new BadMessage("otherFormat");
  const { timestamp, observations } = beta.data.frame;
  const objects = observations.map((each) => {
    const { data } = observation.safeParse(each);
    return data && seen(data, data.track_id, size);
  });
  return frameAt(objects, timestamp, "");
}

function seen(
  { bounding_box, class: classification = unclassified }: z.output<typeof detection>,
  trackId: string | undefined,
  { width, height }: FrameSize,
): SeenObject {
  const { left, top, right, bottom } = bounding_box;
  return {
    label: classification.type,
    confidence: classification.score,
    trackId,
    left: left * width,
    top: top * height,
    right: right * width,
    bottom: bottom * height,
  };
}
