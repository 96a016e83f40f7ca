import { z } from "zod";
import { BadMessage, instant, type SeenFrame } from "./seen-frame.js";

/** The gateway's own `DetectionFrameInput`. The gateway checks its values; here, frames are only told from others. */
const frame = z.object({
  cameraId: z.string().optional(),
  at: instant,
  width: z.number(),
  height: z.number(),
  objects: z
    .array(
      z.object({
        label: z.string(),
        confidence: z.number().nullish(),
        box: z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }),
        trackId: z.string().nullish(),
        attributes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).nullish(),
      }),
    )
    .max(200),
  uploadId: z.string().nullish(),
});

/** A frame in the form in which the gateway takes it; `cameraId` may also be a name. */
export function gatewayFrame(message: unknown, labels: ReadonlyMap<string, string>): SeenFrame {
  const { success, data } = frame.safeParse(message);
  if (!success) throw new BadMessage("otherFormat");
  const { cameraId = "", objects, ...others } = data;
  const named = objects.map((object) => ({ ...object, label: labels.get(object.label) ?? object.label }));
  return { cameraField: cameraId, frame: { ...others, objects: named }, leftOut: 0 };
}
