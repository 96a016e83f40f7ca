import type { PoolClient } from "pg";
import { Prisma } from "../generated/prisma/client.js";
import type { StatementText } from "./statement-text.js";

/** What runs the raw statements of a transaction, as those of Prisma do. */
export type RawTransaction = Pick<Prisma.TransactionClient, "$queryRaw" | "$executeRaw"> & {
  /**
   * The process of the server that runs the transaction; undefined if the server has not
   * told it.
   */
  readonly processId?: number | undefined;
};

/**
 * Runs work in a transaction, which takes no statement any more after so many
 * milliseconds.
 */
export type RunRawTransaction = <Result>(
  work: (transaction: RawTransaction) => Promise<Result>,
  limits: { timeout: number },
) => Promise<Result>;

/** What a statement returned. */
export interface StatementResult {
  rows: unknown[];
  /** How many rows it wrote. */
  affected: number;
}

/** Runs a statement over a connection of the driver. */
export type RunStatement = (connection: PoolClient, statement: StatementText) => Promise<StatementResult>;

/** A transaction with its connection. */
export interface OpenTransaction {
  connection: PoolClient;
  isOpen: boolean;
  /**
   * When it takes no statement any more, by `performance.now()`; undefined if Prisma ends
   * it.
   */
  endsAt?: number;
}

/** A statement as Prisma takes it: with its values, or as the text of a template. */
type RawQuery = StatementText | TemplateStringsArray;

/** As Prisma says it, which ends transactions that take too long. */
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
 * Runs work with the raw statements of a transaction that was begun on a connection, for
 * so many milliseconds at most.
 */
export async function withRawTransaction<Result>(
  { connection, run, timeout }: { connection: PoolClient; run: RunStatement; timeout: number },
  work: (transaction: RawTransaction) => Promise<Result>,
): Promise<Result> {
  const open = { connection, isOpen: true, endsAt: performance.now() + timeout };
  try {
    const result = await work(rawTransaction(open, run));
    // Statements may have been refused for which the work did not wait.
    if (performance.now() > open.endsAt) throw hasEnded();
    return result;
  } finally {
    open.isOpen = false;
  }
}
