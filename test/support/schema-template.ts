import { appendFile } from "node:fs/promises";
import { PGlite } from "@electric-sql/pglite";
import { distributeServer, migrateServer } from "../../src/engine/database/client.js";
import { migrate } from "../../src/engine/database/migrate.js";

/**
 * Makes a database with only the schema: at a URL, distributed if requested, or an
 * embedded one in a directory.
 */
const [place = "", option] = process.argv.slice(2);
if (!/^postgres(?:ql)?:/.test(place)) await makeEmbedded(place);
else {
  await migrateServer(place);
  if (option === "--distribute") await distributeServer(place);
}

/** Makes an embedded database that is cheap to copy, to start and to remove. */
async function makeEmbedded(directory: string): Promise<void> {
  const database = await PGlite.create(directory);
  await migrate({
    query: async <Row>(sql: string, parameters?: unknown[]) =>
      (await database.query<Row>(sql, parameters)).rows,
    script: async (sql) => void (await database.exec(sql)),
  });
  // Two thirds of the files belong to databases that only CREATE DATABASE would need.
  await database.exec("UPDATE pg_database SET datistemplate = false");
  for (const name of ["template0", "template1"]) await database.exec(`DROP DATABASE ${name}`);
  await database.close();
  // Every start clears the buffer cache. The default of 128 MB takes half of the start,
  // and no test needs that much.
  await appendFile(`${directory}/postgresql.conf`, "\nshared_buffers = 16MB\n");
}
