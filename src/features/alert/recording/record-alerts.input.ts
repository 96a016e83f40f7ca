import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { existingId, pixelsFromLeft, pixelsFromTop } from "../../../platform/input/descriptions.js";
import { graphqlField, idField, inputType } from "../../../platform/input/input-type.js";
import { JsonObject, Uuid } from "../../../platform/input/scalars.js";
import { absoluteUrl, printableText } from "../../../platform/input/text-rules.js";
import { alertTypes } from "../../alert-rule/alert-kind.js";
import { imageDimensions } from "../../camera/camera.input.js";

/** The maximum number of alerts recorded in one request. */
const maxBatchSize = 1000;
const maxPoints = 1000;
const maxAreas = 100;
/** The maximum length of `Alert.info` as JSON, in characters. */
export const maxInfoLength = 64 * 1024;

const point = z.object({
  x: z.number().describe(pixelsFromLeft),
  y: z.number().describe(pixelsFromTop),
});
const PointInput = inputType("PointInput", "A point in an image, in pixels from its top left corner.", point);

// The items are not validated again: GraphQL did, and a second time would take longer than all other rules.
const list = <Item>(type: object, maxLength: number, what: string) =>
  z
    .custom<Item[]>((items) => Array.isArray(items) && items.length <= maxLength, `must ${what}`)
    .register(graphqlField, { type: [type] });
const points = list<z.infer<typeof point>>(
  PointInput,
  maxPoints,
  `have at most ${maxPoints} points`,
).nullish();
const urlDescription =
  "An absolute http(s) URL of at most 2048 characters. The gateway returns it as is, and never fetches it.";

const recordAlertInput = z
  .object({
    id: idField.describe(
      "Chosen by the detector and unique in the workspace. Use the same ID when retrying: alerts that are already recorded stay unchanged.",
    ),
    cameraId: idField.describe(existingId("the camera that raised the alert")),
    name: printableText(100).describe(`The alert type, 1 to 100 printable characters, ${alertTypes}.`),
    createdAt: z.date().describe("When the event happened; at most 24 hours in the future."),
    alertRuleId: idField
      .nullish()
      .describe("The ID of the rule that raised the alert, a rule of the camera; null if no rule did."),
    count: z
      .int("must be an integer")
      .min(0, "must not be negative")
      .nullish()
      .describe("The number of objects involved, at least 0.")
      .register(graphqlField, { defaultValue: 1 }),
    uploadId: idField
      .nullish()
      .describe(
        "The ID of an upload created by `createAlertUpload`, instead of `url` and `thumbnailUrl`. The picture must have been sent. Only one alert can use an upload, and only at the upload's facility.",
      ),
    clipUploadId: idField
      .nullish()
      .describe(
        "The ID of an upload of the kind CLIP, which must have been sent. Only one alert can use it, and only at the upload's facility.",
      ),
    url: absoluteUrl.nullish().describe(`The URL of the picture. ${urlDescription}`),
    thumbnailUrl: absoluteUrl.nullish().describe(`The URL of a thumbnail. ${urlDescription}`),
    imageDimensions: imageDimensions
      .nullish()
      .describe("The size of the picture; by default, that of the uploaded picture."),
    canvasDimensions: imageDimensions
      .nullish()
      .describe(
        "The size of the canvas to which `area` and `violatingCoordinates` refer, if it differs from the picture's.",
      ),
    violatingCoordinates: points.describe("The positions of the objects on the canvas, at most 1000."),
    area: points.describe("The violated polygon on the canvas, at most 1000 points."),
    areaIds: list<string>(Uuid, maxAreas, `list at most ${maxAreas}`)
      .nullish()
      .describe("The IDs of the rule's areas that were violated, as in `RuleArea.id`, at most 100."),
    info: z
      .custom<object>(
        (info) => JSON.stringify(info).length <= maxInfoLength,
        `must have at most ${maxInfoLength} characters as JSON`,
      )
      .register(graphqlField, { type: JsonObject })
      .nullish()
      .describe("Additional data from the detector, of any structure, at most 65536 characters as JSON."),
    storageClass: printableText(50)
      .nullish()
      .describe(
        "The kind of storage of the picture, 1 to 50 printable characters; by default that of the gateway, local or s3.",
      ),
  })
  .refine(({ uploadId, url, thumbnailUrl }) => uploadId == null || (url == null && thumbnailUrl == null), {
    path: ["uploadId"],
    error: "must not be given together with url or thumbnailUrl",
  });

export type RecordAlertInput = InstanceType<typeof RecordAlertInput>;
export const RecordAlertInput = inputType(
  "RecordAlertInput",
  "An alert as reported by its detector. Severity, observation and facility are copied from its rule and camera.",
  recordAlertInput,
);

type GivenAlert = z.infer<typeof recordAlertInput>;

/** The rules for alerts recorded in one request, except those that depend on the time or the database. */
export const recordAlertsInput = z
  .array(recordAlertInput)
  .min(1, "must not be empty")
  .max(maxBatchSize, `must list at most ${maxBatchSize}`)
  .superRefine((alerts, { addIssue }) => {
    const byId = new Map<string, GivenAlert>();
    const alertOfUpload = new Map<string, string>();
    for (const [index, alert] of alerts.entries()) {
      const { id } = alert;
      const earlier = byId.get(id);
      if (earlier && !isDeepStrictEqual(present(alert), present(earlier)))
        addIssue({ code: "custom", path: [index, "id"], message: "is given twice with different content" });
      byId.set(id, alert);
      for (const field of ["uploadId", "clipUploadId"] as const) {
        const uploadId = alert[field];
        if (uploadId == null) continue;
        if ((alertOfUpload.get(uploadId) ?? id) !== id)
          addIssue({ code: "custom", path: [index, field], message: "is given for two alerts" });
        alertOfUpload.set(uploadId, id);
      }
    }
  });

/** The given fields of an alert. Null means the same as an omitted field. */
const present = (alert: GivenAlert) =>
  Object.fromEntries(Object.entries(alert).filter(([, value]) => value != null));
