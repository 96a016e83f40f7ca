import { mkdir } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PrismaPg } from "@prisma/adapter-pg";
import type pg from "pg";
import { Prisma, PrismaClient } from "../../generated/prisma/client.js";
import { DisposerStack } from "../../platform/disposer-stack.js";
import { messageOf } from "../../platform/thrown.js";
import type { ListWorkspaces } from "../leases/workspace-turns.js";
import { clusterIssues, nodeSettingIssues } from "./cluster/cluster.js";
import { withConstantWorkspace } from "./cluster/constant-workspace.js";
import { distributeTables } from "./cluster/distribute.js";
import { type FindCommitOutcome, findCommitOutcome, isThere } from "./commit-outcome.js";
import { Connection, type ConnectionConfig, type CreateConnection, runStatement } from "./connection.js";
import { ConnectionPool } from "./connection-pool.js";
import type { ConnectionUsage } from "./database-metrics.js";
import { lockDirectory } from "./directory-lock.js";
import { EmbeddedServer } from "./embedded-server.js";
import {
  type MigrationState,
  migrate,
  migrationState,
  migrationsDirectory,
  withSchemaLock,
} from "./migrate.js";
import { type MigrationConnection, migrationConnection } from "./migration-connection.js";
import { ModelTransactions } from "./model-transactions.js";
import { examineSession, findPooler, type Pooler } from "./pooler.js";
import { serverParameters } from "./session-settings.js";
import { StatementNames, statementName } from "./statement-names.js";
import { isInTransaction, type ReadStatement } from "./statement-text.js";
import { type ReplacedTimeZone, replacedTimeZones, updateTimeZones } from "./time-zones.js";
import { OpenTransaction, type RunStatement, type Transact } from "./transaction.js";

const pageSize = 1_000;

/**
 * Lists the workspaces of a cluster that have users or API keys. The coordinator holds these look-ups, so
 * they can be read while another node is down. A single server lists none: if it is too busy to list
 * workspaces, asking for each would not help.
 */
function workspaceList({ read, isCluster }: { read: ReadStatement; isCluster: boolean }): ListWorkspaces {
  return async (following) => {
    if (!isCluster) return [];
    const follows =
      "gt" in following ? Prisma.sql`> ${following.gt}::uuid` : Prisma.sql`>= ${following.gte}::uuid`;
    const rows = await read<{ workspaceId: string }>(Prisma.sql`
      SELECT "workspaceId" FROM "AuthIdLookup" WHERE "workspaceId" ${follows}
      UNION SELECT "workspaceId" FROM "ApiKeyLookup" WHERE "workspaceId" ${follows}
      ORDER BY "workspaceId" LIMIT ${pageSize}::int`);
    return rows.map(({ workspaceId }) => workspaceId);
  };
}

export type DatabaseSettings = ServerSettings | { directory: string };

interface ServerSettings {
  url: string;
  poolSize: number;
  connectTimeoutMs: number;
  statementTimeoutMs: number;
  /** The address to LISTEN at for events; undefined if the gateway does not listen. */
  listenUrl?: string;
}

/** The storage of the gateway: a PostgreSQL server, a Citus cluster, or an embedded database in a directory. */
export interface Database {
  /** Prisma's models outside of transactions. */
  prisma: PrismaClient;
  transact: Transact;
  /** Runs a statement directly on the driver, at a fraction of Prisma's cost. Timestamps are returned as dates. */
  read: ReadStatement;
  /** Creates a connection that can LISTEN for events; undefined if the gateway does not listen. */
  createListener: CreateConnection | undefined;
  /** Finds the outcome of a transaction whose COMMIT got no answer. */
  findCommitOutcome: FindCommitOutcome;
  embedded: boolean;
  /** Lists the next workspaces of a cluster, whichever nodes are down. On a single server, the list is empty. */
  listWorkspaces: ListWorkspaces;
  connections: () => ConnectionUsage;
  /** The migrations that the schema lacks or a later version applied. Throws if the database is unreachable. */
  migrationState(): Promise<MigrationState>;
  /** The tables that the gateway's role may not read. Throws if the database is unreachable or lacks a table. */
  unreadableTables(): Promise<string[]>;
  /** Checks which time zones of facilities are known, and stores the zone to use for each. */
  updateTimeZones(): Promise<void>;
  /** The unknown time zones of facilities, each with its replacement. */
  replacedTimeZones(): Promise<ReplacedTimeZone[]>;
  close(): Promise<void>;
}

/** After this time without traffic, the system checks every second whether the server still answers. */
const keepAliveDelayMs = 10_000;

