import type pg from "pg";
import { Connection, deadConnection } from "./connection.js";
import { serverTimeouts } from "./connection-pool.js";

/** A connection pooler, such as PgBouncer, between the gateway and the PostgreSQL server. */
export interface Pooler {
  /** Whether a client keeps its server connection for as long as it is connected, as with `pool_mode = session`. */
  keepsSessions: boolean;
  /** Why the gateway cannot work through it, each with the cure. */
  issues: string[];
}

/** What a connection says of itself. */
interface ServerState {
  pid: number;
  timeZone: string;
  statement_timeout: number;
  idle_in_transaction_session_timeout: number;
  /** The role and database in the form of `ALTER ROLE`. */
  role: string;
}

interface Queryable {
  query<Row extends pg.QueryResultRow>(config: pg.QueryConfig): Promise<pg.QueryResult<Row>>;
}

/** The number of connections that are compared: a pooler of several processes may serve two of them separately. */
const maxSessions = 4;
const maxRounds = 3;
const preparedName = "gateway_pooler_check";

/** There is no such prepared statement, or there is already one of this name. */
const nameErrors = ["26000", "42P05"];

async function stateOf(connection: Queryable): Promise<ServerState> {
  const timeout = (name: string) => `(SELECT "setting"::int FROM pg_settings WHERE "name" = '${name}') AS "${name}"`;
  const { rows } = await connection.query<ServerState>({
    text: `SELECT pg_backend_pid() AS "pid", current_setting('TimeZone') AS "timeZone", ${timeout("statement_timeout")},
      ${timeout("idle_in_transaction_session_timeout")},
      format('%I IN DATABASE %I', session_user, current_database()) AS "role"`,
  });
  return rows[0] as ServerState;
}

/** Which settings do not have the required value on a connection of the gateway's pool. */
export async function settingIssues(connection: Queryable, statementTimeoutMs: number): Promise<string[]> {
  return issuesOf([await stateOf(connection)], statementTimeoutMs);
}

function issuesOf(states: ServerState[], statementTimeoutMs: number): string[] {
  const issues = new Map<string, string>();
  for (const { timeZone, role, ...state } of states) {
    if (!/^(Etc\/)?UTC$/.test(timeZone)) {
      issues.set("timezone", `The time zone is ${timeZone} instead of UTC: run \`ALTER ROLE ${role} SET timezone = 'UTC'\``);
    }
    for (const [name, required] of Object.entries(serverTimeouts(statementTimeoutMs))) {
      const value = state[name as keyof typeof state];
      if (required === 0 || (value > 0 && value <= required)) continue;
      const actual = value === 0 ? "off" : `${value} ms`;
      issues.set(name, `${name} is ${actual} instead of at most ${required} ms: run \`ALTER ROLE ${role} SET ${name} = ${required}\``);
    }
  }
  return [...issues.values()];
}

/**
 * Finds out whether a pooler is between the gateway and the server, and whether the gateway can work through it; undefined without
 * one. What is looked at is how connections behave, because poolers do not tell their clients how they are configured.
 */
export async function findPooler(config: pg.ClientConfig, settings: { poolSize: number; statementTimeoutMs: number }): Promise<Pooler | undefined> {
  const connections: Connection[] = [];
  const connect = async () => {
    const connection = new Connection({ ...config, query_timeout: config.connectionTimeoutMillis });
    connections.push(connection);
    await connection.connect();
    return connection;
  };
  try {
    const first = await connect();
    // Each client is told a number for cancelling its statements. A server tells that of its process, a pooler one of its own.
    if ((await stateOf(first)).pid === first.processID) return undefined;
    // A pooler that keeps sessions need not have more server connections than the gateway will use.
    while (connections.length < Math.max(2, Math.min(settings.poolSize, maxSessions))) await connect();
    return await examine(
      connections.map((connection, index) => new Session(connection, index)),
      settings.statementTimeoutMs,
    );
  } finally {
    await Promise.all(connections.map((connection) => connection.end()));
  }
}

