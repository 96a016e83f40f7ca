import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { begin, Connection, type ConnectionConfig, commit, deadConnection, rollback } from "./connection.js";
import type { ConnectionUsage } from "./database-metrics.js";
import { serverTimeouts } from "./session-settings.js";

const checkIntervalMs = 500;
/** How long an answer may be on its way after the server has finished a statement. */
const deliveryMs = 1_000;
/** How long the server has to answer when it is asked about late statements. */
const answerMs = 2_000;
/** How long statements may go on after the pool was closed. */
const closeTimeoutMs = 2_000;
const idleTimeoutMs = 10_000;

interface PoolSettings {
  size: number;
  /** With 0, statements may take as long as they like. */
  statementTimeoutMs: number;
  /** Whether connections stay open however long nobody uses them. */
  keepsIdle?: boolean;
  /** Told how long each statement took, in milliseconds. */
  onStatementEnd?: ((milliseconds: number) => void) | undefined;
}

/**
 * Connections to a PostgreSQL server. If the network drops packets without closing the connections, or has forgotten them, no
 * statement waits forever, and the dead connections are replaced:
 * - A connection on which nothing happens for longer than any statement may take is destroyed.
 * - Before that, when a statement is late, the server is asked over a new connection whether it is still at work on it.
 * - Once one connection was found dead, the idle ones are replaced as well.
 */
export class ConnectionPool extends pg.Pool {
  readonly #config: ConnectionConfig;
  readonly #connections = new Set<Connection>();
  readonly #idle = new Set<Connection>();
  readonly #timer: NodeJS.Timeout | undefined;
  #isAsking = false;

  constructor(config: ConnectionConfig, { size, statementTimeoutMs, keepsIdle = false, onStatementEnd }: PoolSettings) {
    const silenceMs = serverTimeouts(statementTimeoutMs).idle_in_transaction_session_timeout;
    super({
      ...config,
      max: size,
      min: keepsIdle ? size : 0,
      Client: Connection,
      pipeline: true,
      // Before they would be taken for dead.
      idleTimeoutMillis: silenceMs > 0 ? Math.min(idleTimeoutMs, silenceMs - 1_000) : idleTimeoutMs,
    });
    this.#config = config;
    this.on("connect", (client) => {
      const connection = client as unknown as Connection;
      connection.onStatementEnd = onStatementEnd;
      this.#add(connection, silenceMs);
    });
    this.on("acquire", (client) => void this.#idle.delete(client as unknown as Connection));
    this.on("release", (_error, client) => {
      const connection = client as unknown as Connection;
      connection.reset();
      // The pool itself looks for less: the next transaction would begin within this one, or fail.
      if (!connection.isReusable) void connection.end();
      // One that was lost in a transaction is released after its end.
      else if (this.#connections.has(connection)) this.#idle.add(connection);
    });
    if (silenceMs > 0) this.#timer = setInterval(() => void this.#checkLate(), checkIntervalMs).unref();
  }

  get usage(): ConnectionUsage {
    const { totalCount, idleCount, waitingCount, options } = this;
    return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount, max: options.max };
  }

  /** Runs work in a transaction on a connection; it is committed if the work succeeds. */
  async transact<Result>(work: (connection: pg.PoolClient) => Promise<Result>): Promise<Result> {
    const connection = await this.connect();
    try {
      // Sent with the first statement: the answer need not be waited for.
      void connection.query(begin);
      const result = await work(connection);
      await connection.query(commit);
      connection.release();
      return result;
    } catch (error) {
      await connection.query(rollback).then(
        () => connection.release(),
        (failure: Error) => connection.release(failure),
      );
      throw error;
    }
  }

  /** Closes all connections. Statements that are still without an answer soon after fail. */
  override async end(): Promise<void> {
    clearInterval(this.#timer);
    const timer = setTimeout(() => {
      for (const connection of this.#connections) connection.abandon(deadConnection("The connections to the database were closed"));
    }, closeTimeoutMs);
    await super.end();
    clearTimeout(timer);
  }

  #add(connection: Connection, silenceMs: number): void {
    this.#connections.add(connection);
    connection.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ETIMEDOUT") this.#replaceIdle();
    });
    connection.on("end", () => {
      this.#connections.delete(connection);
      this.#idle.delete(connection);
    });
    connection.limitSilence(silenceMs);
  }

  #replaceIdle(): void {
    const idle = [...this.#idle];
    this.#idle.clear();
    for (const connection of idle) connection.abandon(deadConnection("Another connection to the database is dead"));
  }

  async #checkLate(): Promise<void> {
    const late = new Map([...this.#connections].filter(({ isLate }) => isLate).map((connection) => [connection, connection.progress]));
    if (late.size === 0 || this.#isAsking) return;
    this.#isAsking = true;
    const observer = new Connection({ ...this.#config, query_timeout: answerMs });
    try {
      await observer.connect();
      for (const connection of await atWork(observer, [...late.keys()])) {
        connection.waitLonger();
        late.delete(connection);
      }
      if (late.size === 0) return;
      await sleep(deliveryMs, undefined, { ref: false });
      const dead = [...late].filter(([connection, progress]) => connection.progress === progress).map(([connection]) => connection);
      for (const connection of dead) connection.abandon(deadConnection("The connection to the database is dead"));
      await endTransactions(observer, dead);
    } catch {
      // The server cannot be reached at all: the connections' own limit ends the statements.
    } finally {
      this.#isAsking = false;
      void observer.end();
    }
  }
}

/** Those of some connections on whose statements the server is at work. */
async function atWork(observer: Connection, connections: Connection[]): Promise<Connection[]> {
  const { rows } = await observer.query<{ own: number; busy: number[] }>(
    `SELECT pg_backend_pid() AS "own",
       ARRAY(SELECT "pid" FROM pg_stat_activity WHERE "pid" = ANY($1) AND ("state" LIKE 'idle%') IS NOT TRUE) AS "busy"`,
    [connections.map(({ processID }) => processID)],
  );
  // A PgBouncer makes up the numbers of processes.
  return connections.filter(({ processID }) => rows[0]?.own !== observer.processID || rows[0]?.busy.includes(Number(processID)));
}

/** Makes the server release the locks of transactions whose connections are dead. */
async function endTransactions(observer: Connection, connections: Connection[]): Promise<void> {
  await observer.query(`SELECT pg_terminate_backend("pid") FROM pg_stat_activity WHERE "pid" = ANY($1) AND "state" LIKE 'idle%'`, [
    connections.map(({ processID }) => processID),
  ]);
}
