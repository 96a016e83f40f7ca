import { createHash, randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** A single connection: the statements of a migration run must not be distributed over a pool. */
export interface MigrationConnection {
  query(sql: string, parameters?: unknown[]): Promise<Record<string, unknown>[]>;
  /** Runs a script of several statements. */
  script(sql: string): Promise<void>;
}

interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

/** The names of the migrations that have not been applied. */
export interface MigrationState {
  missing: string[];
}

/** The directory of the migrations, relative to both `src/` and `dist/`. */
export const migrationsDirectory = fileURLToPath(new URL("../../prisma/migrations", import.meta.url));

// Prisma Migrate takes the same lock, so that the two never run at the same time.
const advisoryLock = 72_707_369;

// Exactly the table of Prisma Migrate: either tool reads the records of the other.
const recordsTable = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
  "id" VARCHAR(36) PRIMARY KEY NOT NULL,
  "checksum" VARCHAR(64) NOT NULL,
  "finished_at" TIMESTAMPTZ,
  "migration_name" VARCHAR(255) NOT NULL,
  "logs" TEXT,
  "rolled_back_at" TIMESTAMPTZ,
  "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(),
  "applied_steps_count" INTEGER NOT NULL DEFAULT 0
)`;

/** The migrations of a directory, oldest first. */
async function readMigrations(directory = migrationsDirectory): Promise<Migration[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(`${directory}/${name}/migration.sql`, "utf8");
      return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}

/**
 * Applies missing migrations, each in a transaction, and records them as Prisma Migrate does; returns their names. Several
 * processes may call it concurrently: the first applies the migrations, the others find them applied. A migration that fails
 * is rolled back.
 */
export async function migrate(connection: MigrationConnection, directory = migrationsDirectory): Promise<string[]> {
  const migrations = await readMigrations(directory);
  await connection.query(`SELECT pg_advisory_lock(${advisoryLock})`);
  try {
    await connection.script(recordsTable);
    const applied = await appliedChecksums(connection);
    const appliedNow: string[] = [];
    for (const migration of migrations) {
      const checksum = applied.get(migration.name);
      if (checksum === undefined) {
        await apply(connection, migration);
        appliedNow.push(migration.name);
      } else if (checksum !== migration.checksum) {
        throw new Error(
          `Migration ${migration.name} was changed after it had been applied. Restore its file and put the change into a new migration.`,
        );
      }
    }
    return appliedNow;
  } finally {
    await connection.query(`SELECT pg_advisory_unlock(${advisoryLock})`);
  }
}

async function appliedChecksums(connection: MigrationConnection): Promise<Map<string, string>> {
  const rows = await connection.query(`SELECT "migration_name", "checksum", "finished_at" FROM "_prisma_migrations" WHERE "rolled_back_at" IS NULL`);
  const unfinished = rows.find((row) => row.finished_at === null);
  if (unfinished) {
    throw new Error(
      `Another tool left migration ${unfinished.migration_name} unfinished. Repair the database, then mark it with \`prisma migrate resolve\`.`,
    );
  }
  return new Map(rows.map((row) => [String(row.migration_name), String(row.checksum)]));
}

async function apply(connection: MigrationConnection, { name, sql, checksum }: Migration): Promise<void> {
  await connection.script("BEGIN");
  try {
    await connection.script(sql);
    await connection.query(
      `INSERT INTO "_prisma_migrations" ("id", "checksum", "migration_name", "finished_at", "applied_steps_count") VALUES ($1, $2, $3, now(), 1)`,
      [randomUUID(), checksum, name],
    );
    await connection.script("COMMIT");
  } catch (error) {
    await connection.script("ROLLBACK");
    throw new Error(
      `Migration ${name} failed and was rolled back; the database is unchanged. ${(error as Error).message}. Fix the cause and run it again.`,
      { cause: error },
    );
  }
}

/** Compares the migrations recorded in a database with those that exist. */
export async function migrationState(query: (sql: string) => Promise<Record<string, unknown>[]>): Promise<MigrationState> {
  const migrations = await readMigrations();
  const [records] = await query(`SELECT to_regclass('"_prisma_migrations"') IS NOT NULL AS "exist"`);
  const rows = records?.exist
    ? await query(`SELECT "migration_name" FROM "_prisma_migrations" WHERE "finished_at" IS NOT NULL AND "rolled_back_at" IS NULL`)
    : [];
  const applied = new Set(rows.map((row) => row.migration_name));
  return { missing: migrations.map((migration) => migration.name).filter((name) => !applied.has(name)) };
}
