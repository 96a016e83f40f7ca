import type { PoolClient } from "pg";
import type { Prisma, PrismaClient } from "../generated/prisma/client.js";
import {
  type OpenTransaction,
  type RawTransaction,
  type RunStatement,
  rawTransaction,
} from "./raw-transaction.js";

interface AdapterTransaction {
  executeRaw(query: { sql: string }): Promise<number>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

interface AdapterFactory {
  connect(): Promise<{ startTransaction(...parameters: never[]): Promise<AdapterTransaction> }>;
}

/**
 * The prefix of a statement that never reaches a database, but only the adapter's
 * transaction. An AsyncLocalStorage would need no such statement. On Node.js 20, however,
 * every promise takes longer beside one: V1 took 1.14 times and O 1.03 to 1.08 times the
 * CPU time.
 */
const lookupPrefix = "-- connection of transaction ";
const ends = new Set(["COMMIT", "ROLLBACK"]);

/**
 * Runs the raw statements of Prisma's transactions directly on their connections, and
 * prepares them. Prisma would write all values as JSON and parse them again: a megabyte
 * for a batch of alerts.
 */
export class DirectStatements {
  readonly #run: RunStatement;
  readonly #found = new Map<string, OpenTransaction>();
  #lookups = 0;

  constructor(run: RunStatement) {
    this.#run = run;
  }

  /** Whether a statement only looks up a connection. */
  static isLookup(sql: string): boolean {
    return sql.startsWith(lookupPrefix);
  }

  /**
   * Returns the same adapter, after making the connections of its transactions available.
   */
  adapter<Factory extends AdapterFactory>(factory: Factory): Factory {
    const connect = factory.connect.bind(factory);
    factory.connect = async () => {
      const adapter = await connect();
      const start = adapter.startTransaction.bind(adapter);
      adapter.startTransaction = async (...parameters) => this.#observed(await start(...parameters));
      return adapter;
    };
    return factory;
  }

  /**
   * Returns the same client, after making its transactions run raw statements directly.
   */
  client(prisma: PrismaClient): PrismaClient {
    const begin = prisma.$transaction.bind(prisma) as (
      work: TransactionWork,
      limits?: object,
    ) => Promise<unknown>;
    const transact = (work: TransactionWork, limits?: object) =>
      begin(async (transaction) => work(await this.#direct(transaction)), limits);
    return new Proxy(prisma, {
      get: (target, name) => (name === "$transaction" ? transact : target[name as keyof PrismaClient]),
    });
  }

  /**
   * Only the adapter knows the connection of a transaction, and only a statement reaches
   * the adapter there.
   */
  #observed(transaction: AdapterTransaction): AdapterTransaction {
    const found = { connection: (transaction as unknown as { client: PoolClient }).client, isOpen: true };
    const { executeRaw, commit, rollback } = transaction;
    // Build one object: V8 would allocate functions assigned one by one in the old
    // generation.
    const observed: AdapterTransaction = {
      executeRaw: async (query) => {
        if (DirectStatements.isLookup(query.sql)) {
          this.#found.set(query.sql, found);
          return 0;
        }
        // Later statements would not be part of the transaction.
        if (ends.has(query.sql)) found.isOpen = false;
        return executeRaw.call(transaction, query);
      },
      commit: () => {
        found.isOpen = false;
        return commit.call(transaction);
      },
      rollback: () => {
        found.isOpen = false;
        return rollback.call(transaction);
      },
    };
    return Object.assign(transaction, observed);
  }

  async #direct(transaction: Prisma.TransactionClient): Promise<Prisma.TransactionClient> {
    this.#lookups += 1;
    const sql = `${lookupPrefix}${this.#lookups}`;
    await transaction.$executeRawUnsafe(sql);
    const found = this.#found.get(sql) as OpenTransaction;
    this.#found.delete(sql);
    const raw = rawTransaction(found, this.#run);
    return new Proxy(transaction, {
      get: (target, name) =>
        raw[name as keyof RawTransaction] ?? target[name as keyof Prisma.TransactionClient],
    });
  }
}

type TransactionWork = (transaction: Prisma.TransactionClient) => Promise<unknown>;
