import type { EventEmitter } from "node:events";
import { Socket } from "node:net";
import { promisify } from "node:util";
import pg from "pg";
import { endsUseOfConnection, isUnavailable } from "../platform/database-errors.js";
import { handedOnParameters } from "./session-settings.js";
import { isInTransaction } from "./statement-text.js";

/** How long the server has to confirm that a connection ends. */
const closeTimeoutMs = 2_000;

/**
 * How to connect, and startup parameters that only a server itself takes: poolers refuse
 * or ignore them.
 */
export interface ConnectionConfig extends pg.ClientConfig {
  serverParameters?: Readonly<Record<string, string>> | undefined;
}

/** Creates a connection, with some settings of its own. */
export type CreateConnection = (settings: pg.ClientConfig) => pg.Client;

/** The statements that begin and end a transaction, as Prisma sends them. */
export const begin = { text: "BEGIN" };
export const commit = { text: "COMMIT" };
export const rollback = { text: "ROLLBACK" };
/** The answer to the first. */
const begun = { command: begin.text, rowCount: null, rows: [], fields: [] };

/**
 * A connection to a PostgreSQL server that need not wait forever if the server has gone
 * away without closing it.
 */
export class Connection extends pg.Client {
  /**
   * The server's process for this connection; if there is a PgBouncer in between, a
   * number of its own.
   */
  declare readonly processID: number | null;
  readonly #socket: Socket;
  /** When the last answer came. */
  #answeredAt = 0;
  /**
   * Sends what begins a transaction: together with its first statement, instead of
   * waiting for the answer before.
   */
  #begin: (() => Promise<unknown>) | undefined;
  /**
   * Statements that wait until a transaction has begun; undefined unless one is being
   * begun.
   */
  #held: HeldStatement[] | undefined;
  /** An error of the server after which it has not said that it is ready again. */
  #serverError: Error | undefined;
  /** The first that was heard of the loss of the connection. */
  #loss: Error | undefined;
  #isUnfit = false;
  /**
   * Whether BEGIN was sent, and its transaction has not ended as far as the server has
   * said.
   */
  #isInTransaction = false;
  /** Told how long each statement took, in milliseconds. */
  onStatementEnd: ((milliseconds: number) => void) | undefined;

