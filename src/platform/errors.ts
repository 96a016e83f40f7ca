import { GraphQLError } from "graphql";

/** Every error code that a client can meet, with the HTTP status that it has on REST. */
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

/** One faulty argument: where it stands, and what is wrong with it. */
export interface ErrorDetail {
  path: string;
  message: string;
}

interface ServiceErrorOptions {
  details?: ErrorDetail[];
  /** Seconds after which a retry makes sense. */
  retryAfter?: number;
  /** The scheme to name in `WWW-Authenticate`. */
  challenge?: string;
}

/** An error whose message is meant for the client, on both doors. Everything else is shown as INTERNAL. */
export class ServiceError extends GraphQLError {
  readonly code: ErrorCode;
  readonly details: ErrorDetail[] | undefined;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    const headers: Record<string, string> = {};
    if (options.retryAfter !== undefined) headers["retry-after"] = String(Math.max(1, Math.ceil(options.retryAfter)));
    if (options.challenge) headers["www-authenticate"] = options.challenge;
    super(message, { extensions: { code, ...(options.details && { details: options.details }) } });
    this.code = code;
    this.details = options.details;
    this.headers = headers;
  }

  /** The HTTP status of the code. */
  get status(): number {
    return statusOfCode[this.code];
  }
}

/** The most faults that one answer names. */
export const mostDetails = 20;

/** Invalid input: the faults with their paths. */
export function badRequest(faults: ErrorDetail[]): ServiceError {
  const details = faults.slice(0, mostDetails);
  const first = details[0];
  const more = details.length > 1 ? ` (and ${details.length - 1} more)` : "";
  return new ServiceError("BAD_REQUEST", first ? `${first.path}: ${first.message}${more}` : "Invalid input", { details });
}

/** The one answer for what does not exist and for what the caller may not see. */
export function notFound(): ServiceError {
  return new ServiceError("NOT_FOUND", "Not found");
}

/** The one answer for signed links that are not ours, that have expired, or whose maker is gone. */
export function badLink(): ServiceError {
  return new ServiceError("NOT_FOUND", "This link is not good, or no longer");
}

/** A thing that was looked up; NOT_FOUND when it is not there, or not any more. */
export function found<Thing>(thing: Thing | null | undefined): Thing {
  if (thing == null) throw notFound();
  return thing;
}

const connectionFaults = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
  "P1000",
  "P1001",
  "P1002",
  "P1008",
  "P1017",
  "P2021",
  "P2022",
  "P2024",
  "P2028",
  "P2034",
  "P2037",
  "08000",
  "08003",
  "08006",
  "40001",
  "40P01",
  "42703",
  "42P01",
  "53300",
  "57014",
  "57P01",
  "57P02",
  "57P03",
]);
const connectionMessages = /connection terminated|timeout exceeded when trying to connect|server has closed the connection|can't reach database/i;

/** Whether an error says that the database is away, full, not migrated or in conflict, so that a later retry may succeed. */
export function isUnavailability(error: unknown): boolean {
  for (let cause = error, depth = 0; cause && depth < 6; depth += 1) {
    const { code, originalCode, message, cause: next, meta } = cause as Record<string, unknown>;
    if (connectionFaults.has(String(code)) || connectionFaults.has(String(originalCode))) return true;
    if (typeof message === "string" && connectionMessages.test(message)) return true;
    cause = next ?? (meta as { driverAdapterError?: unknown } | undefined)?.driverAdapterError;
  }
  return false;
}

/** Turns whatever was thrown into the error that the client may see; `report` gets what must be looked into. */
export function toServiceError(error: unknown, report: (error: unknown) => void): ServiceError {
  const original = error instanceof GraphQLError && error.originalError ? error.originalError : error;
  if (original instanceof ServiceError) return original;
  report(original);
  if (isUnavailability(original)) {
    return new ServiceError("UNAVAILABLE", "The service is not available at the moment; a retry is safe", { retryAfter: 5 });
  }
  return new ServiceError("INTERNAL", "Something went wrong on our side");
}
