import { z } from "zod";
import { uuid } from "../platform/scalars.js";

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
export const integerParameter = (minimum: number, maximum = 2 ** 31 - 1) =>
  z
    .string()
    .regex(/^\d{1,10}$/, "must be a whole number in plain decimal")
    .transform(Number)
    .pipe(z.number().min(minimum, `must be at least ${minimum}`).max(maximum, `must be at most ${maximum}`))
    .meta({ type: "integer", minimum });

const smallestMilliseconds = 100_000_000_000;
const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** A unix timestamp: seconds, or milliseconds from 100000000000 on. */
export const timestampParameter = z
  .string("is required")
  .regex(/^\d{1,15}$/, "must be a unix timestamp in plain decimal")
  .transform((text) => (Number(text) >= smallestMilliseconds ? Number(text) : Number(text) * 1000))
  .pipe(z.number().max(latest, "must not lie behind the year 9999"))
  .transform((milliseconds) => new Date(milliseconds).toISOString())
  .meta({ type: "integer", format: "int64", minimum: 0 });
