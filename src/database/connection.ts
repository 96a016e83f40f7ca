import { Socket } from "node:net";
import pg from "pg";

/** After so many milliseconds without an answer, a statement is late for the first time. */
const lateMs = 2_000;
/** How long the server has to confirm that a connection ends. */
const closeTimeoutMs = 2_000;

/** How to connect, and settings of the session, which only a server itself takes this way: poolers refuse them. */
interface ConnectionConfig extends pg.ClientConfig {
  sessionSettings?: Readonly<Record<string, string>>;
}

/** The statement that begins a transaction, as Prisma sends it. */
export const begin = { text: "BEGIN" };
/** The answer to it. */
const begun = { command: "BEGIN", rowCount: null, rows: [], fields: [] };

/** A connection to a PostgreSQL server that need not wait forever if the server has gone away without closing it. */
export class Connection extends pg.Client {
  /** The server's process for this connection; if there is a PgBouncer in between, a number of its own. */
  declare readonly processID: number | null;
  readonly #socket: Socket;
  /** When the statement was sent whose answer is awaited. */
  #sentAt: number | undefined;
  #lateMs = lateMs;
  /** When the last answer came. */
  #answeredAt = 0;
  /** Sends what begins a transaction: together with its first statement, instead of waiting for the answer before. */
  #begin: (() => void) | undefined;
  /** Told how long each statement took, in milliseconds. */
  onStatementEnd: ((milliseconds: number) => void) | undefined;

  constructor(config?: ConnectionConfig) {
    const socket = new Socket();
    super({ ...config, stream: () => socket });
    this.#socket = socket;
    const startup = this as unknown as { getStartupConf: () => Record<string, string> };
    const startupParameters = startup.getStartupConf.bind(this);
    // Prisma's adapters exchange timestamps with the database without their time zone. PgBouncer hands on this parameter, but not
    // `options`. It takes precedence over those and over the settings of the role and the database.
    startup.getStartupConf = () => ({ ...startupParameters(), ...config?.sessionSettings, TimeZone: "UTC" });
    const query = this.query.bind(this) as (...parameters: unknown[]) => unknown;
    const run = (...parameters: unknown[]) => {
      this.#sendTogether();
      const sentAt = performance.now();
      this.#sentAt = sentAt;
      this.#lateMs = lateMs;
      return calledBack(query, parameters, () => this.#reportEnd(sentAt));
    };
    this.query = ((...parameters: unknown[]) => {
      if (config?.pipeline && isBegin(parameters)) {
        this.#begin = () => this.#abandonUnlessBegun(run(...parameters) as Promise<unknown>);
        return Promise.resolve(begun);
      }
      this.#begin?.();
      this.#begin = undefined;
      return run(...parameters);
    }) as pg.Client["query"];
    const end = this.end.bind(this) as (...parameters: unknown[]) => unknown;
    this.end = ((...parameters: unknown[]) => {
      setTimeout(() => socket.destroy(), closeTimeoutMs).unref();
      return end(...parameters);
    }) as pg.Client["end"];
    this.on("drain", () => {
      this.#sentAt = undefined;
    });
    // Without a listener, the loss of a connection that nobody uses at the moment would end the process.
    this.on("error", () => {});
  }

  /** A statement that was sent before the answer to another has not been at work until then. */
  #reportEnd(sentAt: number): void {
    const now = performance.now();
    this.onStatementEnd?.(now - Math.max(sentAt, this.#answeredAt));
    this.#answeredAt = now;
  }

  /** Has statements that are run at the same time sent together: each send wakes the process that receives it. */
  #sendTogether(): void {
    const { stream } = (this as unknown as { connection: { stream: Socket } }).connection;
    if (stream.writableCorked > 0) return;
    stream.cork();
    void allRun().then(() => stream.uncork());
  }

  /**
   * Without a transaction, statements must not be committed one by one. Only what was sent together with BEGIN would be, should the server
   * cancel that and nothing else: a first statement that is waited for, which mostly locks.
   */
  #abandonUnlessBegun(answer: Promise<unknown>): void {
    answer.catch((error) => this.abandon(`A transaction could not be begun: ${(error as Error).message}`));
  }

  /** Whether a statement has been without an answer for so long that the server should be asked about it. */
  get isLate(): boolean {
    return this.#sentAt !== undefined && performance.now() - this.#sentAt > this.#lateMs;
  }

  /** Considers the statement late only after twice the time. */
  waitLonger(): void {
    this.#lateMs *= 2;
  }

  /** What was sent and received so far; without a change, nothing was. */
  get progress(): string {
    return `${this.#sentAt} ${this.#socket.bytesRead} ${this.#socket.writableLength}`;
  }

  /** Forgets a transaction that was begun and not ended, should there ever be one. */
  reset(): void {
    this.#begin = undefined;
  }

  /** Destroys the connection after so many milliseconds in which nothing was sent or received. */
  limitSilence(milliseconds: number): void {
    this.#socket.setTimeout(milliseconds, () => this.abandon(`The database has been silent for ${milliseconds} ms`));
  }

  /** Destroys the connection, which fails its statements. */
  abandon(reason: string): void {
    this.#socket.destroy(Object.assign(new Error(reason), { code: "ETIMEDOUT" }));
  }
}

/** Whether a statement begins a transaction. */
const isBegin = (parameters: unknown[]) =>
  (parameters[0] as { text?: unknown } | undefined)?.text === begin.text && typeof parameters.at(-1) !== "function";

/** Runs a statement, prepared under a name if it has one. If that were a property of an object, `pg` would copy the object property by property. */
export function runStatement(
  connection: { query(query: pg.Query): unknown },
  { text, values }: { text: string; values: readonly unknown[] },
  name: string | undefined,
): Promise<pg.QueryResult> {
  return connection.query(Object.assign(new pg.Query(text, [...values]), { name })) as Promise<pg.QueryResult>;
}

/** Resolves once all code has run that waits for nothing but promises that are settled. */
const allRun = (): Promise<void> => new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve)));

/**
 * Calls a query of `pg`, which takes a callback or returns a promise, and `ended` when its answer is there. For promises, too, `pg` gets a
 * callback: its own is a function literal that is assigned to a property. V8 allocates those in the old generation, where it would keep
 * alive all that belongs to the request until the whole heap is collected.
 */
function calledBack(query: (...parameters: unknown[]) => unknown, parameters: unknown[], ended: () => void): unknown {
  const callback = parameters.at(-1);
  if (typeof callback === "function") {
    const called = (...results: unknown[]) => {
      ended();
      callback(...results);
    };
    return query(...parameters.slice(0, -1), called);
  }
  const [config, values] = parameters;
  const answer = new Promise((resolve, reject) => {
    const called = (error: Error | null | undefined, result: unknown) => {
      ended();
      if (error) reject(error);
      else resolve(result);
    };
    query(config, values, called);
  });
  return answer.catch((error: Error) => {
    // As `pg` does: its own leads to the socket, this one to who has asked.
    Error.captureStackTrace(error);
    throw error;
  });
}
