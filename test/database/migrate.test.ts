import { createHash } from "node:crypto";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { schemaDifference } from "../../prisma/schema-difference.js";
import { type MigrationConnection, migrate, migrationsDirectory } from "../../src/database/migrate.js";
import { onServer } from "../support/databases.js";
import { runCommand } from "../support/running-command.js";
import { connectionTo, emptyDatabase, emptyEmbedded, emptyServerDatabase } from "./fresh-database.js";

const ownMigrations = async () => {
  const entries = await readdir(migrationsDirectory, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
};

const recordedNames = async (connection: MigrationConnection) => {
  const rows = await connection.query(`SELECT "migration_name" FROM "_prisma_migrations" ORDER BY "migration_name"`);
  return rows.map((row) => row.migration_name);
};

/** Creates a directory with our migrations and additional ones, removed after the test. */
async function migrationsWith(additions: Record<string, string>): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), "gateway-migrations-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  await cp(migrationsDirectory, directory, { recursive: true });
  for (const [name, sql] of Object.entries(additions)) {
    await mkdir(path.join(directory, name), { recursive: true });
    await writeFile(path.join(directory, name, "migration.sql"), sql);
  }
  return directory;
}

describe("migrating an empty database", () => {
  it("applies every migration and records it as Prisma Migrate does", async () => {
    const connection = await emptyDatabase();
    const names = await ownMigrations();
    expect(await migrate(connection)).toEqual(names);
    const records = await connection.query(`
      SELECT "id", "migration_name", "checksum", "finished_at" IS NOT NULL AS "finished", "rolled_back_at", "applied_steps_count"
      FROM "_prisma_migrations" ORDER BY "migration_name"`);
    const expected = names.map(async (name) => ({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      migration_name: name,
      checksum: createHash("sha256")
        .update(await readFile(path.join(migrationsDirectory, name, "migration.sql")))
        .digest("hex"),
      finished: true,
      rolled_back_at: null,
      applied_steps_count: 1,
    }));
    expect(records).toEqual(await Promise.all(expected));
  });

  it("produces exactly prisma/schema.prisma", async () => {
    const server = await emptyEmbedded();
    await migrate(connectionTo(server));
    expect(await schemaDifference(server)).toBe("");
  });

  it("creates no nullable list columns", async () => {
    const connection = await emptyDatabase();
    await migrate(connection);
    const lists = await connection.query(
      `SELECT "table_name", "column_name", "is_nullable" FROM information_schema.columns WHERE "table_schema" = 'public' AND "data_type" = 'ARRAY'`,
    );
    expect(lists.length).toBeGreaterThan(5);
    expect(lists.filter((column) => column.is_nullable !== "NO")).toEqual([]);
  });

  it("makes names sort by code point", async () => {
    const connection = await emptyDatabase();
    await migrate(connection);
    const columns = await connection.query(
      `SELECT "table_name" AS "table", "collation_name" AS "collation" FROM information_schema.columns
       WHERE "table_schema" = 'public' AND "column_name" = 'name' AND "table_name" <> 'Alert' ORDER BY 1`,
    );
    const tables = ["AlertDayKindCount", "AlertRule", "ApiKey", "Camera", "Facility", "Workspace"];
    expect(columns).toEqual(tables.map((table) => ({ table, collation: "C" })));
  });
});

describe("migrating again", () => {
  it("does nothing when up to date", async () => {
    const connection = await emptyDatabase();
    await migrate(connection);
    const records = await connection.query(`SELECT * FROM "_prisma_migrations"`);
    expect(await migrate(connection)).toEqual([]);
    expect(await connection.query(`SELECT * FROM "_prisma_migrations"`)).toEqual(records);
  });

  it("applies only new migrations", async () => {
    const connection = await emptyDatabase();
    await migrate(connection);
    const directory = await migrationsWith({ "29990101000000_later": `CREATE TABLE "Later" ("id" INT)` });
    expect(await migrate(connection, directory)).toEqual(["29990101000000_later"]);
    expect(await connection.query(`SELECT count(*)::int AS "rows" FROM "Later"`)).toEqual([{ rows: 0 }]);
  });

  it("rejects an applied migration that was edited, and changes nothing", async () => {
    const connection = await emptyDatabase();
    await migrate(connection);
    const [first = ""] = await ownMigrations();
    const directory = await migrationsWith({ [first]: "-- edited", "29990101000000_later": `CREATE TABLE "Later" ("id" INT)` });
    await expect(migrate(connection, directory)).rejects.toThrow(`${first} was changed after it had been applied. Restore its file`);
    expect(await recordedNames(connection)).toEqual(await ownMigrations());
    // The lock was still released, so the next run succeeds.
    expect(await migrate(connection)).toEqual([]);
  });

  it("refuses to continue after another tool left a migration unfinished", async () => {
    const connection = await emptyDatabase();
    await migrate(connection);
    await connection.query(`UPDATE "_prisma_migrations" SET "finished_at" = NULL`);
    await expect(migrate(connection)).rejects.toThrow(/left migration \S+ unfinished.*prisma migrate resolve/);
  });
});

describe("a migration that fails", () => {
  const failing = { "29990101000000_half": `CREATE TABLE "Half" ("id" INT); INSERT INTO "Half" VALUES (1); SELECT * FROM "Missing";` };

  it("reports its name, the cause, and a remedy", async () => {
    const connection = await emptyDatabase();
    const message = await migrate(connection, await migrationsWith(failing)).catch((error: Error) => error.message);
    expect(message).toMatch(/29990101000000_half failed and was rolled back.*"Missing" does not exist.*run it again/);
  });

  it("is rolled back, and earlier migrations are kept", async () => {
    const connection = await emptyDatabase();
    await expect(migrate(connection, await migrationsWith(failing))).rejects.toThrow();
    expect(await connection.query(`SELECT to_regclass('"Half"') AS "table"`)).toEqual([{ table: null }]);
    expect(await recordedNames(connection)).toEqual(await ownMigrations());
  });

  it("can be fixed and run again on the same connection", async () => {
    const connection = await emptyDatabase();
    await expect(migrate(connection, await migrationsWith(failing))).rejects.toThrow();
    const fixed = await migrationsWith({ "29990101000000_half": `CREATE TABLE "Half" ("id" INT)` });
    expect(await migrate(connection, fixed)).toEqual(["29990101000000_half"]);
  });
});

describe.runIf(inject("templates").server)("several processes that migrate a database concurrently", () => {
  it("all succeed, and only one applies the migrations", async () => {
    const url = await emptyServerDatabase();
    const results = await Promise.all(Array.from({ length: 4 }, () => runCommand("commands/migrate", { environment: { DATABASE_URL: url } })));
    expect(results.map(({ code, errors }) => ({ code, errors }))).toEqual(Array(4).fill({ code: 0, errors: "" }));
    const names = await ownMigrations();
    const outputs = results.map((result) => result.output).sort();
    expect(outputs).toEqual([`Applied ${names.join(", ")}\n`, ...Array(3).fill("The database is up to date\n")]);
    expect(await onServer(url, `SELECT count(*)::int AS "records" FROM "_prisma_migrations"`)).toEqual([{ records: names.length }]);
  });
});