interface Observers {
  /** Receives each SQL statement before the statement runs. */
  onStatement?: (sql: string) => void;
  onStatementEnd?: (milliseconds: number) => void;
  /** Receives the error of a lost idle connection, which the pool replaces. */
  onConnectionLost: (error: Error) => void;
  /** Answers programs that may use the directory of an embedded database. */
  answer?: (prisma: PrismaClient, question: string) => Promise<string>;
  /** Receives warnings for the operator about a database that the gateway uses all the same. */
  onWarning?: (message: string) => void;
}

/** Opens the database. An embedded database is migrated first; `npm run migrate` migrates a server. */
export function openDatabase(settings: DatabaseSettings, observers: Observers): Promise<Database> {
  return "url" in settings ? openServer(settings, observers) : openEmbedded(settings.directory, observers);
}

async function openServer(settings: ServerSettings, observers: Observers): Promise<Database> {
  const { pool, isCluster, createListener, isDirect } = await openPool(settings, observers);
  const database = databaseOf(pool, isCluster, observers);
  const { read } = database;
  // Do not rely on process ids on a cluster: its nodes commit on their own.
  const server = {
    read,
    timeoutMs: settings.connectTimeoutMs,
    hasOwnProcesses: isDirect && !isCluster,
    isClosed: () => pool.ending,
  };
  return {
    ...database,
    createListener,
    findCommitOutcome: (processId, entry) => findCommitOutcome(server, processId, entry),
    embedded: false,
  };
}

/** The operations of a database over a pool, whose server may be the coordinator of a cluster. */
function databaseOf(
  pool: ConnectionPool,
  isCluster: boolean,
  observers: Observers,
): Omit<Database, "createListener" | "findCommitOutcome" | "embedded"> {
  // Prepared like the statements of requests, so that both fail in the same environments.
  const query = async <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) =>
    (await pool.query<Row>({ text, name: statementName(text), ...(values && { values }) })).rows;
  const names = new StatementNames();
  const run: RunStatement = async (connection, { text, values }) => {
    observers.onStatement?.(text);
    // Prepare nothing on a cluster, which would plan a prepared statement anew each time. Drop the condition there,
    // too: the coordinator holds no rows that a transaction locks.
    const [sent, name] = isCluster
      ? [text.replace(isInTransaction, "true"), undefined]
      : [text, names.of(text)];
    const { rows, rowCount } = await runStatement(connection, { text: sent, values }, name);
    return { rows, affected: rowCount ?? 0 };
  };
  const prisma = createClient(pool, observers);
  const models = new ModelTransactions(observers.onStatement);
  const read: ReadStatement = async (statement) => {
    observers.onStatement?.(statement.text);
    const sent = isCluster ? withConstantWorkspace(statement) : statement;
    return (await runStatement(pool, sent, names.of(sent.text))).rows;
  };
  return {
    prisma,
    transact: (work, { timeout } = { timeout: 20_000 }) =>
      pool.transact((connection) => new OpenTransaction(connection, timeout).run(run, models.begin, work)),
    read,
    listWorkspaces: workspaceList({ read, isCluster }),
    connections: () => pool.usage,
    migrationState: () => migrationState(query),
    unreadableTables: async () => (await query(unreadableTables)).map(({ name }) => String(name)),
    updateTimeZones: () => updateTimeZones(query),
    replacedTimeZones: () => replacedTimeZones(query),
    close: async () => {
      await Promise.all([prisma.$disconnect(), models.close()]);
      await pool.end();
    },
  };
}

const unreadableTables = `SELECT "name" FROM unnest('{${Object.keys(Prisma.ModelName)}}'::text[]) AS each("name")
  WHERE NOT has_table_privilege(quote_ident("name"), 'SELECT')`;