  constructor(config?: ConnectionConfig) {
    // Of an embedded server, which has no sockets.
    const socket = (config?.stream?.() ?? new Socket()) as Socket;
    super({ ...config, stream: () => socket, types });
    this.#socket = socket;
    const startup = this as unknown as { getStartupConf: () => Record<string, string> };
    const startupParameters = startup.getStartupConf.bind(this);
    startup.getStartupConf = () => ({
      ...startupParameters(),
      ...config?.serverParameters,
      ...handedOnParameters,
    });
    const query = this.query.bind(this) as (...parameters: unknown[]) => unknown;
    const runWithCallback = (...parameters: unknown[]) => {
      this.#sendTogether();
      const sentAt = performance.now();
      const callback = parameters.pop() as (error?: Error | null, ...results: unknown[]) => void;
      return query(...parameters, (error?: Error | null, ...results: unknown[]) => {
        this.#reportEnd(sentAt);
        callback(error && (this.#loss ?? error), ...results);
      });
    };
    // For a promise, `pg` would assign a function literal to a property. V8 allocates
    // those in the old generation, where it would keep alive all that belongs to the
    // request until the whole heap is collected.
    const runWithPromise = promisify(runWithCallback) as (...parameters: unknown[]) => Promise<unknown>;
    const run = (...parameters: unknown[]) =>
      typeof parameters.at(-1) === "function"
        ? runWithCallback(...parameters)
        : runWithPromise(...parameters).catch(throwFromHere);
    this.query = ((...parameters: unknown[]) => {
      const text =
        config?.pipeline && typeof parameters.at(-1) !== "function" ? textOf(parameters) : undefined;
      if (text === begin.text) {
        this.#begin = () => run(...parameters) as Promise<unknown>;
        return Promise.resolve(begun);
      }
      if (this.#begin) this.#sendBegin(this.#begin);
      const held = this.#held;
      const isEnd = text === commit.text || text === rollback.text;
      if (!held && !isEnd) return run(...parameters);
      const send = () => (isEnd ? this.#end(text, run(...parameters)) : run(...parameters));
      if (!held || (held.length === 0 && this.#maySendWithBegin(text as string))) return send();
      return new Promise((resolve, reject) => held.push({ send: () => resolve(send()), fail: reject }));
    }) as pg.Client["query"];
    const end = this.end.bind(this) as (...parameters: unknown[]) => unknown;
    this.end = ((...parameters: unknown[]) => {
      setTimeout(() => socket.destroy(), closeTimeoutMs).unref();
      return end(...parameters);
    }) as pg.Client["end"];
    // Without a listener, the loss of a connection that nobody uses at the moment would
    // end the process.
    this.on("error", (error) => {
      this.#loss ??= this.#serverError ?? error;
    });
    const { connection } = this as unknown as { connection: EventEmitter };
    connection.on("errorMessage", (error: pg.DatabaseError) => {
      this.#serverError = error;
      this.#isUnfit ||= endsUseOfConnection(error);
    });
    connection.on("readyForQuery", () => {
      this.#serverError = undefined;
    });
  }

  /**
   * A statement that was sent before the answer to another has not been at work until
   * then.
   */
  #reportEnd(sentAt: number): void {
    const now = performance.now();
    this.onStatementEnd?.(now - Math.max(sentAt, this.#answeredAt));
    this.#answeredAt = now;
  }

  /**
   * Has statements that are run at the same time sent together: each send wakes the
   * process that receives it.
   */
  #sendTogether(): void {
    const { stream } = (this as unknown as { connection: { stream: Socket } }).connection;
    if (stream.writableCorked > 0) return;
    stream.cork();
    void allRun().then(() => stream.uncork());
  }

  /**
   * Sends BEGIN. If that fails, so does what waits for it, and what was sent along with
   * it is followed by nothing.
   */
  #sendBegin(send: () => Promise<unknown>): void {
    this.#begin = undefined;
    this.#isInTransaction = true;
    const held: HeldStatement[] = [];
    this.#held = held;
    const fail = (cause: Error) => {
      const failure = isUnavailable(cause)
        ? cause
        : connectionFailure(`A transaction could not be begun: ${cause.message}`, cause);
      this.abandon(failure);
      for (const each of held) each.fail(failure);
    };
    const end = (cause?: Error) => {
      this.#held = undefined;
      if (cause) fail(cause);
      else if (this.getTransactionStatus() === "I")
        fail(connectionFailure("The answer to BEGIN came without a transaction"));
      else for (const each of held) each.send();
    };
    send().then(() => end(), end);
  }

  /**
   * Whether a statement does no harm should the server run it without having begun a
   * transaction.
   */
  #maySendWithBegin(text: string): boolean {
    return (/^\s*SELECT\b/.test(text) && !text.includes("pg_notify(")) || text.includes(isInTransaction);
  }

  /**
   * Ends a transaction. The answer to COMMIT says ROLLBACK if a statement has failed, at
   * which neither Prisma nor `pg` looks.
   */
  async #end(text: string, answer: unknown): Promise<pg.QueryResult> {
    const result = (await answer) as pg.QueryResult;
    this.#isInTransaction = false;
    if (result.command !== text)
      throw new Error("The transaction was rolled back, because a statement failed");
    return result;
  }

  /**
   * Whether another transaction may use the connection: not if it was lost, and not
   * unless the last one was answered to have ended.
   */
  get isReusable(): boolean {
    const isLost = this.#loss !== undefined || this.#serverError !== undefined;
    return !isLost && !this.#isUnfit && !this.#isInTransaction && this.getTransactionStatus() !== "T";
  }

  /** Forgets a transaction that was to be begun, and ran no statement. */
  reset(): void {
    this.#begin = undefined;
  }

  /**
   * Destroys the connection after so many milliseconds in which nothing was sent or
   * received.
   */
  limitSilence(milliseconds: number): void {
    this.#socket.setTimeout(milliseconds, () =>
      this.abandon(deadConnection(`The database has been silent for ${milliseconds} ms`)),
    );
  }

  /** Destroys the connection, which fails its statements with the reason. */
  abandon(reason: Error): void {
    this.#socket.destroy(reason);
  }
}

/** An error with the SQLSTATE of a connection that failed. */
const connectionFailure = (message: string, cause?: Error): Error =>
  Object.assign(new Error(message, { cause }), { code: "08006" });

/** An error that says why a connection is taken for dead. */
export const deadConnection = (reason: string): Error =>
  Object.assign(new Error(reason), { code: "ETIMEDOUT" });

/** A statement that waits until a transaction has begun. */
interface HeldStatement {
  send(): void;
  fail(error: unknown): void;
}

/** The text of a statement. */
const textOf = ([statement]: unknown[]): string | undefined =>
  typeof statement === "string" ? statement : (statement as { text?: string } | undefined)?.text;

/**
 * Reads values as `pg` does, but for timestamps in another format than ours: for these it
 * has null, which no condition would match.
 */
const types: pg.CustomTypesConfig = {
  getTypeParser: (type: number, format?: "text" | "binary") =>
    type === pg.types.builtins.TIMESTAMPTZ && format !== "binary"
      ? readTimestamp
      : pg.types.getTypeParser(type, format),
};
const parseTimestamp = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ);

function readTimestamp(text: string): Date | number {
  const timestamp = parseTimestamp(text) as Date | number | null;
  if (timestamp === null) throw new Error(`The database writes timestamps as ${text}`);
  return timestamp;
}

/**
 * Runs a statement, prepared under a name if it has one. If that were a property of an
 * object, `pg` would copy the object property by property.
 */
export function runStatement(
  connection: { query(query: pg.Query): unknown },
  { text, values }: { text: string; values: readonly unknown[] },
  name: string | undefined,
): Promise<pg.QueryResult> {
  return connection.query(
    Object.assign(new pg.Query(text, [...values]), { name }),
  ) as Promise<pg.QueryResult>;
}

/**
 * Resolves once all code has run that waits for nothing but promises that are settled.
 */
const allRun = (): Promise<void> => new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve)));

/**
 * Throws an error with the stack of who has asked, as `pg` does: its own leads to the
 * socket.
 */
function throwFromHere(error: Error): never {
  Error.captureStackTrace(error);
  throw error;
}
