import { createHash, randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { projectFile } from "../../platform/project-files.js";
import { messageOf } from "../../platform/thrown.js";
import { isDistributed } from "./cluster/cluster.js";
import { distributeTables } from "./cluster/distribute.js";
import type { MigrationConnection } from "./migration-connection.js";

interface Migration {
  name: string;
  sql: string;
  checksum: string;
  /** The indexes that the migration builds without blocking writers, if it does nothing else. */
  concurrentIndexes: ConcurrentIndex[];
}

interface ConcurrentIndex {
  name: string;
  sql: string;
}

/** The names of the migrations not yet applied, and of those that a later version applied. */
export interface MigrationState {
  missing: string[];
  later: string[];
}

export const migrationsDirectory = projectFile("prisma/migrations");

// Prisma Migrate takes the same lock, so the two never run at the same time.
const advisoryLock = 72_707_369;
const lockRetryMs = 500;

// The exact table of Prisma Migrate: each tool reads the other's records.
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
export async function readMigrations(directory = migrationsDirectory): Promise<Migration[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(`${directory}/${name}/migration.sql`, "utf8");
      return {
        name,
        sql,
        checksum: createHash("sha256").update(sql).digest("hex"),
        concurrentIndexes: concurrentIndexesOf(name, sql),
      };
    }),
  );
}

/**
 * A statement, up to a semicolon outside of comments, texts, names and function bodies. The pattern does not recognise
 * texts such as E'\'' or bodies in BEGIN ATOMIC.
 */
const sqlStatement = /(?:--.*|\/\*[\s\S]*?\*\/|'[^']*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$|[^;])+/g;

/** The statements of a script. Send them one by one: Citus forwards the whole text that it receives to other nodes. */
const statementsOf = (sql: string): string[] =>
  (sql.match(sqlStatement) ?? []).filter((statement) => /^\s*[^\s-]/m.test(statement));

/** PostgreSQL builds indexes concurrently only outside of transactions: such a migration may do nothing else. */
function concurrentIndexesOf(migration: string, sql: string): ConcurrentIndex[] {
  const statements = statementsOf(sql).map((statement) => statement.replace(/^\s*--.*$/gm, "").trim());
  const matches = statements.map((statement) =>
    /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY ("[^"]+") /.exec(statement),
  );
  const indexes = matches.flatMap((match) => (match?.[1] ? { name: match[1], sql: match.input } : []));
  if (indexes.length === 0 || indexes.length === statements.length) return indexes;
  throw new Error(
    `Migration ${migration} does more than build indexes concurrently. Put the indexes into a separate migration.`,
  );
}

/**
 * Applies missing migrations, each in a transaction, and returns their names. Records them as Prisma Migrate does.
 * Several processes may call this concurrently: the first applies the migrations, the others find them applied. A
 * failed migration is rolled back. A migration that builds indexes concurrently continues from its interruption.
 * `report` receives the cause of a wait.
 */
export async function migrate(
  connection: MigrationConnection,
  directory = migrationsDirectory,
  report: (message: string) => void = () => {},
): Promise<string[]> {
  const migrations = await readMigrations(directory);
  return withSchemaLock(connection, report, async () => {
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
  });
}

/** Runs work that changes the schema while no other process does. `report` receives the cause of a wait. */
export async function withSchemaLock<Result>(
  connection: MigrationConnection,
  report: (message: string) => void,
  work: () => Promise<Result>,
): Promise<Result> {
  await lock(connection, report);
  try {
    return await work();
  } finally {
    // A lost connection holds no lock any longer. The error that ended the connection says more.
    await connection.query(`SELECT pg_advisory_unlock(${advisoryLock})`).catch(() => {});
  }
}

/** Polls for the lock. A statement that waited for it would itself hold up a concurrent build of an index. */
async function lock(connection: MigrationConnection, report: (message: string) => void): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    const [row] = await connection.query(`SELECT pg_try_advisory_lock(${advisoryLock}) AS "isLocked"`);
    if (row?.isLocked) return;
    if (isFirst) report(await waitingMessage(connection));
    await setTimeout(lockRetryMs);
  }
}

