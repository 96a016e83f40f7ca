import pg from "pg";
import { defined } from "../../platform/defined.js";
import { codeOf, messageOf } from "../../platform/thrown.js";
import { Connection, deadConnection } from "./connection.js";
import {
  mayLoseCommits,
  type SessionState,
  serverParameters,
  sessionIssues,
  sessionStateQuery,
  timeoutIssues,
} from "./session-settings.js";

/** A connection pooler, such as PgBouncer, between the gateway and the PostgreSQL server. */
export interface Pooler {
  /** Whether a client keeps its server connection while connected, as with `pool_mode = session`. */
  keepsSessions: boolean;
  /** The reasons why the gateway cannot work through the pooler, each with its remedy. */
  issues: string[];
}

interface Queryable {
  query<Row extends pg.QueryResultRow>(config: pg.QueryConfig): Promise<pg.QueryResult<Row>>;
}

/** The number of connections to compare. A pooler of several processes may serve two connections separately. */
const maxSessions = 4;
const maxRounds = 3;
const preparedName = "gateway_pooler_check";

/** The prepared statement does not exist, or its name is already taken. */
const nameErrors = ["26000", "42P05"];

async function stateOf(connection: Queryable): Promise<SessionState> {
  const { rows } = await connection.query<SessionState>({ text: sessionStateQuery });
  return defined(rows[0]);
}

/** Why our statements cannot run in a session of the gateway's pool, and whether the session may lose commits. */
export async function examineSession(
  connection: Queryable,
  statementTimeoutMs: number,
): Promise<{ issues: string[]; mayLoseCommits: boolean }> {
  const state = await stateOf(connection);
  return { issues: issuesOf([state], statementTimeoutMs), mayLoseCommits: mayLoseCommits(state) };
}

function issuesOf(states: SessionState[], statementTimeoutMs: number): string[] {
  const issues = new Map(
    states.flatMap((state) => [...sessionIssues(state), ...timeoutIssues(state, statementTimeoutMs)]),
  );
  return [...issues.values()];
}

/**
 * Finds out whether a pooler sits between the gateway and the server, and whether the gateway can work through it.
 * Undefined without a pooler. Observes how connections behave, because poolers do not tell clients their configuration.
 */
export async function findPooler(
  config: pg.ClientConfig,
  settings: { poolSize: number; statementTimeoutMs: number },
): Promise<Pooler | undefined> {
  const connections: Connection[] = [];
  const connect = async (parameters?: Record<string, string>) => {
    const connection = new Connection({
      ...config,
      query_timeout: config.connectionTimeoutMillis,
      serverParameters: parameters,
    });
    connections.push(connection);
    await connection.connect();
    return connection;
  };
  try {
    const first = await connect(serverParameters(settings.statementTimeoutMs)).catch((error) => {
      if (!isRefusal(error)) throw error;
      connections.pop();
      return connect();
    });
    // Each client receives a number for cancelling statements: of a server its process id, of a pooler one of its own.
    if ((await stateOf(first)).pid === first.processID) return undefined;
    // Open no more connections than the gateway will: a pooler that keeps sessions need not have more.
    while (connections.length < Math.max(2, Math.min(settings.poolSize, maxSessions))) await connect();
    return await examine(
      connections.map((connection, index) => new Session(connection, index)),
      settings.statementTimeoutMs,
    );
  } finally {
    await Promise.all(connections.map((connection) => connection.end()));
  }
}

/** Whether a pooler refused the startup parameters of a connection, rather than its credentials or its database. */
const isRefusal = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && !/^(28|3D|53|57)/.test(error.code ?? "");

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
    issues.push(
      "It does not keep a transaction on one server connection: set `pool_mode = transaction` or `session`",
    );
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
  return {
    keepsSessions,
    issues: [...issues, ...settings.map((issue) => `${issue}, and \`RECONNECT\` in PgBouncer's console`)],
  };
}

/** Whether each session kept one server connection and shared it with no other session. */
function keepSessions(sessions: Session[]): boolean {
  const pids = sessions.map(({ states }) => new Set(states.map(({ pid }) => pid)));
  return (
    sessions.every(({ hasLostTransaction }) => !hasLostTransaction) &&
    pids.every(({ size }) => size === 1) &&
    new Set(pids.flatMap((each) => [...each])).size === sessions.length
  );
}

/**
 * Makes all sessions hold server connections at once, then release them in a certain order. Unless the pooler keeps
 * sessions, the sessions then get other connections, whether the pooler prefers the one released last or the one idle
 * for longest.
 */
async function exchange(sessions: Session[]): Promise<void> {
  const begun = await Promise.all(
    sessions.map(async (session) => ((await session.begin()) ? [session] : [])),
  );
  for (const session of begun.flat()) await session.commit();
  for (const session of begun.flat()) {
    await session.look();
    await session.look();
  }
}

/** A client of the pooler that prepares its own statement under a name that all clients share. */
class Session {
  readonly states: SessionState[] = [];
  /** Whether the prepared statement was missing or another client's. */
  hasLostStatement = false;
  /** Whether the pooler refuses transactions. */
  hasLostTransaction = false;
  readonly #connection: Connection;
  readonly #index: number;

  constructor(connection: Connection, index: number) {
    this.#connection = connection;
    this.#index = index;
  }

  /** Runs the prepared statement, and reads the state of the server connection. */
  async look(): Promise<void> {
    try {
      const { rows } = await this.#connection.query({
        name: preparedName,
        text: `SELECT ${this.#index} AS "index"`,
      });
      if (rows[0]?.index !== this.#index) this.hasLostStatement = true;
    } catch (error) {
      if (!nameErrors.includes(codeOf(error))) throw error;
      this.hasLostStatement = true;
    }
    this.states.push(await stateOf(this.#connection));
  }

  /** Begins a transaction, which holds a server connection. False if the pooler has fewer connections than sessions. */
  async begin(): Promise<boolean> {
    try {
      await this.#connection.query("BEGIN");
      return true;
    } catch (error) {
      const message = messageOf(error);
      // PgBouncer: "transaction blocks not allowed in statement pooling mode".
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
