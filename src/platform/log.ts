import { type DestinationStream, type Logger, pino } from "pino";

export type { DestinationStream, Logger };

/** Creates the structured log: one JSON object per line, by default on standard output, with authorization headers redacted. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const redact = { paths: ["req.headers.authorization", "req.headers.cookie", "authorization", "*.authorization"], censor: "***" };
  const formatters = { level: (label: string) => ({ level: label }) };
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters, redact }, destination);
}

const maxLoggedLength = 2048;

const secrets: [RegExp, string][] = [
  [/(\/cameras\/(?:thumbnail|metadata|feedserver\/error)\/)[^/?#]+/gi, "$1***"],
  [/([?&](?:signature|ticket|token|access_token|authorization|password|passwd)=)[^&#]+/gi, "$1***"],
  [/cmk_[0-9a-z]+_[0-9a-z]+/gi, "cmk_***"],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, "***"],
  [/(:\/\/)[^/?#\s]*@/g, "$1***@"],
  [/(%3A%2F%2F)(?:(?!%3A%2F%2F).)*?%40/gi, "$1***%40"],
];

/** Text that is safe to log: truncated, and with stream request ids, link signatures, API keys and credentials in URLs masked. */
export function maskSecrets(text: string): string {
  const shown = text.length > maxLoggedLength ? `${text.slice(0, maxLoggedLength)}…` : text;
  return secrets.reduce((masked, [pattern, replacement]) => masked.replace(pattern, replacement), shown);
}
