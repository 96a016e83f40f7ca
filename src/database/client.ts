import { mkdir } from "node:fs/promises";
import path from "node:path";
import { PGlite, types } from "@electric-sql/pglite";
import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { PrismaPGlite } from "pglite-prisma-adapter";
import { type Prisma, PrismaClient } from "../generated/prisma/client.js";
import { lockDirectory } from "./directory-lock.js";
import { type MigrationState, migrate, migrationState } from "./migrate.js";
import { StatementNames } from "./statement-names.js";

/** Where the data lives: a PostgreSQL server, or an embedded one in a directory of our own. */
export type DatabaseSettings = { url: string; poolSize: number; connectTimeout: number; statementTimeout: number } | { directory: string };

/** The open database. */
export interface Database {
  prisma: PrismaClient;
  /** Runs one statement of ours without Prisma in between, which costs several times as much as the driver. Moments come as dates. */
  read: ReadStatement;
  embedded: boolean;
  /** How the schema stands against our migrations; throws when the database is away. */
  migrationState(): Promise<MigrationState>;
  close(): Promise<void>;
}

/** Runs a statement that only reads, and answers its rows. */
export type ReadStatement = <Row>(statement: Prisma.Sql) => Promise<Row[]>;

interface Observers {
  /** Called with each SQL statement that is run. */
  onStatement?: (sql: string) => void;
  /** Called when an idle connection breaks; the pool replaces it. */
  onConnectionLost: (error: Error) => void;
}

/** Opens the database. The embedded one is migrated on the way; a server is migrated by `npm run migrate`. */
export function openDatabase(settings: DatabaseSettings, observers: Observers): Promise<Database> {
  return "url" in settings ? openServer(settings, observers) : openEmbedded(settings.directory, observers);
}

async function openServer(settings: Extract<DatabaseSettings, { url: string }>, observers: Observers): Promise<Database> {
  const pool = new pg.Pool({ ...connectionConfig(settings), max: settings.poolSize, statement_timeout: settings.statementTimeout });
  pool.on("error", observers.onConnectionLost);
  // Whoever takes a connection listens to it a moment later. Were it lost in between, nobody would hear, and the process would
  // end; so its next statement tells.
  pool.on("connect", (client) => client.on("error", () => {}));
  const query = async (sql: string) => (await pool.query(sql)).rows as Record<string, unknown>[];
  try {
    await query("SELECT 1");
  } catch (error) {
    await pool.end();
    throw unreachable(settings.url, error);
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
  const unlock = await lockDirectory(directory);
  try {
    const server = await PGlite.create(path.join(directory, "postgresql"));
    const query = async (sql: string, parameters?: unknown[]) => (await server.query<Record<string, unknown>>(sql, parameters)).rows;
    await migrate({ query, script: async (sql) => void (await server.exec(sql)) });
    // Times travel without their zone between Prisma's adapters and the database.
    await server.exec("SET TIME ZONE 'UTC'");
    const prisma = createClient(new PrismaPGlite(server), observers);
    return {
      prisma,
      read: async <Row>({ text, values }: Prisma.Sql) => {
        observers.onStatement?.(text);
        return (await server.query<Row>(text, [...values], { parsers })).rows;
      },
      embedded: true,
      migrationState: () => migrationState(query),
      close: async () => {
        await prisma.$disconnect();
        await server.close();
        await unlock();
      },
    };
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** JavaScript takes the first hundred years for those of this century unless they are written as ISO 8601. */
const parsers = { [types.TIMESTAMPTZ]: (text: string) => new Date(`${text.replace(" ", "T")}:00`) };

function createClient(adapter: PrismaPg | PrismaPGlite, observers: Observers): PrismaClient {
  const { onStatement } = observers;
  if (!onStatement) return new PrismaClient({ adapter, errorFormat: "minimal" });
  const client = new PrismaClient({ adapter, errorFormat: "minimal", log: [{ emit: "event", level: "query" }] });
  client.$on("query", (event) => onStatement(event.query));
  return client as unknown as PrismaClient;
}

/** How a connection to the server at an address is opened. */
export function connectionConfig(settings: { url: string; connectTimeout: number }): pg.ClientConfig {
  const url = new URL(settings.url);
  const givenOptions = url.searchParams.get("options") ?? "";
  // Options in the address would replace ours.
  url.searchParams.delete("options");
  return {
    connectionString: url.href,
    connectionTimeoutMillis: settings.connectTimeout,
    application_name: "camera-monitoring-gateway",
    keepAlive: true,
    // Times travel without their zone between Prisma's adapters and the database.
    options: `${givenOptions} -c timezone=UTC`.trim(),
  };
}

function unreachable(url: string, error: unknown): Error {
  const reason = error instanceof AggregateError ? error.errors.map((each) => (each as Error).message).join("; ") : (error as Error).message;
  const { protocol, host, pathname } = new URL(url);
  return new Error(`Cannot use the database ${protocol}//${host}${pathname}: ${reason}. Check DATABASE_URL and that PostgreSQL accepts connections.`);
}

/** Brings the PostgreSQL server at `url` up to date, on a connection of its own; answers the names of what was applied. */
export async function migrateServer(url: string): Promise<string[]> {
  const client = new pg.Client(connectionConfig({ url, connectTimeout: 10_000 }));
  try {
    await client.connect();
  } catch (error) {
    throw unreachable(url, error);
  }
  try {
    return await migrate({
      query: async (sql, parameters) => (await client.query(sql, parameters)).rows,
      script: async (sql) => void (await client.query(sql)),
    });
  } finally {
    await client.end();
  }
}
