import { z } from "zod";

/** What begins a key in Base64, as Standard Webhooks writes it. */
const prefix = "whsec_";
const minKeyBytes = 16;

/** Base64 in either alphabet, with or without its end. */
const base64 = /^(?:[\w+/-]{4})*(?:[\w+/-]{2,4}={0,2})$/;

/**
 * The key by which a stored secret signs; undefined if it is no Base64 after its prefix:
 * decoders leave out what they do not know, and would sign with another key, or with an
 * empty one.
 */
export function signingKey(secret: string): Buffer | undefined {
  if (!secret.startsWith(prefix)) return Buffer.from(secret);
  const encoded = secret.slice(prefix.length);
  return base64.test(encoded) ? Buffer.from(encoded, "base64") : undefined;
}

/**
 * Only what all libraries of Standard Webhooks decode alike: the plain alphabet with its
 * end.
 */
function isCanonical(secret: string): boolean {
  const encoded = secret.slice(prefix.length);
  return !secret.startsWith(prefix) || Buffer.from(encoded, "base64").toString("base64") === encoded;
}

/**
 * A prefix in whatever spelling: at the beginning or behind a separator, or as it should
 * be behind anything.
 */
const anyPrefix = /(?:^|[^a-z\d])wh[^a-z\d]?sec(?!ret)|whsec_/i;

/**
 * A text that was meant to be a key in Base64, but does not begin as one, or is a key for
 * another kind of signatures.
 */
const isMistaken = (secret: string) =>
  (anyPrefix.test(secret) && !secret.startsWith(prefix)) || /^wh[sp]k_/i.test(secret);

/** The secret of a webhook: what it signs with is what its receiver takes it for. */
export const webhookSecret = z
  .string()
  .min(1, { error: "must not be empty", abort: true })
  .max(500, { error: "must have at most 500 characters", abort: true })
  // Libraries take the characters of a text for its bytes.
  .regex(/^[!-~](?:[ -~]*[!-~])?$/, {
    error: "must consist of printable ASCII characters, without spaces around them",
    abort: true,
  })
  .refine((secret) => !isMistaken(secret), {
    error: "must be Base64 right after whsec_, or a plain text",
    abort: true,
  })
  .refine(isCanonical, {
    error: "must be Base64 after whsec_, with + and / and the = at its end",
    abort: true,
  })
  .refine(
    (secret) => (signingKey(secret)?.length ?? 0) >= minKeyBytes,
    `must be a key of at least ${minKeyBytes} bytes`,
  );
