import { mkdir } from "node:fs/promises";
import path from "node:path";
import { PGlite, types } from "@electric-sql/pglite";
import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { PrismaPGlite } from "pglite-prisma-adapter";
import { type Prisma, PrismaClient } from "../generated/prisma/client.js";
import { DisposerStack } from "../platform/disposer-stack.js";
import { ConnectionPool } from "./connection-pool.js";
import { lockDirectory } from "./directory-lock.js";
import { type MigrationConnection, type MigrationState, migrate, migrationState } from "./migrate.js";
import { StatementNames } from "./statement-names.js";

/** Where the data is stored: on a PostgreSQL server, or in an embedded database in a directory. */
export type DatabaseSettings = { url: string; poolSize: number; connectTimeoutMs: number; statementTimeoutMs: number } | { directory: string };

/** The open database. */
export interface Database {
  prisma: PrismaClient;
  /** Runs a statement directly on the driver, which costs a fraction of what Prisma does. Timestamps are returned as dates. */
  read: ReadStatement;
  embedded: boolean;
  /** Which migrations the schema lacks; throws if the database is unreachable. */
  migrationState(): Promise<MigrationState>;
  close(): Promise<void>;
}

/** Runs a read-only statement and returns its rows. */
export type ReadStatement = <Row>(statement: Prisma.Sql) => Promise<Row[]>;

/** After so long without traffic, the system begins to check every second whether the server still answers. */
const keepAliveDelayMs = 10_000;

interface Observers {
  /** Called with each SQL statement that is run. */
  onStatement?: (sql: string) => void;
  /** Called when an idle connection is lost; the pool replaces it. */
  onConnectionLost: (error: Error) => void;
}

/** Opens the database. An embedded one is migrated first; a server is migrated by `npm run migrate`. */
export function openDatabase(settings: DatabaseSettings, observers: Observers): Promise<Database> {
  return "url" in settings ? openServer(settings, observers) : openEmbedded(settings.directory, observers);
}

async function openServer(settings: Extract<DatabaseSettings, { url: string }>, observers: Observers): Promise<Database> {
  const pool = new ConnectionPool(connectionConfig(settings), { size: settings.poolSize, statementTimeoutMs: settings.statementTimeoutMs });
  pool.on("error", observers.onConnectionLost);
  const query = async (sql: string) => (await pool.query(sql)).rows as Record<string, unknown>[];
  try {
    await query("SELECT 1");
  } catch (error) {
    await pool.end();
    throw connectionError(settings.url, error);
  }
  const names = new StatementNames();
  const prisma = createClient(new PrismaPg(pool), observers);
  return {
    prisma,
    read: async <Row>({ text, values }: Prisma.Sql) => {
      observers.onStatement?.(text);
      const name = names.of(text);
      return (await pool.query({ text, values: [...values], ...(name && { name }) })).rows as Row[];
    },
    embedded: false,
    migrationState: () => migrationState(query),
    close: async () => {
      await prisma.$disconnect();
      await pool.end();
    },
  };
}

async function openEmbedded(directory: string, observers: Observers): Promise<Database> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const disposers = new DisposerStack();
  disposers.defer(await lockDirectory(directory));
  try {
    const server = await PGlite.create(path.join(directory, "postgresql"), { parsers });
    disposers.defer(() => server.close());
    const query = async (sql: string, parameters?: unknown[]) => (await server.query<Record<string, unknown>>(sql, parameters)).rows;
    await migrate({ query, script: async (sql) => void (await server.exec(sql)) });
    // Prisma's adapters exchange timestamps with the database without their time zone.
    await server.exec("SET TIME ZONE 'UTC'");
    const prisma = createClient(new PrismaPGlite(server), observers);
    disposers.defer(() => prisma.$disconnect());
    return {
      prisma,
      read: async <Row>({ text, values }: Prisma.Sql) => {
        observers.onStatement?.(text);
        return (await server.query<Row>(text, [...values])).rows;
      },
      embedded: true,
      migrationState: () => migrationState(query),
      close: () => disposers.dispose(),
    };
  } catch (error) {
    await disposers.dispose();
    throw error;
  }
}

// Parsers of the database, because those of a single query are merged with all others each time, which takes 0.1 ms.
/** `Date` takes the years 0 to 99 for those of the 20th and 21st centuries unless they are in ISO 8601. */
const parsers = { [types.TIMESTAMPTZ]: (text: string) => new Date(`${text.replace(" ", "T")}:00`) };

function createClient(adapter: PrismaPg | PrismaPGlite, observers: Observers): PrismaClient {
  const { onStatement } = observers;
  if (!onStatement) return new PrismaClient({ adapter, errorFormat: "minimal" });
  const client = new PrismaClient({ adapter, errorFormat: "minimal", log: [{ emit: "event", level: "query" }] });
  client.$on("query", (event) => onStatement(event.query));
  return client as unknown as PrismaClient;
}

/** The configuration of a connection to a PostgreSQL server. */
export function connectionConfig(settings: { url: string; connectTimeoutMs: number }): pg.ClientConfig {
  const url = new URL(settings.url);
  const urlOptions = url.searchParams.get("options") ?? "";
  // Options in the URL would take precedence over these.
  url.searchParams.delete("options");
  return {
    connectionString: url.href,
    connectionTimeoutMillis: settings.connectTimeoutMs,
    application_name: "camera-monitoring-gateway",
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelayMs,
    // Prisma's adapters exchange timestamps with the database without their time zone.
    options: `${urlOptions} -c timezone=UTC`.trim(),
  };
}

function connectionError(url: string, error: unknown): Error {
  const reason = error instanceof AggregateError ? error.errors.map((each) => (each as Error).message).join("; ") : (error as Error).message;
  const { protocol, host, pathname } = new URL(url);
  return new Error(
    `Cannot connect to the database ${protocol}//${host}${pathname}: ${reason}. Check DATABASE_URL and that PostgreSQL accepts connections.`,
  );
}

/** Applies missing migrations to the PostgreSQL server at `url`; returns their names. */
export function migrateServer(url: string): Promise<string[]> {
  return withConnection(url, migrate);
}

/** Runs work over a connection of its own to the PostgreSQL server at `url`. */
export async function withConnection<Result>(url: string, work: (connection: MigrationConnection) => Promise<Result>): Promise<Result> {
  const client = new pg.Client(connectionConfig({ url, connectTimeoutMs: 10_000 }));
  try {
    await client.connect();
  } catch (error) {
    throw connectionError(url, error);
  }
  try {
    return await work({
      query: async (sql, parameters) => (await client.query(sql, parameters)).rows,
      script: async (sql) => void (await client.query(sql)),
    });
  } finally {
    await client.end();
  }
}
