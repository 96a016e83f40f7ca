import type { CombinedError } from "urql";
import type { Messages } from "../language/en.js";

/** The code of the first error from the gateway, as documented in its schema; undefined without such an error. */
export function codeOf(error: CombinedError): string | undefined {
  return error.graphQLErrors
    .map(({ extensions }) => extensions.code)
    .find((code) => typeof code === "string");
}

export type FailureKind = keyof Messages["failures"];

const kinds: Record<string, FailureKind> = {
  FORBIDDEN: "forbidden",
  NOT_FOUND: "invalid",
  BAD_REQUEST: "invalid",
  GRAPHQL_VALIDATION_FAILED: "invalid",
  RATE_LIMITED: "limited",
  UNAVAILABLE: "unavailable",
  // Renewing the credentials failed without a refusal: a refusal would have ended the session.
  UNAUTHENTICATED: "unrenewed",
  INTERNAL: "internal",
};

/** The kind of an error: one of the few kinds on which the reader can act. */
export function failureKindOf(error: CombinedError): FailureKind {
  const code = codeOf(error);
  if (code !== undefined) return (Object.hasOwn(kinds, code) && kinds[code]) || "unexpected";
  return error.networkError ? "unreachable" : "unexpected";
}

const passing: ReadonlySet<FailureKind> = new Set(["unreachable", "unavailable", "unrenewed"]);

/** Whether a failure may pass without anybody's action. The console then tries again. */
export const isPassing = (error: CombinedError): boolean => passing.has(failureKindOf(error));

/** A request was not sent, as the browser has no network. */
export class NotSentError extends Error {
  override readonly name = "NotSentError";
}

/** Codes with which the gateway has changed nothing. After internal errors or without an answer, that is unknown. */
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

export const reasonOf = (error: CombinedError, { failures }: Pick<Messages, "failures">): string =>
  error.graphQLErrors[0]?.message ?? failures[failureKindOf(error)].title;

/** The reason for a failed change, with a note if the change may have been made all the same. */
export function failedChange(error: CombinedError, messages: Messages): string {
  const { changes } = messages;
  if (error.networkError instanceof NotSentError) return changes.offline;
  const reason = reasonOf(error, messages);
  return refusals.has(codeOf(error) ?? "") ? changes.refused(reason) : changes.unknown(reason);
}
