import { mkdir, writeFile } from "node:fs/promises";
import { PGlite } from "@electric-sql/pglite";
import { migrate, migrationsDirectory } from "../src/engine/database/migrate.js";
import { schemaDifference } from "./schema-difference.js";

/**
 * Writes the migration from the existing migrations to `schema.prisma`:
 * `npm run migration -- name`.
 */
const name = process.argv[2];
if (!name || !/^[a-z0-9_]+$/.test(name)) {
  console.error("Usage: npm run migration -- name_in_lower_case");
  process.exit(2);
}
await mkdir(migrationsDirectory, { recursive: true });
const server = await PGlite.create();
await migrate({
  query: async <Row>(sql: string, parameters?: unknown[]) => (await server.query<Row>(sql, parameters)).rows,
  script: async (sql) => void (await server.exec(sql)),
});
const sql = await schemaDifference(server);
await server.close();
if (!sql) {
  console.log("The migrations are already up to date with prisma/schema.prisma.");
} else {
  const stamp = new Date().toISOString().replace(/\D/g, "").slice(0, 14);
  const directory = `${migrationsDirectory}/${stamp}_${name}`;
  await mkdir(directory);
  await writeFile(`${directory}/migration.sql`, sql);
  console.log(`Wrote prisma/migrations/${stamp}_${name}/migration.sql: review it, and edit it if necessary.`);
}