async function examine(sessions: Session[], statementTimeoutMs: number): Promise<Pooler> {
  for (const session of sessions) await session.look();
  let rounds = 0;
  do {
    await exchange(sessions);
    rounds += 1;
  } while (rounds < maxRounds && keepSessions(sessions));
  const keepsSessions = keepSessions(sessions);
  const issues: string[] = [];
  if (sessions.some(({ hasLostTransaction }) => hasLostTransaction)) {
    issues.push("It does not keep a transaction on one server connection: set `pool_mode = transaction` or `session`");
  }
  if (sessions.some(({ hasLostStatement }) => hasLostStatement)) {
    issues.push(
      keepsSessions
        ? "Its server connections keep the prepared statements of earlier clients: set `server_reset_query = DISCARD ALL`"
        : "It does not rename prepared statements, so that those of different clients would be mixed up: " +
            "use PgBouncer 1.21 or newer with `max_prepared_statements = 200`, or set `pool_mode = session`",
    );
  }
  const settings = issuesOf(
    sessions.flatMap(({ states }) => states),
    statementTimeoutMs,
  );
  return { keepsSessions, issues: [...issues, ...settings.map((issue) => `${issue}, and \`RECONNECT\` in PgBouncer's console`)] };
}

/** Whether each of the sessions had one server connection, and none that of another. */
function keepSessions(sessions: Session[]): boolean {
  const pids = sessions.map(({ states }) => new Set(states.map(({ pid }) => pid)));
  return (
    sessions.every(({ hasLostTransaction }) => !hasLostTransaction) &&
    pids.every(({ size }) => size === 1) &&
    new Set(pids.flatMap((each) => [...each])).size === sessions.length
  );
}

/**
 * Has the sessions hold server connections at once, and give these back in such an order that, unless the pooler keeps sessions, they
 * then get others: whether it next uses the connection that was given back last, or the one that has been idle for longest.
 */
async function exchange(sessions: Session[]): Promise<void> {
  const begun = await Promise.all(sessions.map(async (session) => ((await session.begin()) ? [session] : [])));
  for (const session of begun.flat()) await session.commit();
  for (const session of begun.flat()) {
    await session.look();
    await session.look();
  }
}

/** A client of the pooler that has prepared a statement of its own under the name that all use. */
class Session {
  readonly states: ServerState[] = [];
  /** Whether its prepared statement was not there, or was that of another client. */
  hasLostStatement = false;
  /** Whether the pooler refuses transactions. */
  hasLostTransaction = false;
  readonly #connection: Connection;
  readonly #index: number;

  constructor(connection: Connection, index: number) {
    this.#connection = connection;
    this.#index = index;
  }

  /** Runs the prepared statement, and has the server connection describe itself. */
  async look(): Promise<void> {
    try {
      const { rows } = await this.#connection.query({ name: preparedName, text: `SELECT ${this.#index} AS "index"` });
      if (rows[0]?.index !== this.#index) this.hasLostStatement = true;
    } catch (error) {
      if (!nameErrors.includes((error as pg.DatabaseError).code ?? "")) throw error;
      this.hasLostStatement = true;
    }
    this.states.push(await stateOf(this.#connection));
  }

  /** Begins a transaction, which holds a server connection. False if it gets none, because the pooler has fewer than there are sessions. */
  async begin(): Promise<boolean> {
    try {
      await this.#connection.query("BEGIN");
      return true;
    } catch (error) {
      const { message } = error as Error;
      // PgBouncer ends the connection: "transaction blocks not allowed in statement pooling mode".
      this.hasLostTransaction = /statement pooling/.test(message);
      if (!this.hasLostTransaction && message !== "Query read timeout") throw error;
      this.#connection.abandon(deadConnection("The pooler has no server connection for another transaction"));
      return false;
    }
  }

  async commit(): Promise<void> {
    await this.#connection.query("COMMIT");
  }
}
