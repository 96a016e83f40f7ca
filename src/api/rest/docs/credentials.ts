import { credentialsOf } from "../../../console/session/credentials.js";
import { presentSession } from "../../../console/session/session.js";
import { fetchWithSession } from "../../../console/session/session-fetch.js";
import { within } from "./elements.js";

/** How a request is sent: with the session, or with what was entered on the page. */
export interface RequestCredentials {
  name: string;
  /** The Authorization header; undefined for the session. */
  header?: string;
  /** The credentials in a curl command, as the name of a variable. */
  curl: string;
}

const schemes = { token: "bearer", key: "apiKey" };

/** Credentials in curl commands, by their security scheme. */
const curlOf = { bearer: '-H "Authorization: Bearer $TOKEN"', apiKey: '-u "$API_KEY:"' };

const field = within<HTMLInputElement>(document, "#api-key");

/**
 * The credentials of a request that accepts these security schemes: those entered on the page, otherwise the session;
 * undefined without any that it accepts.
 */
export function credentialsFor(accepted: readonly string[]): RequestCredentials | undefined {
  const entered = credentialsOf(field.value);
  const scheme = entered && schemeOf(entered.kind);
  if (entered && scheme && accepted.includes(scheme)) {
    const name = entered.kind === "key" ? "the API key" : "the token";
    return { name, header: entered.authorization, curl: curlOf[scheme] };
  }
  const session = presentSession();
  const ofSession = session.status === "signed in" ? schemeOf(session.credentials.kind) : undefined;
  return ofSession && accepted.includes(ofSession)
    ? { name: "your session", curl: curlOf[ofSession] }
    : undefined;
}

const schemeOf = (kind: keyof typeof schemes) => schemes[kind] as keyof typeof curlOf;

/** The credentials in a curl command for a request that lacks them. */
export const curlStandIn = (accepted: readonly string[]): string =>
  accepted.includes("bearer") ? curlOf.bearer : curlOf.apiKey;

interface SentRequest {
  method: string;
  headers?: Record<string, string>;
  body?: string | FormData | undefined;
}

/** Sends a request with credentials, or without if undefined. */
export function send(
  target: string,
  credentials: RequestCredentials | undefined,
  { method, headers, body }: SentRequest,
): Promise<Response> {
  const request = { method, body: body ?? null, cache: "no-store" } as const;
  if (credentials && credentials.header === undefined)
    return fetchWithSession(target, { ...request, ...(headers && { headers }) });
  const authorization = credentials?.header;
  return fetch(target, {
    ...request,
    headers: { ...headers, ...(authorization !== undefined && { authorization }) },
    // The browser would ask for a password itself.
    credentials: "omit",
  });
}