async function waitingMessage(connection: MigrationConnection): Promise<string> {
  const [holder] = await connection.query(`
    SELECT activity.pid, host(activity.client_addr) AS "address" FROM pg_locks AS held LEFT JOIN pg_stat_activity AS activity USING (pid)
    WHERE held.locktype = 'advisory' AND held.objid = ${advisoryLock} AND held.granted
      AND held.database = (SELECT oid FROM pg_database WHERE datname = current_database())`);
  if (!holder) return "Waiting for another process that migrates or distributes the database.";
  const client = holder.address ? ` of a client at ${holder.address}` : "";
  return (
    `Waiting for another process that migrates or distributes the database, by the server's process ${holder.pid}${client}. ` +
    `If that client is gone, \`SELECT pg_terminate_backend(${holder.pid})\` ends what it left.`
  );
}

async function appliedChecksums(connection: MigrationConnection): Promise<Map<string, string>> {
  const rows = await connection.query(
    `SELECT "migration_name", "checksum", "finished_at" FROM "_prisma_migrations" WHERE "rolled_back_at" IS NULL`,
  );
  const unfinished = rows.find((row) => row.finished_at === null);
  if (unfinished) {
    throw new Error(
      `Another tool left migration ${unfinished.migration_name} unfinished. Repair the database, then mark it with \`prisma migrate resolve\`.`,
    );
  }
  return new Map(rows.map((row) => [String(row.migration_name), String(row.checksum)]));
}

async function apply(connection: MigrationConnection, migration: Migration): Promise<void> {
  if (migration.concurrentIndexes.length > 0) return buildIndexes(connection, migration);
  const { name, sql } = migration;
  await connection.script("BEGIN");
  try {
    const isCluster = await isDistributed(connection.query);
    // On a cluster, change tables that refer to each other one after the other.
    if (isCluster) await connection.script("SET LOCAL citus.multi_shard_modify_mode = 'sequential'");
    for (const statement of statementsOf(sql)) await connection.script(statement);
    // Citus would not enforce a reference from a new table that is not distributed.
    if (isCluster) await distributeTables(connection);
    await record(connection, migration);
    await connection.script("COMMIT");
  } catch (error) {
    const cause = messageOf(error);
    const isRolledBack = await connection.script("ROLLBACK").then(
      () => true,
      () => false,
    );
    const outcome = isRolledBack
      ? `failed and was rolled back; the database is unchanged. ${cause}. Fix the cause and run it again.`
      : `was interrupted: ${cause}. The database rolls back what was not committed. Run it again: it goes on with what is missing.`;
    throw new Error(`Migration ${name} ${outcome}`, { cause: error });
  }
}

/** Rebuilds an index that an interrupted attempt left invalid, and keeps valid ones. */
async function buildIndexes(connection: MigrationConnection, migration: Migration): Promise<void> {
  try {
    for (const { name, sql } of migration.concurrentIndexes) {
      const [index] = await connection.query(
        `SELECT indisvalid AS "isValid" FROM pg_index WHERE indexrelid = to_regclass($1)`,
        [name],
      );
      if (index?.isValid) continue;
      if (index) await connection.script(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
      await connection.script(sql);
    }
    await record(connection, migration);
  } catch (error) {
    throw new Error(
      `Migration ${migration.name} did not finish: ${messageOf(error)}. Queries do not use incomplete indexes. ` +
        "Fix the cause and run it again: it continues where it stopped.",
      { cause: error },
    );
  }
}

async function record(connection: MigrationConnection, { name, checksum }: Migration): Promise<void> {
  await connection.query(
    `INSERT INTO "_prisma_migrations" ("id", "checksum", "migration_name", "finished_at", "applied_steps_count") VALUES ($1, $2, $3, now(), 1)`,
    [randomUUID(), checksum, name],
  );
}

/** Compares the migrations recorded in a database with those of this version. */
export async function migrationState(
  query: (sql: string) => Promise<Record<string, unknown>[]>,
): Promise<MigrationState> {
  const migrations = await readMigrations();
  const [records] = await query(`SELECT to_regclass('"_prisma_migrations"') IS NOT NULL AS "exist"`);
  const rows = records?.exist
    ? await query(
        `SELECT "migration_name" FROM "_prisma_migrations" WHERE "finished_at" IS NOT NULL AND "rolled_back_at" IS NULL`,
      )
    : [];
  const applied = rows.map((row) => String(row.migration_name));
  const names = migrations.map(({ name }) => name);
  return {
    missing: names.filter((name) => !applied.includes(name)),
    later: applied.filter((name) => !names.includes(name)).sort(),
  };
}
