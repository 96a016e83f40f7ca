import { z } from "zod";
import { chosenName } from "./descriptions.js";

/** A string that is not blank, up to a maximum length. */
export const text = (maxLength: number) =>
  z
    .string("must be a string")
    .min(1, { error: "must not be empty", abort: true })
    .max(maxLength, { error: `must have at most ${maxLength} characters`, abort: true })
    .regex(/\S/, { error: "must not be blank", abort: true });

/** A string that may be empty, up to a maximum length. */
export const optionalText = (maxLength: number) =>
  z.string("must be a string").max(maxLength, { error: `must have at most ${maxLength} characters`, abort: true });

/** Written without `\p{Cc}`, which only Unicode-aware engines know: the API description shows this pattern to all. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
const printable = /^[^\u0000-\u001f\u007f-\u009f]*$/;

/** A string that is not blank and has no control characters, up to a maximum length. */
export const printableText = (maxLength: number) => text(maxLength).regex(printable, "must contain only printable characters");

/** Those of bidirectional text are refused, too, since they can make a text read differently than it is written. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
const printableLines = /^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]*$/;

/** A string that is not blank and has no control characters but tabs and line breaks, up to a maximum length. */
export const linesOfText = (maxLength: number) =>
  text(maxLength).regex(printableLines, "must contain only printable characters, tabs and line breaks");

/** An email address. */
export const emailAddress = z
  .string("must be a string")
  .max(320, { error: "must have at most 320 characters", abort: true })
  .pipe(z.email("must be an email address"))
  .meta({ format: "email" });

/** The name of a camera or a facility. */
export const resourceName = text(200).describe(chosenName);

/** An absolute http(s) URL. Nothing else is accepted, because it could be mistaken for a key of the object store. */
export const absoluteUrl = z
  .string("must be a URL")
  .max(2048, { error: "must have at most 2048 characters", abort: true })
  .refine((value) => /^https?:\/\/[^/\\\s]/i.test(value) && URL.canParse(value), { error: "must be an http(s) URL", abort: true })
  .refine((value) => !/[\s\p{Cc}]/u.test(value), "must not contain white space")
  .meta({ format: "uri" });
