import { randomUUID } from "node:crypto";
import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { inject, onTestFinished } from "vitest";
import type { MigrationConnection } from "../../src/database/migrate.js";
import { createDatabase, onServer } from "../support/templates.js";

/** The address of a database with nothing in it on the test server; it goes with the running test. */
export async function emptyServerDatabase(): Promise<string> {
  const { server } = inject("templates");
  if (!server) throw new Error("There is no server in this project");
  const name = `empty_${randomUUID().slice(0, 8)}`;
  const url = await createDatabase(server, name);
  onTestFinished(async () => void (await onServer(server.url, `DROP DATABASE "${server.prefix}_${name}" WITH (FORCE)`)));
  return url;
}

/** One connection to a database with nothing in it, of the project's kind. */
export async function emptyDatabase(): Promise<MigrationConnection> {
  if (!inject("templates").server) return connectionTo(await emptyEmbedded());
  const client = new pg.Client({ connectionString: await emptyServerDatabase() });
  await client.connect();
  // Connections end before their database is dropped: what was registered last is done first.
  onTestFinished(() => client.end());
  return {
    query: async (sql, parameters) => (await client.query(sql, parameters)).rows,
    script: async (sql) => void (await client.query(sql)),
  };
}

let pristine: Promise<File | Blob> | undefined;

/** An embedded database with nothing in it: all are copies of one, because making one takes seconds. */
export async function emptyEmbedded(): Promise<PGlite> {
  pristine ??= PGlite.create().then(async (server) => {
    const dump = await server.dumpDataDir("none");
    await server.close();
    return dump;
  });
  return PGlite.create({ loadDataDir: await pristine });
}

/** The connection to an embedded database; it is closed with the running test. */
export function connectionTo(server: PGlite): MigrationConnection {
  onTestFinished(() => server.close());
  return {
    query: async (sql, parameters) => (await server.query<Record<string, unknown>>(sql, parameters)).rows,
    script: async (sql) => void (await server.exec(sql)),
  };
}
