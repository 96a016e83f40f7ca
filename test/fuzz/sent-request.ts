import { type RawRequest, type RawResponse, sendRaw } from "../http/raw-request.js";
import { answerTimeoutMs, type FuzzCase, faultOf } from "./fuzz-case.js";

/**
 * A case of one request. Checks its answer for the rules of every answer, and with a
 * check for this case.
 */
export function sentRequest(
  request: RawRequest,
  check: (response: RawResponse) => string | undefined = () => undefined,
): FuzzCase {
  return {
    text: describe(request),
    run: async (url) => {
      try {
        // A long answer such as an export may take its time while data keeps arriving.
        const response = await sendRaw(url, { ...request, maxSilenceMs: answerTimeoutMs });
        return faultOf(response) ?? check(response);
      } catch (error) {
        // If the server refuses a request before reading its body, the answer may be
        // lost.
        const { code } = error as NodeJS.ErrnoException;
        if ((code === "EPIPE" || code === "ECONNRESET") && (request.body?.length ?? 0) > 65_536)
          return undefined;
        return (error as Error).message;
      }
    },
  };
}

const maxShownLength = 3_000;

function describe({ method = "GET", path, headers = {}, body }: RawRequest): string {
  const lines = Object.entries(headers).map(
    ([name, value]) => `${name}: ${name === "authorization" ? callerIn(value) : value.slice(0, 500)}`,
  );
  const content = body === undefined ? [] : ["", shown(body)];
  return [`${method} ${path.slice(0, maxShownLength)}`, ...lines, ...content].join("\n");
}

/** Prints only the owner of credentials, never the credentials. */
function callerIn(authorization: string): string {
  const [scheme = "", token = ""] = authorization.split(" ");
  if (scheme !== "Bearer") return `${scheme} …`;
  return `Bearer … of ${/"sub":"([^"]*)"/.exec(Buffer.from(token.split(".")[1] ?? "", "base64url").toString())?.[1]}`;
}

/** Bytes that are no text are shown in Base64. */
function shown(body: string | Buffer): string {
  const text = body.toString();
  const isText = typeof body === "string" || Buffer.from(text).equals(body);
  return isText
    ? text.slice(0, maxShownLength)
    : `${body.toString("base64").slice(0, maxShownLength)} (Base64)`;
}
