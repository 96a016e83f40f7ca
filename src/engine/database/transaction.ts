import type { PoolClient } from "pg";
import { Prisma } from "../../generated/prisma/client.js";
import type { StatementText } from "./statement-text.js";

type Model = Uncapitalize<Prisma.ModelName>;

/** A transaction: raw statements, which run prepared on its connection, and Prisma's models. */
export type Transaction = Pick<Prisma.TransactionClient, "$queryRaw" | "$executeRaw" | Model> & {
  /** The server process that runs the transaction; undefined if the server has not reported it. */
  readonly processId?: number | undefined;
};

export type RawStatements = Pick<Transaction, "$queryRaw" | "$executeRaw">;

/** Runs work in a transaction, which refuses statements after `timeout` milliseconds, 20 s by default. */
export type Transact = <Result>(
  work: (transaction: Transaction) => Promise<Result>,
  limits?: { timeout: number },
) => Promise<Result>;

interface StatementResult {
  rows: unknown[];
  /** The number of rows written. */
  affected: number;
}

export type RunStatement = (connection: PoolClient, statement: StatementText) => Promise<StatementResult>;

export type BeginModels = (transaction: OpenTransaction) => Promise<Prisma.TransactionClient>;

/** A statement in the forms that Prisma accepts: with its values, or as a template. */
type RawQuery = StatementText | TemplateStringsArray;

/** Prisma's error for transactions that take too long. */
const hasEnded = () => Object.assign(new Error("The transaction has already ended"), { code: "P2028" });

/** A transaction begun on a connection, for a limited time. */
export class OpenTransaction {
  readonly #connection: PoolClient;
  readonly #endsAt: number;
  #end!: () => void;
  #isOpen = true;
  /** Resolves when the work has ended. */
  readonly ended = new Promise<void>((resolve) => {
    this.#end = resolve;
  });

  constructor(
    connection: PoolClient,
    readonly timeout: number,
  ) {
    this.#connection = connection;
    this.#endsAt = performance.now() + timeout;
  }

  /** The connection, while the transaction takes statements. */
  get connection(): PoolClient {
    if (!this.#isOpen || performance.now() > this.#endsAt) throw hasEnded();
    return this.#connection;
  }

  /** Runs the work, with Prisma's models if it uses any. */
  async run<Result>(
    runStatement: RunStatement,
    beginModels: BeginModels,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    try {
      const result = await work(this.#statements(runStatement, beginModels));
      // Fail here, too: the work may not have waited for statements that were refused.
      if (performance.now() > this.#endsAt) throw hasEnded();
      return result;
    } finally {
      this.#isOpen = false;
      this.#end();
    }
  }

  #statements(runStatement: RunStatement, beginModels: BeginModels): Transaction {
    const run = async (query: RawQuery, values: unknown[]) =>
      runStatement(this.connection, "text" in query ? query : Prisma.sql(query, ...values));
    const raw = {
      $queryRaw: async (query: RawQuery, ...values: unknown[]) => (await run(query, values)).rows,
      $executeRaw: async (query: RawQuery, ...values: unknown[]) => (await run(query, values)).affected,
      processId: (this.#connection as { processID?: number | null }).processID ?? undefined,
    };
    let models: Promise<Prisma.TransactionClient> | undefined;
    const modelsOf = () => {
      models ??= beginModels(this);
      return models;
    };
    return new Proxy(raw, {
      get: (target, name) =>
        name in target ? Reflect.get(target, name) : lazyModel(name as Model, modelsOf),
    }) as Transaction;
  }
}

type Operation = (parameters: unknown) => Promise<unknown>;

/** Begins the use of models with the first operation: many transactions have none. */
const lazyModel = (model: Model, modelsOf: () => Promise<Prisma.TransactionClient>) =>
  new Proxy(
    {},
    {
      get: (_target, name) => async (parameters: unknown) => {
        const operations = (await modelsOf())[model] as unknown as Record<PropertyKey, Operation>;
        return operations[name]?.(parameters);
      },
    },
  );