/** Opens the pool. Refuses if statements would fail or return wrong results, or if events would be lost. */
async function openPool(
  settings: ServerSettings,
  { onStatementEnd, onConnectionLost, onWarning }: Observers,
): Promise<{
  pool: ConnectionPool;
  isCluster: boolean;
  createListener: CreateConnection | undefined;
  isDirect: boolean;
}> {
  const { url, poolSize, connectTimeoutMs, statementTimeoutMs, listenUrl = url } = settings;
  const pooler = await poolerAt(settings, "DATABASE_URL");
  const refusals: string[] = [];
  if (pooler && pooler.issues.length > 0) {
    refusals.push(
      `The database cannot be used through the pooler at ${withoutCredentials(url)}:${asList(pooler.issues)}`,
    );
  }
  const listener =
    listenUrl === url
      ? pooler
      : await poolerAt(
          { url: listenUrl, connectTimeoutMs, poolSize: 1, statementTimeoutMs: 0 },
          "DATABASE_LISTEN_URL",
        );
  if (settings.listenUrl && listener && !listener.keepsSessions) {
    refusals.push(
      `Events cannot be received through the pooler at ${withoutCredentials(listenUrl)}:${asList([listenIssue])}`,
    );
  }
  if (refusals.length > 0) throw new Error(refusals.join("\n"));
  const pool = new ConnectionPool(sessionConfig(settings, pooler), {
    size: poolSize,
    statementTimeoutMs,
    onStatementEnd,
  });
  pool.on("error", onConnectionLost);
  const issues: string[] = [];
  try {
    const session = await examineSession(pool, statementTimeoutMs);
    const isCluster = (await pool.query("SELECT FROM pg_extension WHERE extname = 'citus'")).rowCount === 1;
    issues.push(
      ...session.issues,
      ...(isCluster ? await nodeSettingIssues(async (text) => (await pool.query(text)).rows) : []),
    );
    if (session.mayLoseCommits) onWarning?.(mayLoseCommitsWarning);
    const listenerConfig = sessionConfig({ ...settings, url: listenUrl, statementTimeoutMs: 0 }, listener);
    const createListener = settings.listenUrl
      ? (own: pg.ClientConfig) => new Connection({ ...listenerConfig, ...own })
      : undefined;
    if (issues.length === 0) return { pool, isCluster, createListener, isDirect: pooler === undefined };
  } catch (error) {
    await pool.end();
    throw connectionError(url, error, "DATABASE_URL");
  }
  await pool.end();
  throw unsuitableSessions(url, issues);
}

const unsuitableSessions = (url: string, issues: string[]) =>
  new Error(
    `The database at ${withoutCredentials(url)} does not accept the connection settings:${asList(issues)}`,
  );

const mayLoseCommitsWarning =
  "synchronous_commit is off: should the database server crash, it may lose alerts that were answered as recorded; " +
  "`ALTER ROLE … SET synchronous_commit = on` prevents that";

/** Finds a pooler at the address of a setting. */
function poolerAt(settings: ServerSettings, setting: string): Promise<Pooler | undefined> {
  return findPooler(connectionConfig(settings), settings).catch((error) =>
    Promise.reject(connectionError(settings.url, error, setting)),
  );
}

/** What is wrong with such a pooler, which drops notifications silently. */
const listenIssue =
  "It does not keep sessions, so that notifications (LISTEN) would be lost: " +
  "set DATABASE_LISTEN_URL to the server itself or to a pooler with `pool_mode = session`, or set REDIS_URL";

const asList = (issues: string[]) => issues.map((issue) => `\n- ${issue}.`).join("");

export const embeddedDatabase = (directory: string): string => path.join(directory, "postgresql");

async function openEmbedded(directory: string, observers: Observers): Promise<Database> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const disposers = new DisposerStack();
  let prisma: PrismaClient | undefined;
  const answer = async (question: string) => (prisma && (await observers.answer?.(prisma, question))) ?? "";
  disposers.defer(await lockDirectory(directory, answer));
  try {
    const server = await EmbeddedServer.start(embeddedDatabase(directory));
    disposers.defer(() => server.close());
    const pool = server.createPool(observers.onStatementEnd);
    const database = databaseOf(pool, false, observers);
    disposers.defer(database.close);
    await migrate(migrationConnection(pool));
    ({ prisma } = database);
    return {
      ...database,
      createListener: undefined,
      // An embedded database has no connections to lose. A closed one cannot be asked.
      findCommitOutcome: async (_processId, entry) =>
        server.isClosed ? "unknown" : (await isThere(database.read, entry)) ? "committed" : "rolled back",
      embedded: true,
      close: () => disposers.dispose(),
    };
  } catch (error) {
    await disposers.dispose();
    throw error;
  }
}

function createClient(pool: ConnectionPool, { onStatement }: Observers): PrismaClient {
  const adapter = new PrismaPg(pool);
  if (!onStatement) return new PrismaClient({ adapter, errorFormat: "minimal" });
  const client = new PrismaClient({
    adapter,
    errorFormat: "minimal",
    log: [{ emit: "event", level: "query" }],
  });
  client.$on("query", ({ query }) => onStatement(query));
  return client as PrismaClient;
}

/** The configuration of sessions that suit our statements. Behind a pooler, the server must have these settings. */
const sessionConfig = (
  settings: ServerAddress & { statementTimeoutMs: number },
  pooler: Pooler | undefined,
): ConnectionConfig => ({
  ...connectionConfig(settings),
  serverParameters: pooler ? undefined : serverParameters(settings.statementTimeoutMs),
});

interface ServerAddress {
  url: string;
  connectTimeoutMs: number;
}

/** What the sessions of a gateway are called that run its statements. */
const applicationName = "camera-monitoring-gateway";

export function connectionConfig({ url, connectTimeoutMs }: ServerAddress): pg.ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: applicationName,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelayMs,
  };
}

