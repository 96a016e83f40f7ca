import type { EventEmitter } from "node:events";
import { Socket } from "node:net";
import { promisify } from "node:util";
import pg from "pg";
import { endsUseOfConnection, isUnavailable } from "../../platform/errors/database-errors.js";
import { handedOnParameters } from "./session-settings.js";
import { isInTransaction } from "./statement-text.js";

/** The time that the server has to confirm the end of a connection. */
const closeTimeoutMs = 2_000;

/** The configuration of a connection. Poolers refuse or ignore `serverParameters`, which are for a server itself. */
export interface ConnectionConfig extends pg.ClientConfig {
  serverParameters?: Readonly<Record<string, string>> | undefined;
}

/** Creates a connection with additional settings. */
export type CreateConnection = (settings: pg.ClientConfig) => pg.Client;

/** The statements that begin and end a transaction, in Prisma's spelling. */
export const begin = { text: "BEGIN" };
export const commit = { text: "COMMIT" };
export const rollback = { text: "ROLLBACK" };
const begun = { command: begin.text, rowCount: null, rows: [], fields: [] };

interface ClientInternals {
  connection: EventEmitter & { stream: Socket };
  getStartupConf: () => Record<string, string>;
  query: (...parameters: unknown[]) => unknown;
  end: (...parameters: unknown[]) => unknown;
}

/**
 * A connection to a PostgreSQL server. Statements need not wait forever if the server disappears without closing it.
 */
export class Connection extends pg.Client {
  /** The server's process of this connection. A PgBouncer in between reports a number of its own. */
  declare readonly processID: number | null;
  readonly #socket: Socket;
  readonly #connection: ClientInternals["connection"];
  /** The time of the last answer. */
  #answeredAt = 0;
  /** Sends BEGIN together with the first statement, so that the statement need not wait for the answer. */
  #begin: (() => Promise<unknown>) | undefined;
  /** The statements that wait for the transaction to begin; undefined unless BEGIN is on its way. */
  #held: HeldStatement[] | undefined;
  /** The server's last error, until the server reports that it is ready again. */
  #serverError: Error | undefined;
  /** The first error that reported the loss of the connection. */
  #loss: Error | undefined;
  #isUnfit = false;
  /** Whether BEGIN was sent and the server has not confirmed the end of its transaction. */
  #isInTransaction = false;
  onStatementEnd: ((milliseconds: number) => void) | undefined;

  constructor(config?: ConnectionConfig) {
    // An embedded server has no sockets, and provides a stream instead.
    const socket = (config?.stream?.() ?? new Socket()) as Socket;
    super({ ...config, stream: () => socket, types });
    this.#socket = socket;
    const internals = this as unknown as ClientInternals;
    this.#connection = internals.connection;
    const startupParameters = internals.getStartupConf.bind(this);
    internals.getStartupConf = () => ({
      ...startupParameters(),
      ...config?.serverParameters,
      ...handedOnParameters,
    });
    const query = internals.query.bind(this);
    const runWithCallback = (...parameters: unknown[]) => {
      this.#sendTogether();
      const sentAt = performance.now();
      const callback = parameters.pop() as (error?: Error | null, ...results: unknown[]) => void;
      return query(...parameters, (error?: Error | null, ...results: unknown[]) => {
        this.#reportEnd(sentAt);
        callback(error && (this.#loss ?? error), ...results);
      });
    };
    // Wrap the version with a callback. For a promise, `pg` would assign a function literal to a property. V8 allocates
    // those in the old generation, where they would keep everything of the request alive until the whole heap is
    // collected.
    const runWithPromise = promisify(runWithCallback) as (...parameters: unknown[]) => Promise<unknown>;
    const run = (...parameters: unknown[]) =>
      typeof parameters.at(-1) === "function"
        ? runWithCallback(...parameters)
        : runWithPromise(...parameters).catch(throwFromHere);
    internals.query = (...parameters) => {
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
      if (!held || (held.length === 0 && this.#maySendWithBegin(text))) return send();
      return new Promise((resolve, reject) => held.push({ send: () => resolve(send()), fail: reject }));
    };
    const end = internals.end.bind(this);
    internals.end = (...parameters) => {
      setTimeout(() => socket.destroy(), closeTimeoutMs).unref();
      return end(...parameters);
    };
    // Otherwise, the loss of an idle connection would end the process.
    this.on("error", (error) => {
      this.#loss ??= this.#serverError ?? error;
    });
    this.#connection.on("errorMessage", (error: pg.DatabaseError) => {
      this.#serverError = error;
      this.#isUnfit ||= endsUseOfConnection(error);
    });
    this.#connection.on("readyForQuery", () => {
      this.#serverError = undefined;
    });
  }

