import { type Logger, pino } from "pino";

export type { Logger };

/** The structured log, one JSON object a line on standard output; credentials and capabilities never reach it. */
export function createLog(level: string): Logger {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: ["req.headers.authorization", "req.headers.cookie", "authorization", "*.authorization"], censor: "***" },
  });
}

const longestShown = 2048;

const secrets: [RegExp, string][] = [
  [/(\/cameras\/(?:thumbnail|metadata|feedserver\/error)\/)[^/?#]+/gi, "$1***"],
  [/([?&](?:signature|ticket|token|access_token|authorization|password|passwd)=)[^&#]+/gi, "$1***"],
  [/cmk_[0-9a-z]+_[0-9a-z]+/gi, "cmk_***"],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, "***"],
  [/(:\/\/)[^/?#\s]*@/g, "$1***@"],
  [/(%3A%2F%2F)(?:(?!%3A%2F%2F).)*?%40/gi, "$1***%40"],
];

/** A text as it may be logged: cut to a bearable length; stream request ids, link signatures, keys and credentials in URLs are masked. */
export function withoutSecrets(text: string): string {
  const shown = text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
  return secrets.reduce((masked, [pattern, replacement]) => masked.replace(pattern, replacement), shown);
}
