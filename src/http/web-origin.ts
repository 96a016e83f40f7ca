import type { IncomingMessage } from "node:http";

/**
 * Whether a request comes from no page of another site. Browsers always send the origin of
 * the page; a client without one is no browser.
 */
export function isOwnOrigin(
  { headers: { origin, host } }: Pick<IncomingMessage, "headers">,
  allowed: readonly string[],
): boolean {
  if (origin === undefined || allowed.includes("*") || allowed.includes(origin)) return true;
  return URL.canParse(origin) && new URL(origin).host === host;
}
