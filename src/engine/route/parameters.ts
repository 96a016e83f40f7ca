import { z } from "zod";
import { defined } from "../../platform/defined.js";
import { ReceivedFile } from "../../platform/files/incoming-file.js";
import { maxTimestamp, roundedIn, roundedNumber, uuid } from "../../platform/input/scalars.js";
import { parseJson, RefusedJsonError } from "../../platform/json/bounded-json.js";
import { maxInt32 } from "../reading/connection.js";

/** Placeholders for ids in the documentation, which no record has. */
export const exampleIds = {
  facilityId: "00000000-0000-4000-8000-00000000fac1",
  cameraId: "00000000-0000-4000-8000-0000000000ca",
  jobId: "00000000-0000-4000-8000-000000000010",
  alertId: "00000000-0000-4000-8000-0000000000a1",
  areaId: "00000000-0000-4000-8000-0000000000a2",
  userId: "00000000-0000-4000-8000-000000000005",
  requestId: "00000000-0000-4000-8000-000000000009",
};

const pathParameters: Record<string, string> = {
  facilityId: "The id of the facility",
  cameraId: "The id of the camera",
  jobId: "The id of the analysis job",
  alertId: "The id of the alert",
  requestId: "The secret id of the stream request",
};

export const pathParameter = (name: string) =>
  uuidParameter
    .describe(defined(pathParameters[name]))
    .meta({ example: exampleIds[name as keyof typeof exampleIds] });

export const uuidParameter = uuid.meta({ type: "string", format: "uuid" });

/** Several values: repeated, comma-separated, or with `[]` after the name. */
export const listOf = <Item extends z.ZodType>(item: Item) => z.array(item).meta({ type: "array" });

export const booleanParameter = z
  .enum(["true", "false"], { error: "must be true or false" })
  .transform((text) => text === "true")
  .meta({ type: "boolean" });

/** An integer in plain decimal notation. */
export const integerParameter = (minimum: number, maximum = maxInt32) =>
  z
    .string()
    .regex(/^\d{1,10}$/, { error: "must be an integer in plain decimal notation", abort: true })
    .transform(Number)
    .pipe(
      z
        .number()
        .min(minimum, { error: `must be at least ${minimum}`, abort: true })
        .max(maximum, { error: `must be at most ${maximum}`, abort: true }),
    )
    .meta({ type: "integer", minimum, ...(maximum < maxInt32 && { maximum }) });

/** From this number on, timestamps are in milliseconds. */
const minMilliseconds = 100_000_000_000;

/** A Unix timestamp in seconds, or in milliseconds from 100000000000 on. */
export const timestampParameter = z
  .string("is required")
  .regex(/^\d{1,15}$/, { error: "must be a Unix timestamp in plain decimal notation", abort: true })
  .transform((text) => (Number(text) >= minMilliseconds ? Number(text) : Number(text) * 1000))
  .pipe(z.number().max(maxTimestamp, "must not be after the year 9999"))
  .transform((milliseconds) => new Date(milliseconds).toISOString())
  .meta({ type: "integer", format: "int64", minimum: 0, maximum: maxTimestamp });

export const filePart = z
  .instanceof(ReceivedFile, { error: "must be a file" })
  .meta({ type: "string", format: "binary" });

export const jsonPart = z
  .string("must be a string")
  .transform((text, context): unknown => {
    try {
      const value = parseJson(text);
      const path = roundedIn(value);
      if (!path) return value;
      context.addIssue({ code: "custom", path, message: roundedNumber });
    } catch (error) {
      if (!(error instanceof RefusedJsonError)) throw error;
      context.addIssue({ code: "custom", message: error.message });
    }
    return z.NEVER;
  })
  .meta({ type: "string", contentMediaType: "application/json" });
