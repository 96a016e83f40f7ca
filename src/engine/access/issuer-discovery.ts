import { memberIn } from "../../platform/record.js";
/** Discovery names another issuer than the configured one. No retry can cure that. */
export class WrongIssuerError extends Error {}

/** The issuer, or a part of it, responded with an error. */
export class IssuerResponseError extends Error {
  constructor(
    url: string,
    readonly status: number,
  ) {
    super(`${url} responded with ${status}`);
  }
}

/** The discovery document of an issuer, whose other values are not checked. */
interface DiscoveryDocument {
  url: string;
  issuer: string;
  jwks_uri?: unknown;
  userinfo_endpoint?: unknown;
}

export const withoutSlash = (text: string): string => text.replace(/\/$/, "");

export async function discoverIssuer(configured: string, signal: AbortSignal): Promise<DiscoveryDocument> {
  const url = `${withoutSlash(configured)}/.well-known/openid-configuration`;
  const document = await fetchJson(url, signal);
  const issuer = memberIn(document, "issuer");
  if (typeof issuer !== "string") throw new Error(`${url} names no issuer`);
  if (withoutSlash(issuer) !== withoutSlash(configured)) {
    throw new WrongIssuerError(
      `AUTH_ISSUER is ${configured}, but ${url} names the issuer ${issuer}: set AUTH_ISSUER to the issuer of your tokens`,
    );
  }
  return {
    url,
    issuer,
    jwks_uri: memberIn(document, "jwks_uri"),
    userinfo_endpoint: memberIn(document, "userinfo_endpoint"),
  };
}

export async function fetchJson(
  url: string,
  signal: AbortSignal,
  headers: Record<string, string> = {},
): Promise<unknown> {
  const response = await fetch(url, {
    redirect: "error",
    signal,
    headers: { accept: "application/json", ...headers },
  });
  if (!response.ok) throw new IssuerResponseError(url, response.status);
  return response.json();
}
