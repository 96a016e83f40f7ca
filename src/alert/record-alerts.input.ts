import { isDeepStrictEqual } from "node:util";
import { Field, Float, InputType, Int } from "type-graphql";
import { z } from "zod";
import { ImageDimensionsInput, imageDimensions } from "../camera/camera.input.js";
import { DateTimeIso, JsonObject, Uuid } from "../platform/scalars.js";
import { absoluteUrl, printableText } from "../platform/text-rules.js";

/** The most alerts that are recorded at once. */
const longestBatch = 1000;
const mostPoints = 1000;
const mostAreas = 100;
const longestInfo = 64 * 1024;

// GraphQL has seen to it that they hold what they should: to go through them again would take longer than all other rules.
const list = (most: number, what: string) => z.unknown().refine((items) => items == null || (items as unknown[]).length <= most, `must ${what}`);
const points = list(mostPoints, `have at most ${mostPoints} points`);

const recordAlertInput = z
  .object({
    id: z.string(),
    cameraId: z.string(),
    alertRuleId: z.string().nullish(),
    createdAt: z.date(),
    name: printableText(100),
    count: z.int("must be a whole number").min(0, "must not be negative").nullish(),
    url: absoluteUrl.nullish(),
    thumbnailUrl: absoluteUrl.nullish(),
    imageDimensions: imageDimensions.nullish(),
    canvasDimensions: imageDimensions.nullish(),
    violatingCoordinates: points.optional(),
    area: points.optional(),
    areaIds: list(mostAreas, `list at most ${mostAreas}`).optional(),
    info: z
      .unknown()
      .refine((info) => JSON.stringify(info).length <= longestInfo, `must have at most ${longestInfo} characters as JSON`)
      .nullish(),
    storageClass: printableText(50).nullish(),
    uploadId: z.string().nullish(),
  })
  .refine(({ uploadId, url, thumbnailUrl }) => uploadId == null || (url == null && thumbnailUrl == null), {
    path: ["uploadId"],
    error: "must not be given beside url or thumbnailUrl",
  });

type GivenAlert = z.infer<typeof recordAlertInput>;

/** The rules for alerts that are recorded together, but for those that need a clock or the database. */
export const recordAlertsInput = z
  .array(recordAlertInput)
  .min(1, "must not be empty")
  .max(longestBatch, `must list at most ${longestBatch}`)
  .superRefine((alerts, { addIssue }) => {
    const byId = new Map<string, GivenAlert>();
    const alertOfUpload = new Map<string, string>();
    for (const [index, alert] of alerts.entries()) {
      const { id, uploadId } = alert;
      const earlier = byId.get(id);
      if (earlier && !isDeepStrictEqual(present(alert), present(earlier)))
        addIssue({ code: "custom", path: [index, "id"], message: "is given twice, with different content" });
      byId.set(id, alert);
      if (uploadId == null) continue;
      if ((alertOfUpload.get(uploadId) ?? id) !== id) addIssue({ code: "custom", path: [index, "uploadId"], message: "is given for two alerts" });
      alertOfUpload.set(uploadId, id);
    }
  });

/** What is said of an alert: null says as much as nothing. */
const present = (alert: GivenAlert) => Object.fromEntries(Object.entries(alert).filter(([, value]) => value != null));

@InputType({ description: "A point in an image, in pixels from its upper left corner." })
class PointInput {
  @Field(() => Float)
  x!: number;

  @Field(() => Float)
  y!: number;
}

const urlDescription = "An absolute http(s) URL of at most 2048 characters. It is shown as it is and never fetched.";

@InputType({ description: "An alert as its detector reports it. Severity, observation and facility are those of its rule and camera at the moment." })
export class RecordAlertInput {
  @Field(() => Uuid, { description: "Chosen by the detector, and unique in the workspace: whoever sends an alert again sends the same id." })
  id!: string;

  @Field(() => Uuid)
  cameraId!: string;

  @Field(() => String, { description: "The type of alert, such as STATIC_DELIMITATION_AREA: 1 to 100 printable characters." })
  name!: string;

  @Field(() => DateTimeIso, { description: "When it happened; at most 24 hours ahead." })
  createdAt!: Date;

  @Field(() => Uuid, { nullable: true, description: "The rule that raised it: one of the camera's." })
  alertRuleId?: string | null;

  @Field(() => Int, { nullable: true, defaultValue: 1, description: "How many objects were involved." })
  count?: number | null;

  @Field(() => Uuid, {
    nullable: true,
    description: "A picture that was sent by `createAlertUpload`, instead of `url` and `thumbnailUrl`. Each is shown by one alert.",
  })
  uploadId?: string | null;

  @Field(() => String, { nullable: true, description: `The picture. ${urlDescription}` })
  url?: string | null;

  @Field(() => String, { nullable: true, description: `A small picture. ${urlDescription}` })
  thumbnailUrl?: string | null;

  @Field(() => ImageDimensionsInput, { nullable: true, description: "The size of the picture; that of an uploaded one is known." })
  imageDimensions?: ImageDimensionsInput | null;

  @Field(() => ImageDimensionsInput, { nullable: true, description: "The size of the canvas that the coordinates refer to." })
  canvasDimensions?: ImageDimensionsInput | null;

  @Field(() => [PointInput], { nullable: true, description: "Where the objects were, at most 1000 points." })
  violatingCoordinates?: PointInput[] | null;

  @Field(() => [PointInput], { nullable: true, description: "The polygon that was violated, of at most 1000 points." })
  area?: PointInput[] | null;

  @Field(() => [Uuid], { nullable: true, description: "The rule's areas that were violated, at most 100." })
  areaIds?: string[] | null;

  @Field(() => JsonObject, { nullable: true, description: "What the detector says besides: at most 65536 characters as JSON." })
  info?: object | null;

  @Field(() => String, { nullable: true, description: "Where the picture is kept; the gateway's own store, local or s3, without it." })
  storageClass?: string | null;
}
