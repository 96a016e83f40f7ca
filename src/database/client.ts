import { mkdir } from "node:fs/promises";
import path from "node:path";
import { PrismaPg } from "@prisma/adapter-pg";
import type pg from "pg";
import { Prisma, PrismaClient } from "../generated/prisma/client.js";
import type { ListWorkspaces } from "../platform/queues/workspace-turns.js";
import { DisposerStack } from "../platform/workers/disposer-stack.js";
import { clusterIssues, nodeSettingIssues } from "./cluster.js";
import { type FindCommitOutcome, findCommitOutcome, isThere } from "./commit-outcome.js";
import { Connection, type ConnectionConfig, type CreateConnection, runStatement } from "./connection.js";
import { ConnectionPool } from "./connection-pool.js";
import { withConstantWorkspace } from "./constant-workspace.js";
import type { ConnectionUsage } from "./database-metrics.js";
import { DirectStatements } from "./direct-statements.js";
import { lockDirectory } from "./directory-lock.js";
import { distributeTables } from "./distribute.js";
import { EmbeddedServer } from "./embedded-server.js";
import {
  type MigrationState,
  migrate,
  migrationState,
  migrationsDirectory,
  withSchemaLock,
} from "./migrate.js";
import { type MigrationConnection, migrationConnection } from "./migration-connection.js";
import { examineSession, findPooler, type Pooler } from "./pooler.js";
import { type RunRawTransaction, type RunStatement, withRawTransaction } from "./raw-transaction.js";
import { serverParameters } from "./session-settings.js";
import { StatementNames, statementName } from "./statement-names.js";
import { isInTransaction, type ReadStatement, type StatementText } from "./statement-text.js";
import { type ReplacedTimeZone, replacedTimeZones, updateTimeZones } from "./time-zones.js";
import { workspaceList } from "./workspace-list.js";

/**
 * Where the data is stored: on a PostgreSQL server, or in an embedded database in a
 * directory.
 */
export type DatabaseSettings = ServerSettings | { directory: string };

interface ServerSettings {
  url: string;
  poolSize: number;
  connectTimeoutMs: number;
  statementTimeoutMs: number;
  /** Where events are received by LISTEN; undefined if they are not. */
  listenUrl?: string;
}

/** The open database. */
export interface Database {
  prisma: PrismaClient;
  /**
   * Runs a transaction of raw statements directly on the driver, which takes 0.4 ms less
   * than to have Prisma begin and end it.
   */
  transact: RunRawTransaction;
  /**
   * Runs a statement directly on the driver, which costs a fraction of what Prisma does.
   * Timestamps are returned as dates.
   */
  read: ReadStatement;
  /**
   * Creates a connection to where events are received by LISTEN; undefined if they are
   * not.
   */
  createListener: CreateConnection | undefined;
  /** Finds out what became of a transaction whose COMMIT was not answered. */
  findCommitOutcome: FindCommitOutcome;
  embedded: boolean;
  /**
   * Lists those workspaces of a cluster that come next, whichever nodes are down; none on
   * a single server.
   */
  listWorkspaces: ListWorkspaces;
  connections: () => ConnectionUsage;
  /**
   * Which migrations the schema lacks, and which it has beyond those of this version;
   * throws if the database is unreachable.
   */
  migrationState(): Promise<MigrationState>;
  /**
   * The tables that the gateway's role may not read; throws if the database is
   * unreachable or lacks one.
   */
  unreadableTables(): Promise<string[]>;
  /**
   * Finds out which time zones of facilities are known, and stores by which zones their
   * times are told.
   */
  updateTimeZones(): Promise<void>;
  /** The time zones of facilities that are not known, and what stands for them. */
  replacedTimeZones(): Promise<ReplacedTimeZone[]>;
  close(): Promise<void>;
}

/**
 * After so long without traffic, the system begins to check every second whether the
 * server still answers.
 */
const keepAliveDelayMs = 10_000;

