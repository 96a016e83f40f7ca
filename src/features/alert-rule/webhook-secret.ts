import { z } from "zod";

const prefix = "whsec_";
const minKeyBytes = 16;

/** Base64 in either alphabet, with or without padding. */
const base64 = /^(?:[\w+/-]{4})*(?:[\w+/-]{2,4}={0,2})$/;

/** The key of a secret; undefined if it is not Base64: decoders skip characters, and would sign with another key. */
export function signingKey(secret: string): Buffer | undefined {
  if (!secret.startsWith(prefix)) return Buffer.from(secret);
  const encoded = secret.slice(prefix.length);
  return base64.test(encoded) ? Buffer.from(encoded, "base64") : undefined;
}

/** Whether the secret has the standard alphabet with padding, which all libraries of Standard Webhooks decode alike. */
function isCanonical(secret: string): boolean {
  const encoded = secret.slice(prefix.length);
  return !secret.startsWith(prefix) || Buffer.from(encoded, "base64").toString("base64") === encoded;
}

/** The prefix in any spelling at the beginning or after a separator, or in its correct spelling anywhere. */
const anyPrefix = /(?:^|[^a-z\d])wh[^a-z\d]?sec(?!ret)|whsec_/i;

/** Whether a text was meant as a Base64 key but begins differently, or is a key for another kind of signature. */
const isMistaken = (secret: string) =>
  (anyPrefix.test(secret) && !secret.startsWith(prefix)) || /^wh[sp]k_/i.test(secret);

/** The secret of a webhook. The rules ensure that its receiver derives the same key. */
export const webhookSecret = z
  .string()
  .min(1, { error: "must not be empty", abort: true })
  .max(500, { error: "must have at most 500 characters", abort: true })
  // Libraries use the characters of a text as bytes.
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
