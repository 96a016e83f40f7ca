import { z } from "zod";
import { chosenName } from "./descriptions.js";

/**
 * A character that is seen: neither white space, nor one that Unicode says to show
 * nothing for (zero-width and tag characters, variation selectors, soft hyphens,
 * fillers), nor a control character or one that arranges others, nor one whose picture is
 * empty, such as the Braille pattern without dots, nor one that stands in for an object,
 * nor a mark, which needs a base to be seen on. What is composed of visible and invisible
 * ones, as emojis and Persian words are, may have both.
 */
const visible =
  /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{M}\u2800\ufff9-\ufffc\u{13430}-\u{1343f}\u{16fe4}\u{1d159}]/u;

/** A string that is not blank, up to a maximum length. */
export const text = (maxLength: number) =>
  z
    .string("must be a string")
    .min(1, { error: "must not be empty", abort: true })
    .max(maxLength, { error: `must have at most ${maxLength} characters`, abort: true })
    // The part of the rule that the API description can show to all.
    .regex(/\S/, { error: "must not be blank", abort: true })
    .refine((value) => visible.test(value), { error: "must not be blank", abort: true });

/** A string that may be empty, up to a maximum length. */
export const optionalText = (maxLength: number) =>
  z
    .string("must be a string")
    .max(maxLength, { error: `must have at most ${maxLength} characters`, abort: true });

/**
 * Refuses what can make a text read differently than it is written: the characters that
 * are taken from such texts where they are shown.
 */
const ofOneDirection = /^[^\u202a-\u202e\u2066-\u2069]*$/;
const noDirections = "must not contain characters that change the direction of text";

/** A name that people choose: a string that is not blank, up to a maximum length. */
export const name = (maxLength: number) => text(maxLength).regex(ofOneDirection, noDirections);

/**
 * What people say about something beside its name: a string that may be empty, up to a
 * maximum length.
 */
export const optionalRemark = (maxLength: number) =>
  optionalText(maxLength).regex(ofOneDirection, noDirections);

/** A remark that may be empty, but not look so. */
export const visibleRemark = (maxLength: number) =>
  optionalRemark(maxLength).refine((value) => value === "" || visible.test(value), "must not be blank");

/**
 * Written without `\p{Cc}`, which only Unicode-aware engines know: the API description
 * shows this pattern to all.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
const printable = /^[^\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]*$/;

/**
 * A string that is not blank and has no control characters, those of bidirectional text
 * included, up to a maximum length.
 */
export const printableText = (maxLength: number) =>
  text(maxLength).regex(printable, "must contain only printable characters");

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
const printableLines = /^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]*$/;

/**
 * A string that is not blank and has no control characters but tabs and line breaks, up
 * to a maximum length.
 */
export const linesOfText = (maxLength: number) =>
  text(maxLength).regex(printableLines, "must contain only printable characters, tabs and line breaks");

/** An email address. */
export const emailAddress = z
  .string("must be a string")
  .max(320, { error: "must have at most 320 characters", abort: true })
  .pipe(z.email("must be an email address"))
  .meta({ format: "email" });

/** The name of a camera, a facility or a key. */
export const resourceName = printableText(200).describe(chosenName);

/**
 * An absolute http(s) URL. Nothing else is accepted, because it could be mistaken for a
 * key of the object store.
 */
export const absoluteUrl = z
  .string("must be a URL")
  .max(2048, { error: "must have at most 2048 characters", abort: true })
  .refine((value) => /^https?:\/\/[^/\\\s]/i.test(value) && URL.canParse(value), {
    error: "must be an http(s) URL",
    abort: true,
  })
  .refine((value) => !/[\s\p{Cc}]/u.test(value), "must not contain white space")
  .meta({ format: "uri" });