  /** Reports the duration of a statement. The server begins a pipelined one only after the preceding answer. */
  #reportEnd(sentAt: number): void {
    const now = performance.now();
    this.onStatementEnd?.(now - Math.max(sentAt, this.#answeredAt));
    this.#answeredAt = now;
  }

  /** Sends simultaneous statements together, because each send wakes the receiving process. */
  #sendTogether(): void {
    const { stream } = this.#connection;
    if (stream.writableCorked > 0) return;
    stream.cork();
    void allRun().then(() => stream.uncork());
  }

  /** Sends BEGIN. If it fails, so do the statements that wait for it, and nothing follows the one sent along. */
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

  /** Whether a statement is harmless if the server runs it without having begun a transaction. */
  #maySendWithBegin(text = ""): boolean {
    return (/^\s*SELECT\b/.test(text) && !text.includes("pg_notify(")) || text.includes(isInTransaction);
  }

  /**
   * Ends a transaction. The server answers COMMIT with ROLLBACK after a failure, which neither Prisma nor `pg` checks.
   */
  async #end(text: string, answer: unknown): Promise<pg.QueryResult> {
    const result = (await answer) as pg.QueryResult;
    this.#isInTransaction = false;
    if (result.command !== text)
      throw new Error("The transaction was rolled back, because a statement failed");
    return result;
  }

  /**
   * Whether another transaction may use the connection: it is not lost, and the last transaction's end is confirmed.
   */
  get isReusable(): boolean {
    const isLost = this.#loss !== undefined || this.#serverError !== undefined;
    return !isLost && !this.#isUnfit && !this.#isInTransaction && this.getTransactionStatus() !== "T";
  }

  /** Forgets a BEGIN that was not sent because no statement followed. */
  reset(): void {
    this.#begin = undefined;
  }

  /** Destroys the connection after n milliseconds without traffic in either direction. */
  limitSilence(milliseconds: number): void {
    this.#socket.setTimeout(milliseconds, () =>
      this.abandon(deadConnection(`The database has been silent for ${milliseconds} ms`)),
    );
  }

  /** Destroys the connection. Its statements fail with the given reason. */
  abandon(reason: Error): void {
    this.#socket.destroy(reason);
  }
}

/** An error with the SQLSTATE of a failed connection. */
const connectionFailure = (message: string, cause?: Error): Error =>
  Object.assign(new Error(message, { cause }), { code: "08006" });

/** An error with the reason why a connection counts as dead. */
export const deadConnection = (reason: string): Error =>
  Object.assign(new Error(reason), { code: "ETIMEDOUT" });

/** A statement that waits for the transaction to begin. */
interface HeldStatement {
  send(): void;
  fail(error: unknown): void;
}

const textOf = ([statement]: unknown[]): string | undefined =>
  typeof statement === "string" ? statement : (statement as { text?: string } | undefined)?.text;

/**
 * Reads values as `pg` does, but rejects timestamps in a format other than ours. `pg` would return null for them, and
 * null matches no condition.
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

/** Runs a statement, prepared if it has a name. `pg` would copy a plain object with a name property by property. */
export function runStatement(
  connection: { query(query: pg.Query): unknown },
  { text, values }: { text: string; values: readonly unknown[] },
  name: string | undefined,
): Promise<pg.QueryResult> {
  return connection.query(
    Object.assign(new pg.Query(text, [...values]), { name }),
  ) as Promise<pg.QueryResult>;
}

/** Resolves after all code that waits only for settled promises has run. */
const allRun = (): Promise<void> => new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve)));

/** Throws an error with the stack of the caller, as `pg` does. The error's own stack leads to the socket. */
function throwFromHere(error: Error): never {
  Error.captureStackTrace(error);
  throw error;
}
