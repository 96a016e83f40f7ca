import type { Credentials } from "./credentials.js";

/** How long a token is used before it is renewed, in milliseconds. */
const renewAfter = 3_600_000;
/** The maximum time for an answer of the gateway, in milliseconds. */
const timeout = 20_000;

/** The gateway refused a link or a session: it has expired, ended, or been used. */
export class SessionRefusedError extends Error {}

interface Answer {
  data?: Record<string, { token: string } | null> | null;
  errors?: { message: string; extensions?: { code?: string } }[];
}

/** Signs in by the code of a link, which works once. */
export const signInByCode = (code: string): Promise<Credentials> =>
  sessionFrom("signIn", "mutation SignIn($code: String!) { signIn(code: $code) { token } }", { code });

/** Renews the token of a session. */
export const renewed = (authorization: string): Promise<Credentials> =>
  sessionFrom("renewSession", "mutation RenewSession { renewSession { token } }", {}, { authorization });

async function sessionFrom(
  field: string,
  query: string,
  variables: object,
  headers: Record<string, string> = {},
): Promise<Credentials> {
  const response = await fetch("/graphql", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    credentials: "omit",
    body: JSON.stringify({ query, variables }),
    signal: AbortSignal.timeout(timeout),
  });
  const { data, errors } = (await response.json()) as Answer;
  const token = data?.[field]?.token;
  if (token !== undefined)
    return {
      authorization: `Bearer ${token}`,
      kind: "token",
      renewFrom: new Date(Date.now() + renewAfter).toISOString(),
    };
  const [error] = errors ?? [];
  const code = error?.extensions?.code;
  if (code === "UNAUTHENTICATED" || code === "FORBIDDEN") throw new SessionRefusedError(error?.message);
  throw new Error(error?.message ?? response.statusText);
}
