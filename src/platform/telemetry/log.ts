import { type DestinationStream, type Logger, pino, stdSerializers } from "pino";

export type { DestinationStream, Logger };

/** Creates the log: one JSON object per line, by default on standard output, without secrets and personal data. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const redact = {
    paths: ["req.headers.authorization", "req.headers.cookie", "authorization", "*.authorization"],
    censor: "***",
  };
  const formatters = { level: (label: string) => ({ level: label }) };
  const timestamp = pino.stdTimeFunctions.isoTime;
  const hooks = { streamWrite: maskSecrets };
  return pino(
    { level, base: null, timestamp, formatters, redact, serializers: { err: describeError }, hooks },
    destination,
  );
}

/**
 * The loggable part of an error. The rest may hold values of rows, which PostgreSQL quotes if they break constraints.
 */
function describeError(error: Error): unknown {
  const { type, message, stack, code, aggregateErrors } = stdSerializers.err(error) as ReturnType<
    typeof stdSerializers.err
  > & { code?: unknown };
  return {
    type,
    message,
    stack,
    ...(code !== undefined && { code }),
    ...(aggregateErrors && { causes: aggregateErrors.map((each: Error) => each.message) }),
  };
}

/** Words in the names of secrets, such as `loginpas`, `authbasic` or `X-Amz-Signature`. */
const secretWords = "auth|cred|jwt|key|pas|policy|psw|pwd|secret|session|sig|ticket|token";

/** The end of a shortened text. The cut may have removed the end of a secret. */
const cut = "…";

/** A pattern to mask. Each matching line contains one of the hints, in lower case, which are much faster to find. */
interface Secret {
  hints: string[];
  pattern: RegExp;
  replacement: string;
}

// Lines are JSON: patterns match an escaped character as a whole, and nothing beyond the end of a string. Clients
// choose much of the log's content, so all patterns take linear time.
const secrets: Secret[] = [
  {
    // The capabilities of stream requests, but not the parameter that stands for them in a route pattern.
    hints: ["/thumbnail/", "/metadata/", "/feedserver/error/"],
    pattern: /(\/cameras\/(?:thumbnail|metadata|feedserver\/error)\/+)(?!:requestId")(?:\\.|[^/?#"\\])+/gi,
    replacement: "$1***",
  },
  {
    // Query parameters: secret ones, those of GraphQL, which may contain anything, and those with encoded names.
    hints: ["?"],
    pattern:
      /([?&](?:signature|ticket|token|access_token|authorization|password|passwd|query|variables|extensions|[^?=&#"\\%]*%[^?=&#"\\]*)=)(?:\\.|[^&#"\\])+/gi,
    replacement: "$1***",
  },
  {
    // Secrets in the paths, queries or fragments of camera URLs and signed URLs, after any separator.
    hints: ["=", "3d"],
    pattern: new RegExp(
      `((?:${secretWords})(?:[\\w.\\-\\]]|%5d){0,20}(?:=|%(?:25)*3d))(?:\\\\.|(?!%(?:25)*(?:26|3b))[^&;#\\s"'\\\\])+`,
      "gi",
    ),
    replacement: "$1***",
  },
  { hints: ["cmk"], pattern: /cmk(?:_|%5f)[0-9a-z]+(?:_|%5f)[0-9a-z]+/gi, replacement: "cmk_***" },
  // Tokens, including the first part of a token alone.
  { hints: ["eyj"], pattern: /(?<=^|[^\w-]|%[0-9a-fA-F]{2})eyJ[\w-]{8,}(?:\.[\w-]*)*/g, replacement: "***" },
  {
    // Credentials in URLs, encoded or not, with or without their end.
    hints: ["@", "%40", cut],
    pattern: /((?::|%3A)(?:\/|%2F){2})(?:\\.|(?!%2F)[^/?#\s"\\])*(@|%40|…)/gi,
    replacement: "$1***$2",
  },
  // E-mail addresses.
  { hints: ["@", "%40"], pattern: /(?<![\w.%+-])[\w.%+-]+(?:@|%40)[\w.-]+/g, replacement: "***" },
  { hints: ["+", "%2b"], pattern: /(?:\+|%2B)[1-9](?:(?:%20|[ ().-])?\d){6,14}/gi, replacement: "***" },
];

/** Masks keys, tokens, signatures, stream request ids, credentials, e-mail addresses and telephone numbers. */
function maskSecrets(line: string): string {
  const lowerCase = line.toLowerCase();
  const found = secrets.filter(({ hints }) => hints.some((hint) => lowerCase.includes(hint)));
  return found.reduce((masked, { pattern, replacement }) => masked.replace(pattern, replacement), line);
}

/** The beginning of a text of any length. */
export const shortened = (text: string, maxLength = 2048): string =>
  text.length > maxLength ? `${text.slice(0, maxLength)}${cut}` : text;
