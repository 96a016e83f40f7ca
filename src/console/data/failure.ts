import type { CombinedError } from "urql";
import type { Messages } from "../language/en.js";

/** The code of the first error that the gateway reports, as its schema lists them; undefined if it reports none. */
export function codeOf(error: CombinedError): string | undefined {
  return error.graphQLErrors.map(({ extensions }) => extensions.code).find((code) => typeof code === "string") as string | undefined;
}

/** How a failure is shown. */
export type FailureKind = Exclude<keyof Messages["failures"], "reload" | "startOver" | "view" | "page">;

const kinds: Record<string, FailureKind> = {
  FORBIDDEN: "forbidden",
  NOT_FOUND: "invalid",
  BAD_REQUEST: "invalid",
  GRAPHQL_VALIDATION_FAILED: "invalid",
  RATE_LIMITED: "limited",
  UNAVAILABLE: "unavailable",
};

/** Which of the few failures that a reader can do something about an error is. */
export function failureKindOf(error: CombinedError): FailureKind {
  const code = codeOf(error);
  if (code !== undefined) return (Object.hasOwn(kinds, code) && kinds[code]) || "unexpected";
  return error.networkError ? "unreachable" : "unexpected";
}