function connectionError(url: string, error: unknown, setting: string): Error {
  const reason = error instanceof AggregateError ? error.errors.map(messageOf).join("; ") : messageOf(error);
  const failure = `Cannot connect to the database ${withoutCredentials(url)}: ${reason}`;
  // PgBouncer: "unsupported startup parameter: options", or "… in options: lock_timeout".
  const [, parameter] = /unsupported startup parameter[^:]*: (\w+)/.exec(reason) ?? [];
  if (!parameter) return new Error(`${failure}. Check ${setting} and that PostgreSQL accepts connections.`);
  return new Error(
    `${failure}. Remove it from ${setting} and PGOPTIONS and set it with \`ALTER ROLE … SET …\`, or add ${parameter} to \`ignore_startup_parameters\` of PgBouncer.`,
  );
}

/**
 * The server and the database of a URL. Only its scheme if the rest may hold a password: a slash in a password makes
 * the remainder of the URL a path.
 */
function withoutCredentials(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return pathname.includes("@") ? `${protocol}//***` : `${protocol}//${host}${pathname}`;
}

interface Migrated {
  applied: string[];
  /** The names of the migrations that a later version applied. */
  later: string[];
  replaced: ReplacedTimeZone[];
}

/**
 * Applies missing migrations to the PostgreSQL server at `url`, and checks which time zones of facilities are known.
 */
export function migrateServer(url: string, report?: (message: string) => void): Promise<Migrated> {
  return withConnection(url, async (connection) => {
    const applied = await migrate(connection, migrationsDirectory, report);
    if (applied.length > 0) await endEarlierSessions(connection);
    const { later } = await migrationState((sql) => connection.query(sql));
    await updateTimeZones(connection.query);
    return { applied, later, replaced: await replacedTimeZones(connection.query) };
  });
}

/** How often and at what intervals sessions are asked for that were busy before. */
const lookForSessions = { times: 20, intervalMs: 100 };

/**
 * Ends the sessions of running instances once they are idle: they prepared statements for the schema of before, and
 * PostgreSQL no longer runs those whose result has got other columns. The instances open new ones. Whatever is still
 * busy after some seconds stays.
 */
async function endEarlierSessions(connection: MigrationConnection): Promise<void> {
  const [{ now } = {}] = await connection.query<{ now: string }>("SELECT clock_timestamp()::text AS now");
  for (let time = 0; time < lookForSessions.times; time += 1) {
    const [{ left } = {}] = await connection.query<{ left: number }>(
      `SELECT count(CASE WHEN state = 'idle' THEN pg_terminate_backend(pid) END) AS ended, count(*)::int AS left
      FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()
        AND usename = current_user AND pid <> pg_backend_pid() AND backend_start < $2::timestamptz`,
      [applicationName, now],
    );
    if (!left) return;
    await sleep(lookForSessions.intervalMs);
  }
}

/**
 * Distributes the tables that the Citus cluster with its coordinator at `url` has not distributed yet. A failure or an
 * interruption leaves all tables unchanged. Returns a line about each table.
 */
export function distributeServer(
  url: string,
  report: (message: string) => void = () => {},
): Promise<string[]> {
  return withConnection(url, (connection) =>
    withSchemaLock(connection, report, async () => {
      const issues = await clusterIssues(connection.query);
      if (issues.length > 0) throw new Error(issues.join("\n"));
      const { missing } = await migrationState(connection.query);
      if (missing.length > 0) throw new Error("The database lacks migrations; run `npm run migrate` first");
      // On failure, the connection closes before the transaction ends, so nothing is committed.
      await connection.script("BEGIN");
      const lines = await distributeTables(connection);
      await connection.script("COMMIT");
      return lines;
    }),
  );
}

/** Runs work over a separate connection to the PostgreSQL server at `url`. */
export async function withConnection<Result>(
  url: string,
  work: (connection: MigrationConnection) => Promise<Result>,
): Promise<Result> {
  const settings = { url, connectTimeoutMs: 10_000, statementTimeoutMs: 0 };
  let pooler: Pooler | undefined;
  let client: Connection;
  let issues: string[];
  try {
    pooler = await findPooler(connectionConfig(settings), { poolSize: 1, statementTimeoutMs: 0 });
    const config = sessionConfig(settings, pooler);
    client = new Connection({ ...config, application_name: `${applicationName} command` });
    await client.connect();
    issues = (await examineSession(client, 0)).issues;
  } catch (error) {
    throw connectionError(url, error, "DATABASE_URL");
  }
  try {
    if (issues.length > 0) throw unsuitableSessions(url, issues);
    if (pooler && !pooler.keepsSessions) {
      throw new Error(
        `The pooler at ${withoutCredentials(url)} does not keep sessions: run this command with the DATABASE_URL of the server itself.`,
      );
    }
    return await work(migrationConnection(client));
  } finally {
    await client.end();
  }
}
