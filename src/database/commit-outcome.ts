import { setTimeout as sleep } from "node:timers/promises";
import { Prisma } from "../generated/prisma/client.js";
import { isUnavailable } from "../platform/database-errors.js";
import type { ReadStatement } from "./statement-text.js";

/**
 * What became of a transaction whose COMMIT was not answered, because the connection was
 * lost.
 */
export type CommitOutcome = "committed" | "rolled back" | "unknown";

/**
 * Where the audit entry of a write is, which is there if the write was committed, and not
 * otherwise.
 */
export type AuditEntryKey = Record<"workspaceId" | "id", string>;

/**
 * Finds out what became of a transaction, of which the server's process and an audit
 * entry are known.
 */
export type FindCommitOutcome = (
  processId: number | undefined,
  entry: AuditEntryKey,
) => Promise<CommitOutcome>;

const intervalMs = 100;

interface Server {
  read: ReadStatement;
  /**
   * How long it is asked: it may have to recover from a crash, or another one may have to
   * take its place.
   */
  timeoutMs: number;
  /**
   * Whether the numbers of processes are the server's own, and nothing is committed any
   * more once a process has ended.
   */
  hasOwnProcesses: boolean;
  /** Whether no statement is run any more. */
  isClosed: () => boolean;
}

/**
 * Looks for the audit entry, over another connection, until it is there or the process
 * has ended without it. A process that waits for a statement is told to end, so that a
 * COMMIT that is still on its way finds no transaction. The process is asked about first,
 * because an entry may be committed between two statements.
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
  // After a restart, or on another server, the number may be that of a new process: our
  // own has ended then.
  const processes = await read(Prisma.sql`
    SELECT CASE WHEN "state" LIKE 'idle%' THEN pg_terminate_backend("pid") END AS "isToldToEnd" FROM pg_stat_activity
    WHERE "pid" = ${processId}::int AND "pid" <> pg_backend_pid() AND "datname" = current_database() AND "usename" = current_user`);
  return processes.length === 0;
}

/** Whether an audit entry is there. */
export async function isThere(read: ReadStatement, { workspaceId, id }: AuditEntryKey): Promise<boolean> {
  const entries = await read(
    Prisma.sql`SELECT FROM "AuditEntry" WHERE "workspaceId" = ${workspaceId}::uuid AND "id" = ${id}::uuid`,
  );
  return entries.length > 0;
}
