import { randomUUID } from "node:crypto";
import path from "node:path";
import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { inject, onTestFinished } from "vitest";
import type { MigrationConnection } from "../../src/database/migrate.js";
import { createDatabase, dropDatabase } from "../support/databases.js";
import { dataForTest } from "../support/harness.js";

/** Creates an empty database on the test server and returns its URL; it is dropped after the current test. */
export async function emptyServerDatabase(): Promise<string> {
  const { server } = inject("templates");
  if (!server) throw new Error("There is no server in this project");
  const name = `empty_${randomUUID().slice(0, 8)}`;
  const url = await createDatabase(server, name);
  onTestFinished(() => dropDatabase(server, name));
  return url;
}

/** Connects to an empty database of the kind that the project uses. */
export async function emptyDatabase(): Promise<MigrationConnection> {
  if (!inject("templates").server) return connectionTo(await emptyEmbedded());
  const client = new pg.Client({ connectionString: await emptyServerDatabase() });
  await client.connect();
  // Runs before the database is dropped, as hooks run in reverse order.
  onTestFinished(() => client.end());
  return {
    query: async (sql, parameters) => (await client.query(sql, parameters)).rows,
    script: async (sql) => void (await client.query(sql)),
  };
}

let emptyDump: Promise<File | Blob> | undefined;

/** An empty embedded database, copied from a shared one. */
export async function emptyEmbedded(): Promise<PGlite> {
  emptyDump ??= newEmbedded().then(async (server) => {
    const dump = await server.dumpDataDir("none");
    await server.close();
    return dump;
  });
  return PGlite.create({ loadDataDir: await emptyDump });
}

/** Empties a copy of the template if there is one, since creating a database takes seconds. */
async function newEmbedded(): Promise<PGlite> {
  if (inject("templates").server) return PGlite.create();
  const { DATA_DIR = "" } = await dataForTest("none");
  const server = await PGlite.create(path.join(DATA_DIR, "postgresql"));
  await server.exec("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
  return server;
}

/** Connects to an embedded database, which is closed after the current test. */
export function connectionTo(server: PGlite): MigrationConnection {
  onTestFinished(() => server.close());
  return {
    query: async (sql, parameters) => (await server.query<Record<string, unknown>>(sql, parameters)).rows,
    script: async (sql) => void (await server.exec(sql)),
  };
}
