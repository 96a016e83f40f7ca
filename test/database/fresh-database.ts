import { randomUUID } from "node:crypto";
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { inject } from "vitest";
import { migrationsDirectory } from "../../src/engine/database/migrate.js";
import {
  type MigrationConnection,
  migrationConnection,
} from "../../src/engine/database/migration-connection.js";
import { createDatabase, dropDatabase } from "../support/databases.js";
import { dataForTest, freshData } from "../support/harness.js";

/**
 * Creates an empty database on the test server. Returns its URL. Dropped after the
 * current test.
 */
export async function emptyServerDatabase(): Promise<string> {
  const { url, remove } = await createServerDatabase();
  onTestFinished(remove);
  return url;
}

async function createServerDatabase(): Promise<{ url: string; remove: () => Promise<void> }> {
  const { server } = inject("resources");
  if (!server) throw new Error("There is no server in this project");
  const name = `empty_${randomUUID().slice(0, 8)}`;
  return { url: await createDatabase(server, name), remove: () => dropDatabase(server, name) };
}

/** Connects to an empty database of the kind that the project uses. */
export async function emptyDatabase(): Promise<MigrationConnection> {
  if (!inject("resources").server) return connectionTo(await emptyEmbedded());
  const { connection, close } = await connectToServer(await emptyServerDatabase());
  // Runs before the database is dropped, as hooks run in reverse order.
  onTestFinished(close);
  return connection;
}

/** Connects to a database with our migrations, of the kind that the project uses. */
export async function migratedDatabase(): Promise<MigrationConnection> {
  const { DATABASE_URL, DATA_DIR } = await dataForTest();
  if (!DATABASE_URL) return connectionTo(await PGlite.create(path.join(DATA_DIR as string, "postgresql")));
  const { connection, close } = await connectToServer(DATABASE_URL);
  onTestFinished(close);
  return connection;
}

/**
 * Connects to an empty database of the kind that the project uses, on which a gateway
 * starts afterwards with `variables`.
 */
export async function openEmptyDatabase(directory: string) {
  const variables = { DATA_DIR: directory };
  if (!inject("resources").server) {
    const embedded = await emptyEmbedded(path.join(directory, "postgresql"));
    return {
      connection: connectionOf(embedded),
      variables,
      close: () => embedded.close(),
      remove: async () => {},
    };
  }
  const { url, remove } = await createServerDatabase();
  return { ...(await connectToServer(url)), variables: { ...variables, DATABASE_URL: url }, remove };
}

/** Connects to a database on the test server. */
export async function connectToServer(
  url: string,
): Promise<{ connection: MigrationConnection; close: () => Promise<void> }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return { connection: migrationConnection(client), close: () => client.end() };
}

let emptyDump: Promise<File | Blob> | undefined;

/**
 * An empty embedded database, copied from a shared one. In memory unless a directory is
 * given.
 */
export async function emptyEmbedded(dataDir?: string): Promise<PGlite> {
  emptyDump ??= dumpEmpty();
  return PGlite.create({ ...(dataDir && { dataDir }), loadDataDir: await emptyDump });
}

/**
 * Empties a copy of the template if there is one, since creating a database takes
 * seconds.
 */
async function dumpEmpty(): Promise<File | Blob> {
  const { variables, cleanUp } = inject("resources").server
    ? { variables: undefined, cleanUp: async () => {} }
    : await freshData("none");
  const server = variables
    ? await PGlite.create(path.join(variables.DATA_DIR as string, "postgresql"))
    : await PGlite.create();
  if (variables) await server.exec("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
  const dump = await server.dumpDataDir("none");
  await server.close();
  await cleanUp();
  return dump;
}

/** Connects to an embedded database. Closes it after the current test. */
export function connectionTo(server: PGlite): MigrationConnection {
  onTestFinished(() => server.close());
  return connectionOf(server);
}

function connectionOf(server: PGlite): MigrationConnection {
  return {
    query: async <Row>(sql: string, parameters?: unknown[]) =>
      (await server.query<Row>(sql, parameters)).rows,
    script: async (sql) => void (await server.exec(sql)),
  };
}

/**
 * Registers a clean-up: after the current test, unless the caller chooses another time.
 */
type Defer = (cleanUp: () => Promise<void>) => void;

/**
 * Creates a directory with our migrations and additional ones, removed after the test.
 */
export async function migrationsWith(additions: Record<string, string>): Promise<string> {
  const directory = await copyMigrations(() => true, onTestFinished);
  for (const [name, sql] of Object.entries(additions)) {
    await mkdir(path.join(directory, name), { recursive: true });
    await writeFile(path.join(directory, name, "migration.sql"), sql);
  }
  return directory;
}

/** Creates a directory with our migrations before another one. */
export const migrationsBefore = (name: string, defer: Defer = onTestFinished): Promise<string> =>
  copyMigrations((each) => each < name, defer);

async function copyMigrations(isWanted: (name: string) => boolean, defer: Defer): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), "gateway-migrations-"));
  defer(() => rm(directory, { recursive: true }));
  const isMigration = (source: string) =>
    path.dirname(source) === migrationsDirectory && /^\d/.test(path.basename(source));
  await cp(migrationsDirectory, directory, {
    recursive: true,
    filter: (source) => !isMigration(source) || isWanted(path.basename(source)),
  });
  return directory;
}

/** The names of our migrations, in order. */
export const ownMigrations = async () => {
  const entries = await readdir(migrationsDirectory, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
};

/** A migration of a later version, and what it does to a database. */
export const later = "29990101000000_later";
export const laterExpansion = [
  `ALTER TABLE "Camera" ADD COLUMN "later" TEXT`,
  `INSERT INTO "_prisma_migrations" ("id", "checksum", "migration_name", "finished_at") VALUES ('later', 'later', '${later}', now())`,
];
