import pg from "pg";
import { begin, Connection, type ConnectionConfig, commit, deadConnection, rollback } from "./connection.js";
import type { ConnectionUsage } from "./database-metrics.js";
import { serverTimeouts } from "./session-settings.js";

/** The time that running statements have to end after the pool was closed. */
const closeTimeoutMs = 2_000;
const idleTimeoutMs = 10_000;

interface PoolSettings {
  size: number;
  /** The limit of a statement; 0 for none. */
  statementTimeoutMs: number;
  /** Whether idle connections stay open for any length of time. */
  keepsIdle?: boolean;
  onStatementEnd?: ((milliseconds: number) => void) | undefined;
}

function connectionOf(client: pg.PoolClient): Connection {
  if (!(client instanceof Connection)) throw new Error("A client of the pool is no connection");
  return client;
}

/**
 * Connections to a PostgreSQL server. No statement waits forever, even if the network drops packets without closing
 * connections, or forgets connections. A connection that is silent for longer than any statement may take is destroyed,
 * together with the idle ones. The server ends the transactions of dead connections after the same time.
 */
export class ConnectionPool extends pg.Pool {
  readonly #connections = new Set<Connection>();
  readonly #idle = new Set<Connection>();

  constructor(
    config: ConnectionConfig,
    { size, statementTimeoutMs, keepsIdle = false, onStatementEnd }: PoolSettings,
  ) {
    const silenceMs = serverTimeouts(statementTimeoutMs).idle_in_transaction_session_timeout;
    super({
      ...config,
      max: size,
      min: keepsIdle ? size : 0,
      Client: Connection,
      pipeline: true,
      // Close idle connections before they count as dead.
      idleTimeoutMillis: silenceMs > 0 ? Math.min(idleTimeoutMs, silenceMs - 1_000) : idleTimeoutMs,
    });
    this.on("connect", (client) => {
      const connection = connectionOf(client);
      connection.onStatementEnd = onStatementEnd;
      this.#add(connection, silenceMs);
    });
    this.on("acquire", (client) => void this.#idle.delete(connectionOf(client)));
    this.on("release", (_error, client) => {
      const connection = connectionOf(client);
      connection.reset();
      // The pool's own check covers less: the next transaction would begin within this one, or fail.
      if (!connection.isReusable) void connection.end();
      // A connection that was lost in a transaction is released after its end.
      else if (this.#connections.has(connection)) this.#idle.add(connection);
    });
  }

  get usage(): ConnectionUsage {
    const { totalCount, idleCount, waitingCount, options } = this;
    return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount, max: options.max };
  }

  /** Runs work in a transaction on a connection, and commits if the work succeeds. */
  async transact<Result>(work: (connection: pg.PoolClient) => Promise<Result>): Promise<Result> {
    const connection = await this.connect();
    try {
      // Not awaited: BEGIN is sent with the first statement.
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

  /** Closes all connections. Statements that get no answer within 2 seconds fail. */
  override async end(): Promise<void> {
    const timer = setTimeout(() => {
      for (const connection of this.#connections)
        connection.abandon(deadConnection("The connections to the database were closed"));
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
    for (const connection of idle)
      connection.abandon(deadConnection("Another connection to the database is dead"));
  }
}
