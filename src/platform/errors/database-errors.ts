/** The SQLSTATE classes (the first two characters) of connections that were lost or never made. */
const connectionClasses = new Set(["08"]);
/** Single codes of lost connections: administrators, crashes and time-outs end sessions. */
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
  // The names that Prisma's adapters use. The adapters drop the driver's own error.
  "ConnectionClosed",
  "DatabaseNotReachable",
  "SocketTimeout",
  "TlsConnectionError",
]);
/**
 * Messages of `pg`, poolers and the embedded database without a code. The last three are of Citus, about lost nodes.
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

/** SQLSTATE classes of rejected credentials, lacking resources, canceled work, and a broken system underneath. */
const unavailableClasses = new Set(["28", "53", "57", "58"]);
/** Codes of a database that is read-only, missing, not migrated or full, of conflicts, and of lost statements. */
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
/** The PostgreSQL routine that finds that a prepared statement no longer fits its tables. */
const outdatedPlanRoutine = "RevalidateCachedQuery";

type Fields = Record<
  "code" | "originalCode" | "kind" | "message" | "severity" | "routine" | "cause" | "meta" | "errors",
  unknown
>;

const maxDepth = 6;

/** An error and its causes. Prisma, its adapters and Node.js each store causes in a different property. */
function causesOf(error: unknown, depth = 0): Partial<Fields>[] {
  if (typeof error !== "object" || error === null || depth === maxDepth) return [];
  const { cause, meta, errors } = error as Partial<Fields>;
  const inner = [
    cause,
    (meta as { driverAdapterError?: unknown } | undefined)?.driverAdapterError,
    ...(Array.isArray(errors) ? errors : []),
  ];
  return [error, ...inner.flatMap((each) => causesOf(each, depth + 1))];
}

const codesOf = ({ code, originalCode, kind }: Partial<Fields>): string[] =>
  [code, originalCode, kind].filter((each) => typeof each === "string");

/** The class of a code, if it is an SQLSTATE. */
const classOf = (code: string): string => (/^[0-9A-Z]{5}$/.test(code) ? code.slice(0, 2) : "");

/** Whether the gateway lost, or could not make, a connection to the database or to one of its nodes. */
export function isConnectionLost(error: unknown): boolean {
  return causesOf(error).some(
    (cause) =>
      codesOf(cause).some((code) => connectionCodes.has(code) || connectionClasses.has(classOf(code))) ||
      // With either severity, the server ends the session, whatever the reason.
      cause.severity === "FATAL" ||
      cause.severity === "PANIC" ||
      connectionMessages.test(String(cause.message)),
  );
}

/**
 * Whether a retry may succeed later: the database or a node is down, not migrated or in conflict, or a disk is full.
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

/** Whether a prepared statement failed because it no longer fits its tables, as after a migration. */
const hasOutdatedPlan = ({ routine }: Partial<Fields>): boolean => routine === outdatedPlanRoutine;

/** Errors after which a connection is useless: its session became read-only, or lost its prepared statements. */
const unfitCodes = new Set(["25006", "26000", "42P05"]);

/** Whether the gateway should switch to another connection after this error of the server. */
export const endsUseOfConnection = (error: unknown): boolean =>
  causesOf(error).some(
    (cause) => codesOf(cause).some((code) => unfitCodes.has(code)) || hasOutdatedPlan(cause),
  );

const hasCode = (error: unknown, code: string): boolean =>
  (error as { code?: unknown } | null)?.code === code;

export const isStatementTimeout = (error: unknown): boolean => hasCode(error, "57014");

/** Whether a row with the same key already exists. */
export const isUniqueViolation = (error: unknown): boolean => hasCode(error, "23505");

/** Whether the server refused a statement because an earlier one in its transaction failed. */
export const isAbortedTransaction = (error: unknown): boolean => hasCode(error, "25P02");
