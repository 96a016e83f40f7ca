import { z } from "zod";
import { largestInteger } from "../platform/connection.js";
import { ArrivedFile } from "../platform/incoming-file.js";
import { deepestJson, isTooDeep } from "../platform/json-depth.js";
import { latestMoment, uuid } from "../platform/scalars.js";

/** A UUID in a path or query. */
export const uuidParameter = uuid.meta({ type: "string", format: "uuid" });

/** Several values: repeated, comma-separated, or with `[]` behind the name. */
export const listOf = <Item extends z.ZodType>(item: Item) => z.array(item).meta({ type: "array" });

/** `true` or `false`. */
export const booleanParameter = z
  .enum(["true", "false"], { error: "must be true or false" })
  .transform((text) => text === "true")
  .meta({ type: "boolean" });

/** A whole number in plain decimal. */
export const integerParameter = (minimum: number, maximum = largestInteger) =>
  z
    .string()
    .regex(/^\d{1,10}$/, { error: "must be a whole number in plain decimal", abort: true })
    .transform(Number)
    .pipe(
      z
        .number()
        .min(minimum, { error: `must be at least ${minimum}`, abort: true })
        .max(maximum, { error: `must be at most ${maximum}`, abort: true }),
    )
    .meta({ type: "integer", minimum, ...(maximum < largestInteger && { maximum }) });

const smallestMilliseconds = 100_000_000_000;

/** A unix timestamp: seconds, or milliseconds from 100000000000 on. */
export const timestampParameter = z
  .string("is required")
  .regex(/^\d{1,15}$/, { error: "must be a unix timestamp in plain decimal", abort: true })
  .transform((text) => (Number(text) >= smallestMilliseconds ? Number(text) : Number(text) * 1000))
  .pipe(z.number().max(latestMoment, "must not lie behind the year 9999"))
  .transform((milliseconds) => new Date(milliseconds).toISOString())
  .meta({ type: "integer", format: "int64", minimum: 0 });

/** The file of a multipart form. */
export const filePart = z.instanceof(ArrivedFile, { error: "must be a file" }).meta({ type: "string", format: "binary" });

/** JSON in a part of a multipart form. */
export const jsonPart = z
  .string("must be a text")
  .transform((text, context): unknown => {
    try {
      const value: unknown = JSON.parse(text);
      if (!isTooDeep(value)) return value;
      context.addIssue({ code: "custom", message: `is nested more than ${deepestJson} levels deep` });
    } catch {
      context.addIssue({ code: "custom", message: "is not valid JSON" });
    }
    return z.NEVER;
  })
  .meta({ type: "string", contentMediaType: "application/json" });
