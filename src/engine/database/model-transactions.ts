import { PrismaPg } from "@prisma/adapter-pg";
import type {
  Transaction as AdapterTransaction,
  SqlDriverAdapterFactory,
  SqlQuery,
} from "@prisma/driver-adapter-utils";
import pLimit from "p-limit";
import pg from "pg";
import { PrismaClient } from "../../generated/prisma/client.js";
import { defined } from "../../platform/defined.js";
import type { BeginModels, OpenTransaction } from "./transaction.js";

/**
 * Prisma's models in transactions that have begun already. Its adapter takes the connection of the transaction instead
 * of one from the pool, and sends neither BEGIN nor COMMIT.
 */
export class ModelTransactions {
  readonly #onStatement: (sql: string) => void;
  /** Prisma does not tell the adapter which transaction begins, so one begins at a time. */
  readonly #oneAtATime = pLimit(1);
  #beginning: OpenTransaction | undefined;
  #client: PrismaClient | undefined;

  constructor(onStatement: (sql: string) => void = () => {}) {
    this.#onStatement = onStatement;
  }

  readonly begin: BeginModels = (transaction) =>
    this.#oneAtATime(
      () =>
        new Promise((resolve, reject) => {
          const { timeout } = transaction;
          this.#beginning = transaction;
          this.#client ??= new PrismaClient({ adapter: this.#factory(), errorFormat: "minimal" });
          this.#client
            .$transaction(
              async (models) => {
                resolve(models);
                await transaction.ended;
              },
              { timeout, maxWait: timeout },
            )
            .catch(reject);
        }),
    );

  async close(): Promise<void> {
    await this.#client?.$disconnect();
  }

  #factory(): SqlDriverAdapterFactory {
    const refuse = () => Promise.reject(new Error("This client runs nothing outside of transactions"));
    return {
      ...names,
      connect: async () => ({
        ...names,
        queryRaw: refuse,
        executeRaw: refuse,
        executeScript: refuse,
        getConnectionInfo: () => ({ supportsRelationJoins: true }),
        startTransaction: () => this.#joined(defined(this.#beginning)),
        dispose: async () => {},
      }),
    };
  }

  async #joined(transaction: OpenTransaction): Promise<AdapterTransaction> {
    const adapter = await new PrismaPg(new TransactionPool(transaction)).connect();
    const observed = (query: SqlQuery) => {
      this.#onStatement(query.sql);
      return query;
    };
    return {
      ...names,
      options: { usePhantomQuery: true },
      queryRaw: (query) => adapter.queryRaw(observed(query)),
      executeRaw: (query) => adapter.executeRaw(observed(query)),
      commit: async () => {},
      rollback: async () => {},
    };
  }
}

const names = { provider: "postgres", adapterName: "transactions of the gateway" } as const;

/** What Prisma's adapter takes for a pool: the connection of a transaction. */
class TransactionPool extends pg.Pool {
  readonly #transaction: OpenTransaction;

  constructor(transaction: OpenTransaction) {
    super();
    this.#transaction = transaction;
  }

  override query(...parameters: unknown[]): never {
    const { connection } = this.#transaction;
    return (connection.query as (...each: unknown[]) => never)(...parameters);
  }
}
