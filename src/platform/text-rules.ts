import { z } from "zod";

/** A text of so many characters that is not blank. */
export const text = (longest: number) =>
  z
    .string("must be a text")
    .min(1, "must not be empty")
    .max(longest, `must have at most ${longest} characters`)
    .refine((value) => value === "" || value.trim() !== "", "must not be blank");

/** A text that may be empty. */
export const optionalText = (longest: number) => z.string("must be a text").max(longest, `must have at most ${longest} characters`);

/** A text of so many characters without control characters. */
export const printableText = (longest: number) => text(longest).regex(/^\P{Cc}+$/u, "must hold printable characters only");

/** An e-mail address. */
export const emailAddress = z.email("must be an e-mail address").max(320, "must have at most 320 characters");

/** The name of a camera or a facility. */
export const resourceName = text(200);
