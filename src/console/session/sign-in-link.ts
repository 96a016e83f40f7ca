import type { Credentials } from "./credentials.js";

/** How long a token is used before it is renewed, in milliseconds. */
const renewAfter = 3_600_000;
/** The maximum time for an answer of the gateway, in milliseconds. */
const timeout = 20_000;

/** The gateway refused a link or a session: it has expired, ended, or been used, or the user's access has ended. */
export class SessionRefusedError extends Error {
  constructor({ message, extensions }: AnswerError) {
    super(message);
    this.hasEnded = extensions?.reason === "ENDED";
  }

  readonly hasEnded: boolean;
}

interface AnswerError {
  message: string;
  extensions?: { code?: string; reason?: string };
}

interface Answer<Result> {
  data?: Record<string, Result | null> | null;
  errors?: AnswerError[];
}

/** Signs in by the code of a link, which works once. */
export const signInByCode = async (code: string, remember: boolean): Promise<Credentials> => ({
  ...(await sessionFrom(
    "signIn",
    "mutation SignIn($code: String!, $remember: Boolean!) { signIn(code: $code, remember: $remember) { token } }",
    { code, remember },
  )),
  ...(remember && { isRemembered: true }),
});

/** Ends the session of a token. */
export function endSession(authorization: string): Promise<unknown> {
  const payload = authorization.split(".")[1] ?? "";
  const { session } = JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/")));
  const query = "mutation EndSession($id: UUID!) { endSession(id: $id) { id } }";
  return ask(query, { id: String(session).split("/")[2] }, { authorization });
}

/** Renews the token of a session. */
export const renewed = (authorization: string): Promise<Credentials> =>
  sessionFrom("renewSession", "mutation RenewSession { renewSession { token } }", {}, { authorization });

/** Asks for a sign-in link by mail that leads to a view. The gateway does not tell whether it knows the address. */
export async function requestLink(
  email: string,
  view: string,
): Promise<"asked" | "no address" | "limited" | "unreachable" | "unavailable"> {
  const query =
    "mutation RequestSignInLink($email: String!, $path: String) { requestSignInLink(email: $email, path: $path) }";
  const path = `/?${view}`;
  let code: string | undefined;
  try {
    const { data, error } = await ask<boolean>(query, { email, ...(path.length <= 500 && { path }) });
    if (data?.requestSignInLink) return "asked";
    code = error?.extensions?.code;
  } catch {
    return "unreachable";
  }
  if (code === "BAD_REQUEST") return "no address";
  return code === "RATE_LIMITED" ? "limited" : "unavailable";
}

async function sessionFrom(
  field: string,
  query: string,
  variables: object,
  headers: Record<string, string> = {},
): Promise<Credentials> {
  const { data, error } = await ask<{ token: string }>(query, variables, headers);
  const token = data?.[field]?.token;
  if (token !== undefined)
    return {
      authorization: `Bearer ${token}`,
      kind: "token",
      renewFrom: new Date(Date.now() + renewAfter).toISOString(),
    };
  const code = error?.extensions?.code;
  if (error && (code === "UNAUTHENTICATED" || code === "FORBIDDEN")) throw new SessionRefusedError(error);
  throw new Error(error?.message ?? "The gateway did not answer as expected");
}

async function ask<Result>(query: string, variables: object, headers: Record<string, string> = {}) {
  const response = await fetch("/graphql", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    credentials: "omit",
    body: JSON.stringify({ query, variables }),
    signal: AbortSignal.timeout(timeout),
  });
  const { data, errors } = (await response.json()) as Answer<Result>;
  return { data, error: errors?.[0] };
}
