import { GraphQLError } from "graphql";
import { isUnavailable } from "./database-errors.js";

/** Every error code that clients may see, with its HTTP status on REST. */
export const statusOfCode = {
  BAD_REQUEST: 400,
  GRAPHQL_PARSE_FAILED: 400,
  GRAPHQL_VALIDATION_FAILED: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof statusOfCode;

/** The lowest HTTP status that blames the server. */
export const leastServerError = 500;

/** One invalid argument: its path, and the problem. */
export interface ErrorDetail {
  path: string;
  message: string;
}

/** Why a request is UNAUTHENTICATED: its credentials are missing, invalid or expired, or its user's access has ended. */
export const authenticationReasons = ["MISSING", "INVALID", "EXPIRED", "ENDED"] as const;

export type AuthenticationReason = (typeof authenticationReasons)[number];

interface ServiceErrorOptions {
  details?: ErrorDetail[];
  reason?: AuthenticationReason;
  /** Seconds to wait before a retry. */
  retryAfter?: number;
  /** The authentication scheme for `WWW-Authenticate`. */
  challenge?: string;
}

type RetryableCode = "RATE_LIMITED" | "UNAVAILABLE";

/**
 * An error with a message and extensions for clients of all APIs. They see any other one as INTERNAL or UNAVAILABLE.
 */
export class ServiceError extends GraphQLError {
  readonly code: ErrorCode;
  readonly details: ErrorDetail[] | undefined;
  readonly reason: AuthenticationReason | undefined;
  readonly headers: Record<string, string>;

  constructor(code: Exclude<ErrorCode, RetryableCode>, message: string, options?: ServiceErrorOptions);
  constructor(
    code: ErrorCode,
    message: string,
    options: ServiceErrorOptions & Required<Pick<ServiceErrorOptions, "retryAfter">>,
  );
  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    const headers: Record<string, string> = {};
    if (options.retryAfter !== undefined)
      headers["retry-after"] = String(Math.max(1, Math.ceil(options.retryAfter)));
    if (options.challenge) headers["www-authenticate"] = options.challenge;
    const { details, reason } = options;
    super(message, { extensions: { code, ...(details && { details }), ...(reason && { reason }) } });
    this.code = code;
    this.details = details;
    this.reason = reason;
    this.headers = headers;
  }

  get status(): number {
    return statusOfCode[this.code];
  }
}

/**
 * The operator has not set up what the request needs. Clients see UNAVAILABLE, to wait for as long as that may take.
 */
export class NotSetUpError extends ServiceError {
  constructor(message: string) {
    super("UNAVAILABLE", message, { retryAfter: 3600 });
  }
}

/** A retry may repeat work that was done. Clients see UNAVAILABLE with this message, which warns them. */
export class UnsafeRetryError extends Error {}

export const maxDetails = 20;

/** The error for invalid input. Lists the issues with their paths. */
export function badRequest(issues: ErrorDetail[]): ServiceError {
  const details = issues.slice(0, maxDetails);
  const first = details[0];
  const more = details.length > 1 ? ` (and ${details.length - 1} more)` : "";
  return new ServiceError("BAD_REQUEST", first ? `${first.path}: ${first.message}${more}` : "Invalid input", {
    details,
  });
}

/**
 * The same error for objects that do not exist and those that the caller may not see: clients cannot tell them apart.
 */
export function notFound(): ServiceError {
  return new ServiceError("NOT_FOUND", "Not found");
}

/** One error for signed links that have a wrong signature, have expired, or whose creator no longer exists. */
export function invalidLink(): ServiceError {
  return new ServiceError("NOT_FOUND", "This link is invalid or has expired");
}

/** Returns the result of a look-up, or throws NOT_FOUND if there is none. */
export function orNotFound<Value>(value: Value | null | undefined): Value {
  if (value == null) throw notFound();
  return value;
}

/** Converts any thrown value into an error that clients may see. Passes errors that need investigation to `report`. */
export function toServiceError(error: unknown, report: (error: unknown) => void): ServiceError {
  const original = error instanceof GraphQLError && error.originalError ? error.originalError : error;
  if (original instanceof ServiceError) return original;
  report(original);
  if (original instanceof UnsafeRetryError)
    return new ServiceError("UNAVAILABLE", original.message, { retryAfter: 5 });
  if (isUnavailable(original)) {
    return new ServiceError("UNAVAILABLE", "The service is temporarily unavailable; it is safe to retry", {
      retryAfter: 5,
    });
  }
  return new ServiceError("INTERNAL", "Internal server error");
}
