import { z } from "zod";
import { keysOf } from "../../../platform/record.js";
import { nameRule, sharedSettings } from "../connector/configuration.js";
import { cameraNameIssue, formatFields, usualCameraName } from "./camera-name.js";
import { filterIssue } from "./topic-filter.js";

const pixels = z.int().min(1, "must be positive").max(1_000_000, "must be at most 1000000");
/** Any size would do, as the gateway scales frames to its own pictures. */
const usualSize = { width: 1920, height: 1080 };

const source = z
  .strictObject({
    topic: nameRule
      .superRefine((filter, context) => {
        const message = filterIssue(filter);
        if (message !== undefined) context.addIssue({ code: "custom", message });
      })
      .describe(
        "The topics to subscribe to, with the wildcards + and #. The first source that fits a topic counts.",
      ),
    format: z
      .enum(keysOf(formatFields))
      .describe(
        "AXIS_SCENE: frames of Axis scene metadata. DEEPSTREAM: the minimal schema of Gst-nvmsgconv. GATEWAY: a DetectionFrameInput of the gateway, as JSON.",
      ),
    camera: nameRule
      .optional()
      .describe(
        "What the source calls the camera: a text with $1 for what the first wildcard of the topic stands for, and so on, and $channel (AXIS_SCENE: channel_id), $sensor (DEEPSTREAM: sensorId) or $camera (GATEWAY: cameraId). By default $1, $sensor and $camera.",
      ),
    frame: z
      .strictObject({ width: pixels, height: pixels })
      .optional()
      .describe(
        "The size of the frames in pixels. DEEPSTREAM needs it; coordinates of AXIS_SCENE are shares of it.",
      ),
    labels: z
      .record(nameRule, nameRule)
      .default({})
      .describe('What rules call the objects, by what the source calls them, such as {"Human": "PERSON"}.'),
  })
  .transform(({ camera, frame, ...others }, context) => {
    const { format, topic } = others;
    const template = camera ?? usualCameraName(format, topic);
    const add = (path: string, message: string) =>
      context.addIssue({ code: "custom", path: [path], message });
    if (template === undefined)
      add("camera", "is required, as the topic has no wildcard that names a camera");
    const issue = template === undefined ? undefined : cameraNameIssue(template, format, topic);
    if (issue !== undefined) add("camera", issue);
    if (format === "DEEPSTREAM" && !frame) add("frame", "is required, as DeepStream does not tell it");
    return {
      ...others,
      camera: template ?? "",
      frame: frame ?? usualSize,
      labels: new Map(Object.entries(others.labels)),
    };
  });

const mebibyte = 1024 * 1024;

export const mqttConfiguration = z.strictObject({
  ...sharedSettings,
  sources: z.array(source).min(1).max(1000).describe("Who publishes detections."),
  buffer: z
    .strictObject({
      frames: z.int().min(1, "must be positive").max(10_000_000).default(100_000),
      bytes: z
        .int()
        .min(mebibyte, `must be at least ${mebibyte}`)
        .max(1024 * mebibyte)
        .default(64 * mebibyte),
    })
    .prefault({})
    .describe("How much is kept while the gateway is away. Beyond that, the oldest frames are dropped."),
});

export type MqttConfiguration = z.output<typeof mqttConfiguration>;
export type Source = MqttConfiguration["sources"][number];
