import { z } from "zod";
import {
  BadMessage,
  type FrameSize,
  instant,
  type SeenFrame,
  type SeenObject,
  takenObjects,
} from "./seen-frame.js";

/**
 * The minimal schema of DeepStream's Gst-nvmsgconv (`msg2p-newapi` or not):
 * https://docs.nvidia.com/metropolis/deepstream/dev-guide/text/DS_plugin_gst-nvmsgconv.html
 */
const frame = z.object({
  "@timestamp": instant,
  sensorId: z.string(),
  objects: z.array(z.unknown()),
});

/** The id of objects without a tracker: the greatest number of 64 bits. */
const untracked = `${2n ** 64n - 1n}`;

/** A frame in DeepStream's minimal schema. The size of the picture is not in it. */
export function deepstreamFrame(
  message: unknown,
  size: FrameSize,
  labels: ReadonlyMap<string, string>,
): SeenFrame {
  const { success, data } = frame.safeParse(message);
  if (!success) throw new BadMessage("otherFormat");
  const { objects, leftOut } = takenObjects(data.objects.map(seen), size, labels);
  return { cameraField: data.sensorId, frame: { at: data["@timestamp"], ...size, objects }, leftOut };
}

/** An object: `track|left|top|right|bottom|label`, to which classifiers add `|#|`, their labels and the confidence. */
function seen(text: unknown): SeenObject | undefined {
  if (typeof text !== "string") return undefined;
  const [track = "", left, top, right, bottom, label, mark, ...classified] = text.split("|");
  const edges = [left, top, right, bottom].map((edge) => (edge?.trim() ? Number(edge) : Number.NaN));
  if (label === undefined || !edges.every(Number.isFinite)) return undefined;
  const confidence = mark === "#" ? Number(classified.at(-1) || Number.NaN) : Number.NaN;
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = edges;
  return {
    label,
    trackId: track === untracked ? undefined : track,
    left: x1,
    top: y1,
    right: x2,
    bottom: y2,
    // A tracker that does not know the confidence says -0.1.
    confidence: confidence >= 0 && confidence <= 1 ? confidence : undefined,
  };
}
