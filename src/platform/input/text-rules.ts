import { z } from "zod";
import { parsedUrl } from "../network/parsed-url.js";
import { chosenName } from "./descriptions.js";

/**
 * A visible character: no white space, control character, character with an empty glyph, placeholder or mark, which
 * needs a base to be visible. Emojis and Persian words combine visible and invisible characters, so texts may have
 * both.
 */
const visible =
  /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{M}\u2800\ufff9-\ufffc\u{13430}-\u{1343f}\u{16fe4}\u{1d159}]/u;

/** A string that is not blank, up to a maximum length. */
export const text = (maxLength: number) =>
  z
    .string("must be a string")
    .min(1, { error: "must not be empty", abort: true })
    .max(maxLength, { error: `must have at most ${maxLength} characters`, abort: true })
    // The part of the rule that the API description can show to all readers.
    .regex(/\S/, { error: "must not be blank", abort: true })
    .refine((value) => visible.test(value), { error: "must not be blank", abort: true });

export const optionalText = (maxLength: number) =>
  z
    .string("must be a string")
    .max(maxLength, { error: `must have at most ${maxLength} characters`, abort: true });

/** Refuses characters that make a text read differently than written. Where such texts are shown, they are removed. */
const ofOneDirection = /^[^\u202a-\u202e\u2066-\u2069]*$/;
const noDirections = "must not contain characters that change the direction of text";

/** A name that people choose: a string that is not blank, up to a maximum length. */
export const name = (maxLength: number) => text(maxLength).regex(ofOneDirection, noDirections);

/** A remark that people write about something: a string up to a maximum length, possibly empty. */
export const optionalRemark = (maxLength: number) =>
  optionalText(maxLength).regex(ofOneDirection, noDirections);

/** A remark that may be empty, but not blank. */
export const visibleRemark = (maxLength: number) =>
  optionalRemark(maxLength).refine((value) => value === "" || visible.test(value), "must not be blank");

/** Without `\p{Cc}`: the API description shows this pattern to engines without Unicode support. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
const printable = /^[^\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]*$/;

/** A string that is not blank and has no control characters, including those of bidirectional text. */
export const printableText = (maxLength: number) =>
  text(maxLength).regex(printable, "must contain only printable characters");

/**
 * The characters of a printable text, without `\p{Cc}`: API descriptions show them to engines without Unicode support.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
const printableLines = /^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]*$/;

/** A string that is not blank. Tabs and line breaks are its only control characters. */
export const linesOfText = (maxLength: number) =>
  text(maxLength).regex(printableLines, "must contain only printable characters, tabs and line breaks");

export const emailAddress = z
  .string("must be a string")
  .max(320, { error: "must have at most 320 characters", abort: true })
  .pipe(z.email("must be an email address"))
  .meta({ format: "email" });

export const resourceName = printableText(200).describe(chosenName);

/** An absolute http(s) URL. Any other URL could be mistaken for a key of the object store. */
export const absoluteUrl = z
  .string("must be a URL")
  .max(2048, { error: "must have at most 2048 characters", abort: true })
  .refine((value) => /^https?:\/\/[^/\\\s]/i.test(value) && parsedUrl(value) !== undefined, {
    error: "must be an http(s) URL",
    abort: true,
  })
  .refine((value) => !/[\s\p{Cc}]/u.test(value), "must not contain white space")
  .meta({ format: "uri" });