interface Observers {
  /** Called with each SQL statement that is run. */
  onStatement?: (sql: string) => void;
  /** Told how long each statement took, in milliseconds. */
  onStatementEnd?: (milliseconds: number) => void;
  /** Called when an idle connection is lost; the pool replaces it. */
  onConnectionLost: (error: Error) => void;
  /** Told what an operator should know of the database, which is used all the same. */
  onWarning?: (message: string) => void;
}

/**
 * Opens the database. An embedded one is migrated first; a server is migrated by
 * `npm run migrate`.
 */
export function openDatabase(settings: DatabaseSettings, observers: Observers): Promise<Database> {
  return "url" in settings ? openServer(settings, observers) : openEmbedded(settings.directory, observers);
}

async function openServer(settings: ServerSettings, observers: Observers): Promise<Database> {
  const { pool, isCluster, createListener, isDirect } = await openPool(settings, observers);
  const database = databaseOf(pool, isCluster, observers);
  const { read } = database;
  // The nodes of a cluster commit for themselves.
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

/**
 * What a database can do over the connections of a pool, whose server may be the
 * coordinator of a cluster.
 */
function databaseOf(
  pool: ConnectionPool,
  isCluster: boolean,
  observers: Observers,
): Omit<Database, "createListener" | "findCommitOutcome" | "embedded"> {
  // Prepared as those of requests are: where those fail, so does this.
  const query = async (text: string, values?: unknown[]) =>
    (await pool.query({ text, name: statementName(text), ...(values && { values }) })).rows as Record<
      string,
      unknown
    >[];
  const names = new StatementNames();
  const run: RunStatement = async (connection, { text, values }) => {
    observers.onStatement?.(text);
    // A cluster would plan what is prepared anew each time. Its coordinator has none of
    // the rows that a transaction locks.
    const [sent, name] = isCluster
      ? [text.replace(isInTransaction, "true"), undefined]
      : [text, names.of(text)];
    const { rows, rowCount } = await runStatement(connection, { text: sent, values }, name);
    return { rows, affected: rowCount ?? 0 };
  };
  const prisma = createClient(new PrismaPg(pool), new DirectStatements(run), observers);
  const read: ReadStatement = async <Row>(statement: StatementText) => {
    observers.onStatement?.(statement.text);
    const sent = isCluster ? withConstantWorkspace(statement) : statement;
    return (await runStatement(pool, sent, names.of(sent.text))).rows as Row[];
  };
  return {
    prisma,
    transact: (work, { timeout }) =>
      pool.transact((connection) => withRawTransaction({ connection, run, timeout }, work)),
    read,
    listWorkspaces: workspaceList({ read, isCluster }),
    connections: () => pool.usage,
    migrationState: () => migrationState(query),
    unreadableTables: async () => (await query(unreadableTables)).map(({ name }) => String(name)),
    updateTimeZones: () => updateTimeZones(query),
    replacedTimeZones: () => replacedTimeZones(query),
    close: async () => {
      await prisma.$disconnect();
      await pool.end();
    },
  };
}

const unreadableTables = `SELECT "name" FROM unnest('{${Object.keys(Prisma.ModelName)}}'::text[]) AS each("name")
  WHERE NOT has_table_privilege(quote_ident("name"), 'SELECT')`;

/**
 * Opens the pool, unless statements would fail over its connections or return something
 * else than asked for, or events would be lost.
 */
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
    `The database at ${withoutCredentials(url)} does not take the settings of connections:${asList(issues)}`,
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

/** Such a pooler drops notifications, and says nothing. */
const listenIssue =
  "It does not keep sessions, so that notifications (LISTEN) would be lost: " +
  "set DATABASE_LISTEN_URL to the server itself or to a pooler with `pool_mode = session`, or set REDIS_URL";

const asList = (issues: string[]) => issues.map((issue) => `\n- ${issue}.`).join("");

/** Where an embedded database keeps its files. */
export const embeddedDatabase = (directory: string): string => path.join(directory, "postgresql");

async function openEmbedded(directory: string, observers: Observers): Promise<Database> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const disposers = new DisposerStack();
  disposers.defer(await lockDirectory(directory));
  try {
    const server = await EmbeddedServer.start(embeddedDatabase(directory));
    disposers.defer(() => server.close());
    const pool = server.createPool(observers.onStatementEnd);
    const database = databaseOf(pool, false, observers);
    disposers.defer(database.close);
    await migrate(migrationConnection(pool));
    return {
      ...database,
      createListener: undefined,
      // It has no connections that could be lost; once it is closed, it cannot be asked.
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

function createClient(factory: PrismaPg, direct: DirectStatements, { onStatement }: Observers): PrismaClient {
  const adapter = direct.adapter(factory);
  if (!onStatement) return direct.client(new PrismaClient({ adapter, errorFormat: "minimal" }));
  const client = new PrismaClient({
    adapter,
    errorFormat: "minimal",
    log: [{ emit: "event", level: "query" }],
  });
  client.$on("query", ({ query }) => {
    if (!DirectStatements.isLookup(query)) onStatement(query);
  });
  return direct.client(client as unknown as PrismaClient);
}

/**
 * The configuration of connections whose sessions are as our statements need them. Behind
 * a pooler, the server has to set them so itself.
 */
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

/** The configuration of a connection to a PostgreSQL server. */
export function connectionConfig({ url, connectTimeoutMs }: ServerAddress): pg.ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: "camera-monitoring-gateway",
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelayMs,
  };
}

function connectionError(url: string, error: unknown, setting: string): Error {
  const reason =
    error instanceof AggregateError
      ? error.errors.map((each) => (each as Error).message).join("; ")
      : (error as Error).message;
  const failure = `Cannot connect to the database ${withoutCredentials(url)}: ${reason}`;
  // PgBouncer: "unsupported startup parameter: options", or "unsupported startup
  // parameter in options: lock_timeout".
  const [, parameter] = /unsupported startup parameter[^:]*: (\w+)/.exec(reason) ?? [];
  if (!parameter) return new Error(`${failure}. Check ${setting} and that PostgreSQL accepts connections.`);
  return new Error(
    `${failure}. Remove it from ${setting} and PGOPTIONS and set it with \`ALTER ROLE … SET …\`, or add ${parameter} to \`ignore_startup_parameters\` of PgBouncer.`,
  );
}

/**
 * The server and the database that a URL names; no more than its scheme if a slash in the
 * password makes the rest of it a path.
 */
function withoutCredentials(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return pathname.includes("@") ? `${protocol}//***` : `${protocol}//${host}${pathname}`;
}

/** What {@link migrateServer} did and found. */
interface Migrated {
  /** The names of the migrations that were applied. */
  applied: string[];
  /** The names of migrations of a later version. */
  later: string[];
  replaced: ReplacedTimeZone[];
}

/**
 * Applies missing migrations to the PostgreSQL server at `url`, and finds out which time
 * zones of facilities are known.
 */
export function migrateServer(url: string, report?: (message: string) => void): Promise<Migrated> {
  return withConnection(url, async (connection) => {
    const applied = await migrate(connection, migrationsDirectory, report);
    const { later } = await migrationState((sql) => connection.query(sql));
    await updateTimeZones(connection.query);
    return { applied, later, replaced: await replacedTimeZones(connection.query) };
  });
}

/**
 * Distributes those tables of the Citus cluster whose coordinator is at `url` that are
 * not distributed: all of them, or none if it fails or is interrupted. Returns a line
 * about each.
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
      // Should anything fail, the connection is closed before the end of the transaction.
      await connection.script("BEGIN");
      const lines = await distributeTables(connection);
      await connection.script("COMMIT");
      return lines;
    }),
  );
}

/** Runs work over a connection of its own to the PostgreSQL server at `url`. */
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
    client = new Connection(sessionConfig(settings, pooler));
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
