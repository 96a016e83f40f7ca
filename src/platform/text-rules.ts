import { z } from "zod";

/** A text of so many characters that is not blank. */
export const text = (longest: number) =>
  z
    .string("must be a text")
    .min(1, { error: "must not be empty", abort: true })
    .max(longest, { error: `must have at most ${longest} characters`, abort: true })
    .refine((value) => value.trim() !== "", { error: "must not be blank", abort: true });

/** A text that may be empty. */
export const optionalText = (longest: number) =>
  z.string("must be a text").max(longest, { error: `must have at most ${longest} characters`, abort: true });

/** A text of so many characters without control characters. */
export const printableText = (longest: number) => text(longest).regex(/^\P{Cc}*$/u, "must hold printable characters only");

/** An e-mail address. */
export const emailAddress = z
  .string("must be a text")
  .max(320, { error: "must have at most 320 characters", abort: true })
  .pipe(z.email("must be an e-mail address"));

/** The name of a camera or a facility. */
export const resourceName = text(200);

/** An absolute http(s) URL, spelt out: anything else might be taken for a key of the object store. */
export const absoluteUrl = z
  .string("must be a URL")
  .max(2048, { error: "must have at most 2048 characters", abort: true })
  .refine((value) => /^https?:\/\/[^/\\\s]/i.test(value) && URL.canParse(value), { error: "must be an http(s) URL", abort: true })
  .refine((value) => !/[\s\p{Cc}]/u.test(value), "must hold no white space");
