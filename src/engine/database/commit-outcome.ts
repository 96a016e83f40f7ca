import { setTimeout as sleep } from "node:timers/promises";
import { Prisma } from "../../generated/prisma/client.js";
import { isUnavailable } from "../../platform/errors/database-errors.js";
import type { ReadStatement } from "./statement-text.js";

/** The outcome of a transaction whose COMMIT got no answer because the connection was lost. */
type CommitOutcome = "committed" | "rolled back" | "unknown";

/** The key of a write's audit entry. The entry exists if and only if the write was committed. */
export type AuditEntryKey = Record<"workspaceId" | "id", string>;

/** Finds the outcome of a transaction by its server process and its audit entry. */
export type FindCommitOutcome = (
  processId: number | undefined,
  entry: AuditEntryKey,
) => Promise<CommitOutcome>;

const intervalMs = 100;

interface Server {
  read: ReadStatement;
  /** How long to ask the server, which may have to recover from a crash, or be replaced by another. */
  timeoutMs: number;
  /** Whether process ids are the server's own. An ended process then commits nothing any more. */
  hasOwnProcesses: boolean;
  /** Whether the pool is closed to further statements. */
  isClosed: () => boolean;
}

/**
 * Looks for the audit entry over another connection until the entry exists or the process has ended without it. Tells a
 * process that waits for a statement to end, so that a COMMIT still on its way finds no transaction. Asks about the
 * process first: it may commit the entry between the two statements.
 */
export async function findCommitOutcome(
  { read, timeoutMs, hasOwnProcesses, isClosed }: Server,
  processId: number | undefined,
  entry: AuditEntryKey,
): Promise<CommitOutcome> {
  const deadline = performance.now() + timeoutMs;
  while (!isClosed() && performance.now() < deadline) {
    try {
      const hasEnded = hasOwnProcesses && processId !== undefined && (await hasProcessEnded(read, processId));
      if (await isThere(read, entry)) return "committed";
      if (hasEnded) return "rolled back";
    } catch (error) {
      if (!isUnavailable(error)) throw error;
    }
    await sleep(intervalMs);
  }
  return "unknown";
}

async function hasProcessEnded(read: ReadStatement, processId: number): Promise<boolean> {
  // After a restart, or on another server, a new process may have the same id. Our own process has ended then.
  const processes = await read(Prisma.sql`
    SELECT CASE WHEN "state" LIKE 'idle%' THEN pg_terminate_backend("pid") END AS "isToldToEnd" FROM pg_stat_activity
    WHERE "pid" = ${processId}::int AND "pid" <> pg_backend_pid() AND "datname" = current_database() AND "usename" = current_user`);
  return processes.length === 0;
}

/** Whether an audit entry exists. */
export async function isThere(read: ReadStatement, { workspaceId, id }: AuditEntryKey): Promise<boolean> {
  const entries = await read(
    Prisma.sql`SELECT FROM "AuditEntry" WHERE "workspaceId" = ${workspaceId}::uuid AND "id" = ${id}::uuid`,
  );
  return entries.length > 0;
}
