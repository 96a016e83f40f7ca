/**
 * Classes of SQLSTATE, by their first two characters, which say that a connection was
 * lost, or could not be made.
 */
const connectionClasses = new Set(["08"]);
/** The same of single errors: administrators, crashes and time-outs end sessions. */
const connectionCodes = new Set([
  "25P03",
  "25P04",
  "57P01",
  "57P02",
  "57P03",
  "57P04",
  "57P05",
  "EAI_AGAIN",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTDOWN",
  "EHOSTUNREACH",
  "ENETDOWN",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "ERR_STREAM_DESTROYED",
  "ERR_STREAM_WRITE_AFTER_END",
  "ETIMEDOUT",
  "P1001",
  "P1002",
  "P1008",
  "P1011",
  "P1017",
  // As Prisma's adapters name them, which keep nothing of the driver's error.
  "ConnectionClosed",
  "DatabaseNotReachable",
  "SocketTimeout",
  "TlsConnectionError",
]);
/**
 * What `pg`, poolers and the embedded database say without a code. The last four are what
 * Citus says of a node that is lost within a transaction.
 */
const connectionMessages = new RegExp(
  [
    "connection terminated",
    "is not queryable",
    "query read timeout",
    "timeout exceeded when trying to connect",
    "error establishing an SSL connection",
    "cannot use a pool after calling end",
    "server has closed the connection",
    "server closed the connection unexpectedly",
    "can't reach database",
    "PGlite is clos(?:ed|ing)",
    "could not commit transaction for shard",
    "failure on connection marked as essential",
    "execution cannot recover from multiple connection failures",
  ].join("|"),
  "i",
);

/**
 * Classes of SQLSTATE of a server that takes no credentials, lacks resources, is told to
 * end what it does, or has a broken system below it.
 */
const unavailableClasses = new Set(["28", "53", "57", "58"]);
/**
 * Of a database that is read-only, not there or not migrated; of statements in conflict,
 * or prepared no longer; and of full disks.
 */
const unavailableCodes = new Set([
  "25006",
  "26000",
  "3D000",
  "40001",
  "40P01",
  "42703",
  "42P01",
  "42P05",
  "55P03",
  "EDQUOT",
  "EMFILE",
  "ENFILE",
  "ENOSPC",
  "P1000",
  "P1003",
  "P1010",
  "P2021",
  "P2022",
  "P2024",
  "P2028",
  "P2034",
  "P2037",
]);
const unavailableMessages = /no space left on device|disk quota exceeded/i;
/** Where PostgreSQL finds that a prepared statement does not fit its tables any more. */
const outdatedPlanRoutine = "RevalidateCachedQuery";

type Fields = Record<
  "code" | "originalCode" | "kind" | "message" | "severity" | "routine" | "cause" | "meta" | "errors",
  unknown
>;

const maxDepth = 6;

/**
 * An error with its causes, which Prisma, its adapters and Node.js put in different
 * places.
 */
function causesOf(error: unknown, depth = 0): Partial<Fields>[] {
  if (typeof error !== "object" || error === null || depth === maxDepth) return [];
  const { cause, meta, errors } = error as Partial<Fields>;
  const inner = [
    cause,
    (meta as { driverAdapterError?: unknown } | undefined)?.driverAdapterError,
    ...(Array.isArray(errors) ? errors : []),
  ];
  return [error as Partial<Fields>, ...inner.flatMap((each) => causesOf(each, depth + 1))];
}

const codesOf = ({ code, originalCode, kind }: Partial<Fields>): string[] =>
  [code, originalCode, kind].filter((each) => typeof each === "string");

/** The class of a code, if it is an SQLSTATE. */
const classOf = (code: string): string => (/^[0-9A-Z]{5}$/.test(code) ? code.slice(0, 2) : "");

/**
 * Whether an error means that a connection to the database, or to a node of it, was lost,
 * or could not be made.
 */
export function isConnectionLost(error: unknown): boolean {
  return causesOf(error).some(
    (cause) =>
      codesOf(cause).some((code) => connectionCodes.has(code) || connectionClasses.has(classOf(code))) ||
      // With either, the server ends the session, for whatever reason.
      cause.severity === "FATAL" ||
      cause.severity === "PANIC" ||
      connectionMessages.test(String(cause.message)),
  );
}

/**
 * Whether an error means that the database, or a node of it, is down, not migrated or in
 * conflict, or that it or a disk is full, so that a later retry may succeed.
 */
export function isUnavailable(error: unknown): boolean {
  return (
    isConnectionLost(error) ||
    causesOf(error).some(
      (cause) =>
        codesOf(cause).some((code) => unavailableCodes.has(code) || unavailableClasses.has(classOf(code))) ||
        hasOutdatedPlan(cause) ||
        unavailableMessages.test(String(cause.message)),
    )
  );
}

/**
 * Whether a statement failed because what was prepared does not fit its tables any more,
 * as after a migration.
 */
const hasOutdatedPlan = ({ routine }: Partial<Fields>): boolean => routine === outdatedPlanRoutine;

/**
 * After these errors a connection is of no more use, though the server keeps it: it has
 * become read-only, or lost what was prepared.
 */
const unfitCodes = new Set(["25006", "26000", "42P05"]);

/**
 * Whether an error of the server means that another connection should be used from now
 * on.
 */
export const endsUseOfConnection = (error: unknown): boolean =>
  causesOf(error).some(
    (cause) => codesOf(cause).some((code) => unfitCodes.has(code)) || hasOutdatedPlan(cause),
  );

const hasCode = (error: unknown, code: string): boolean =>
  (error as { code?: unknown } | null)?.code === code;

/**
 * Whether an error means that the database canceled a statement, as it took longer than
 * it may.
 */
export const isStatementTimeout = (error: unknown): boolean => hasCode(error, "57014");

/** Whether an error means that a row with the same key is there already. */
export const isUniqueViolation = (error: unknown): boolean => hasCode(error, "23505");

/**
 * Whether a statement was refused because an earlier one of its transaction has failed.
 */
export const isAbortedTransaction = (error: unknown): boolean => hasCode(error, "25P02");
