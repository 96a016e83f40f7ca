import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { defined } from "../../platform/defined.js";
import { parsedUrl } from "../../platform/network/parsed-url.js";

type RequestHeaders = Pick<IncomingMessage, "headers">;

/** Whether no page of another site sent a request. Browsers send the origin; a client without one is no browser. */
export function isOwnOrigin(request: RequestHeaders, allowed: readonly string[]): boolean {
  return isAllowed(request, allowed) || isOfSameHost(request);
}

/**
 * Like {@link isOwnOrigin}, but does not believe a name in the header Host: the owner of a name may have it lead here,
 * and then pages of that name are of the same host (DNS rebinding). Only the public URL, addresses and localhost are
 * known to be the gateway's.
 */
export function isKnownOwnOrigin(
  request: RequestHeaders,
  { allowed, publicUrl }: { allowed: readonly string[]; publicUrl: string },
): boolean {
  const { origin } = request.headers;
  if (isAllowed(request, allowed) || origin === new URL(publicUrl).origin) return true;
  return isOfSameHost(request) && isNoName(new URL(defined(origin)).hostname);
}

const isAllowed = ({ headers: { origin } }: RequestHeaders, allowed: readonly string[]): boolean =>
  origin === undefined || allowed.includes("*") || allowed.includes(origin);

const isOfSameHost = ({ headers: { origin = "", host } }: RequestHeaders): boolean =>
  host !== undefined && parsedUrl(origin)?.host === host;

const isNoName = (hostname: string): boolean =>
  hostname === "localhost" || isIP(hostname.replace(/^\[(.*)\]$/, "$1")) !== 0;
