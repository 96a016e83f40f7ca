import type { PoolClient } from "pg";
import { Prisma } from "../generated/prisma/client.js";
import type { StatementText } from "./statement-text.js";

/** Runs the raw statements of a transaction, with the interface of Prisma. */
export type RawTransaction = Pick<Prisma.TransactionClient, "$queryRaw" | "$executeRaw"> & {
  /**
   * The server process that runs the transaction; undefined if the server has not
   * reported it.
   */
  readonly processId?: number | undefined;
};

/** Runs work in a transaction, which refuses statements after `timeout` milliseconds. */
export type RunRawTransaction = <Result>(
  work: (transaction: RawTransaction) => Promise<Result>,
  limits: { timeout: number },
) => Promise<Result>;

/** The result of a statement. */
export interface StatementResult {
  rows: unknown[];
  /** The number of rows written. */
  affected: number;
}

/** Runs a statement over a connection of the driver. */
export type RunStatement = (connection: PoolClient, statement: StatementText) => Promise<StatementResult>;

/** A transaction with its connection. */
export interface OpenTransaction {
  connection: PoolClient;
  isOpen: boolean;
  /**
   * The time by `performance.now()` after which the transaction refuses statements;
   * undefined if Prisma ends the transaction.
   */
  endsAt?: number;
}

/**
 * A statement in the forms that Prisma accepts: with its values, or as the text of a
 * template.
 */
type RawQuery = StatementText | TemplateStringsArray;

/** Prisma's error for transactions that take too long. */
const hasEnded = () => Object.assign(new Error("The transaction has already ended"), { code: "P2028" });

/** Runs the raw statements of a transaction on its connection. */
export function rawTransaction(open: OpenTransaction, runStatement: RunStatement): RawTransaction {
  const run = async (query: RawQuery, values: unknown[]) => {
    const { connection, isOpen, endsAt = Number.POSITIVE_INFINITY } = open;
    if (!isOpen || performance.now() > endsAt) throw hasEnded();
    return runStatement(connection, "text" in query ? query : Prisma.sql(query, ...values));
  };
  const raw = {
    $queryRaw: async (query: RawQuery, ...values: unknown[]) => (await run(query, values)).rows,
    $executeRaw: async (query: RawQuery, ...values: unknown[]) => (await run(query, values)).affected,
    processId: (open.connection as { processID?: number | null }).processID ?? undefined,
  };
  return raw as unknown as RawTransaction;
}

/**
 * Runs work with the raw statements of a transaction begun on a connection, for at most
 * `timeout` milliseconds.
 */
export async function withRawTransaction<Result>(
  { connection, run, timeout }: { connection: PoolClient; run: RunStatement; timeout: number },
  work: (transaction: RawTransaction) => Promise<Result>,
): Promise<Result> {
  const open = { connection, isOpen: true, endsAt: performance.now() + timeout };
  try {
    const result = await work(rawTransaction(open, run));
    // Fail here, too: the work may not have waited for statements that were refused.
    if (performance.now() > open.endsAt) throw hasEnded();
    return result;
  } finally {
    open.isOpen = false;
  }
}
