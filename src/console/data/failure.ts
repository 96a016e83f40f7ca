import type { CombinedError } from "urql";
import type { Messages } from "../language/en.js";

/**
 * The code of the first error that the gateway reports, as its schema lists them;
 * undefined if it reports none.
 */
export function codeOf(error: CombinedError): string | undefined {
  return error.graphQLErrors
    .map(({ extensions }) => extensions.code)
    .find((code) => typeof code === "string") as string | undefined;
}

/** How a failure is shown. */
export type FailureKind = keyof Messages["failures"];

const kinds: Record<string, FailureKind> = {
  FORBIDDEN: "forbidden",
  NOT_FOUND: "invalid",
  BAD_REQUEST: "invalid",
  GRAPHQL_VALIDATION_FAILED: "invalid",
  RATE_LIMITED: "limited",
  UNAVAILABLE: "unavailable",
  // The credentials could not be renewed, but were not refused either: the session would
  // have ended.
  UNAUTHENTICATED: "unrenewed",
  INTERNAL: "internal",
};

/** Which of the few failures that a reader can do something about an error is. */
export function failureKindOf(error: CombinedError): FailureKind {
  const code = codeOf(error);
  if (code !== undefined) return (Object.hasOwn(kinds, code) && kinds[code]) || "unexpected";
  return error.networkError ? "unreachable" : "unexpected";
}

const passing: ReadonlySet<FailureKind> = new Set(["unreachable", "unavailable", "unrenewed"]);

/**
 * Whether what has failed may work later without anybody doing something about it; then
 * it is tried again.
 */
export const isPassing = (error: CombinedError): boolean => passing.has(failureKindOf(error));

/**
 * With these codes the gateway says that it has changed nothing. After a fault of its
 * own, or without an answer, nobody knows.
 */
const refusals = new Set([
  "BAD_REQUEST",
  "GRAPHQL_PARSE_FAILED",
  "GRAPHQL_VALIDATION_FAILED",
  "UNAUTHENTICATED",
  "FORBIDDEN",
  "NOT_FOUND",
  "CONFLICT",
  "PAYLOAD_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
  "RATE_LIMITED",
]);

/** Why a change has failed, and whether it was made all the same if that is not known. */
export function failedChange(error: CombinedError, { failures, changes }: Messages): string {
  const reason = error.graphQLErrors[0]?.message ?? failures[failureKindOf(error)].title;
  return refusals.has(codeOf(error) ?? "") ? changes.refused(reason) : changes.unknown(reason);
}
