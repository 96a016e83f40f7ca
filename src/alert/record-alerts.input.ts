import { isDeepStrictEqual } from "node:util";
import { Field, Float, InputType, Int } from "type-graphql";
import { z } from "zod";
import { ImageDimensionsInput, imageDimensions } from "../camera/camera.input.js";
import { DateTimeIso, JsonObject, Uuid } from "../platform/scalars.js";
import { absoluteUrl, printableText } from "../platform/text-rules.js";

/** The maximum number of alerts that are recorded at once. */
const maxBatchSize = 1000;
const maxPoints = 1000;
const maxAreas = 100;
const maxInfoBytes = 64 * 1024;

// GraphQL has validated the items: validating them again would take longer than all other rules together.
const list = (maxLength: number, what: string) =>
  z.unknown().refine((items) => items == null || (items as unknown[]).length <= maxLength, `must ${what}`);
const points = list(maxPoints, `have at most ${maxPoints} points`);

const recordAlertInput = z
  .object({
    id: z.string(),
    cameraId: z.string(),
    alertRuleId: z.string().nullish(),
    createdAt: z.date(),
    name: printableText(100),
    count: z.int("must be an integer").min(0, "must not be negative").nullish(),
    url: absoluteUrl.nullish(),
    thumbnailUrl: absoluteUrl.nullish(),
    imageDimensions: imageDimensions.nullish(),
    canvasDimensions: imageDimensions.nullish(),
    violatingCoordinates: points.optional(),
    area: points.optional(),
    areaIds: list(maxAreas, `list at most ${maxAreas}`).optional(),
    info: z
      .unknown()
      .refine((info) => JSON.stringify(info).length <= maxInfoBytes, `must have at most ${maxInfoBytes} characters as JSON`)
      .nullish(),
    storageClass: printableText(50).nullish(),
    uploadId: z.string().nullish(),
  })
  .refine(({ uploadId, url, thumbnailUrl }) => uploadId == null || (url == null && thumbnailUrl == null), {
    path: ["uploadId"],
    error: "must not be given together with url or thumbnailUrl",
  });

type GivenAlert = z.infer<typeof recordAlertInput>;

/** The rules for alerts that are recorded together, except for those that depend on the time or the database. */
export const recordAlertsInput = z
  .array(recordAlertInput)
  .min(1, "must not be empty")
  .max(maxBatchSize, `must list at most ${maxBatchSize}`)
  .superRefine((alerts, { addIssue }) => {
    const byId = new Map<string, GivenAlert>();
    const alertOfUpload = new Map<string, string>();
    for (const [index, alert] of alerts.entries()) {
      const { id, uploadId } = alert;
      const earlier = byId.get(id);
      if (earlier && !isDeepStrictEqual(present(alert), present(earlier)))
        addIssue({ code: "custom", path: [index, "id"], message: "is given twice with different content" });
      byId.set(id, alert);
      if (uploadId == null) continue;
      if ((alertOfUpload.get(uploadId) ?? id) !== id) addIssue({ code: "custom", path: [index, "uploadId"], message: "is given for two alerts" });
      alertOfUpload.set(uploadId, id);
    }
  });

/** The fields of an alert that are given: null means the same as an omitted field. */
const present = (alert: GivenAlert) => Object.fromEntries(Object.entries(alert).filter(([, value]) => value != null));

@InputType({ description: "A point in an image, in pixels from its top left corner." })
class PointInput {
  @Field(() => Float)
  x!: number;

  @Field(() => Float)
  y!: number;
}

const urlDescription = "An absolute http(s) URL of at most 2048 characters. It is returned as is and never fetched.";

@InputType({ description: "An alert as reported by its detector. Severity, observation and facility are copied from its rule and camera." })
export class RecordAlertInput {
  @Field(() => Uuid, { description: "Chosen by the detector and unique in the workspace. Use the same ID when retrying." })
  id!: string;

  @Field(() => Uuid)
  cameraId!: string;

  @Field(() => String, { description: "The alert type, such as STATIC_DELIMITATION_AREA: 1 to 100 printable characters." })
  name!: string;

  @Field(() => DateTimeIso, { description: "When the event happened; at most 24 hours in the future." })
  createdAt!: Date;

  @Field(() => Uuid, { nullable: true, description: "The rule that raised it, which must belong to the camera." })
  alertRuleId?: string | null;

  @Field(() => Int, { nullable: true, defaultValue: 1, description: "The number of objects involved." })
  count?: number | null;

  @Field(() => Uuid, {
    nullable: true,
    description: "An upload created by `createAlertUpload`, instead of `url` and `thumbnailUrl`. Each upload can be used by one alert.",
  })
  uploadId?: string | null;

  @Field(() => String, { nullable: true, description: `The URL of the picture. ${urlDescription}` })
  url?: string | null;

  @Field(() => String, { nullable: true, description: `The URL of a thumbnail. ${urlDescription}` })
  thumbnailUrl?: string | null;

  @Field(() => ImageDimensionsInput, { nullable: true, description: "The size of the picture; by default, that of the uploaded picture." })
  imageDimensions?: ImageDimensionsInput | null;

  @Field(() => ImageDimensionsInput, { nullable: true, description: "The size of the canvas that the coordinates refer to." })
  canvasDimensions?: ImageDimensionsInput | null;

  @Field(() => [PointInput], { nullable: true, description: "The positions of the objects, at most 1000." })
  violatingCoordinates?: PointInput[] | null;

  @Field(() => [PointInput], { nullable: true, description: "The violated polygon, at most 1000 points." })
  area?: PointInput[] | null;

  @Field(() => [Uuid], { nullable: true, description: "The violated areas of the rule, at most 100." })
  areaIds?: string[] | null;

  @Field(() => JsonObject, { nullable: true, description: "Additional data from the detector, at most 65536 characters as JSON." })
  info?: object | null;

  @Field(() => String, { nullable: true, description: "Where the picture is stored; by default the gateway's own storage, local or s3." })
  storageClass?: string | null;
}
