// Not on a cluster: migrates databases that are not distributed.
// Takes long: each case migrates a database of its own.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { inject } from "vitest";
import { schemaDifference } from "../../prisma/schema-difference.js";
import { migrate, migrationState, migrationsDirectory } from "../../src/engine/database/migrate.js";
import type { MigrationConnection } from "../../src/engine/database/migration-connection.js";
import { gatewayOn } from "../support/harness.js";
import { TestSite } from "../support/test-site.js";
import {
  connectionTo,
  emptyDatabase,
  emptyEmbedded,
  later,
  laterExpansion,
  migratedDatabase,
  migrationsWith,
  ownMigrations,
} from "./fresh-database.js";

const { server } = inject("resources");

const recordedNames = async (connection: MigrationConnection) => {
  const rows = await connection.query(
    `SELECT "migration_name" FROM "_prisma_migrations" ORDER BY "migration_name"`,
  );
  return rows.map((row) => row.migration_name);
};

describe("migrating an empty database", () => {
  it("applies every migration once and records it as Prisma Migrate does; lists cannot be null, and names sort by code point", async () => {
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
    // Migrating again does nothing.
    const all = `SELECT * FROM "_prisma_migrations"`;
    const before = await connection.query(all);
    expect(await migrate(connection)).toEqual([]);
    expect(await connection.query(all)).toEqual(before);
    await expectNoNullableLists(connection);
    await expectNamesByCodePoint(connection);
  });

  async function expectNoNullableLists(connection: MigrationConnection): Promise<void> {
    const lists = await connection.query(
      `SELECT "table_name", "column_name", "is_nullable" FROM information_schema.columns WHERE "table_schema" = 'public' AND "data_type" = 'ARRAY'`,
    );
    expect(lists.length).toBeGreaterThan(5);
    expect(lists.filter((column) => column.is_nullable !== "NO")).toEqual([]);
  }

  async function expectNamesByCodePoint(connection: MigrationConnection): Promise<void> {
    const columns = await connection.query(
      `SELECT "table_name" AS "table", "collation_name" AS "collation" FROM information_schema.columns
       WHERE "table_schema" = 'public' AND "column_name" = 'name' AND "table_name" <> 'Alert' ORDER BY 1`,
    );
    const tables = [
      "AlertDayKindCount",
      "AlertRule",
      "ApiKey",
      "Camera",
      "Connector",
      "Facility",
      "SavedView",
      "Session",
      "Workspace",
    ];
    expect(columns).toEqual(tables.map((table) => ({ table, collation: "C" })));
  }

  it.runIf(!server)("produces exactly prisma/schema.prisma", async () => {
    const database = await emptyEmbedded();
    await migrate(connectionTo(database));
    expect(await schemaDifference(database)).toBe("");
  });
});

it("migrating again rejects an applied migration that was edited, and changes nothing; then it applies only new ones, and those that were rolled back", async () => {
  const connection = await migratedDatabase();
  const [first = ""] = await ownMigrations();
  const later = { "29990101000000_later": `CREATE TABLE "Later" ("id" INT)` };
  const edited = migrate(connection, await migrationsWith({ [first]: "-- edited", ...later }));
  await expect(edited).rejects.toThrow(`${first} was changed after it had been applied. Restore its file`);
  expect(await recordedNames(connection)).toEqual(await ownMigrations());
  // The lock was still released, so the next run succeeds.
  expect(await migrate(connection, await migrationsWith(later))).toEqual(["29990101000000_later"]);
  expect(await connection.query(`SELECT count(*)::int AS "rows" FROM "Later"`)).toEqual([{ rows: 0 }]);
  const rollBack = (name: string) =>
    connection.query(
      `UPDATE "_prisma_migrations" SET "finished_at" = NULL, "rolled_back_at" = now() WHERE "migration_name" = $1`,
      [name],
    );
  await connection.query(`DROP TABLE "Later"`);
  await rollBack("29990101000000_later");
  expect(await migrate(connection, await migrationsWith(later))).toEqual(["29990101000000_later"]);
  await rollBack(first);
  expect((await migrationState((sql) => connection.query(sql))).missing).toEqual([first]);
  await connection.query(`UPDATE "_prisma_migrations" SET "finished_at" = NULL`);
  // Simulates an unfinished migration of another tool.
  await expect(migrate(connection)).rejects.toThrow(/left migration \S+ unfinished.*prisma migrate resolve/);
});

it("a migration's comments, texts, names and functions may contain semicolons and quotes", async () => {
  const connection = await migratedDatabase();
  const sql = `
    -- The note's text; it isn't long.
    CREATE TABLE "No;te" ("text" TEXT); /* It's empty; so far. */ INSERT INTO "No;te" VALUES ('It''s; so -- far'); -- Don't; yet.
    CREATE FUNCTION "note"() RETURNS text LANGUAGE plpgsql AS $body$ BEGIN PERFORM $$;$$; RETURN "text" FROM "No;te"; END $body$;
    -- That's all;`;
  await migrate(connection, await migrationsWith({ "29990101000000_note": sql }));
  expect(await connection.query(`SELECT "note"() AS "text"`)).toEqual([{ text: "It's; so -- far" }]);
});

describe("a migration that fails", () => {
  const failing = {
    "29990101000000_half": `CREATE TABLE "Half" ("id" INT); INSERT INTO "Half" VALUES (1); SELECT * FROM "Missing";`,
  };

  it("reports its name, the cause, and a remedy; is rolled back, and can be fixed and run again on the same connection", async () => {
    const connection = await migratedDatabase();
    const message = await migrate(connection, await migrationsWith(failing)).catch(
      (error: Error) => error.message,
    );
    expect(message).toMatch(
      /29990101000000_half failed and was rolled back.*"Missing" does not exist.*run it again/,
    );
    expect(await connection.query(`SELECT to_regclass('"Half"') AS "table"`)).toEqual([{ table: null }]);
    expect(await recordedNames(connection)).toEqual(await ownMigrations());
    const fixed = await migrationsWith({ "29990101000000_half": `CREATE TABLE "Half" ("id" INT)` });
    expect(await migrate(connection, fixed)).toEqual(["29990101000000_half"]);
  });
});

describe("a migration that builds indexes concurrently", () => {
  const name = "29990101000000_indexes";
  const sql = `-- Built while others write.
CREATE INDEX CONCURRENTLY "Workspace_name_idx" ON "Workspace"("name");
CREATE UNIQUE INDEX CONCURRENTLY "Facility_name_key" ON "Facility"("workspaceId", "name");
`;
  const fill = `
    INSERT INTO "Workspace" ("id", "name") VALUES ('c0000000-0000-4000-8000-000000000001', 'Plant');
    INSERT INTO "Facility" ("id", "workspaceId", "name", "timeZoneId", "updatedAt")
    SELECT gen_random_uuid(), "id", 'Quay', 'UTC', now() FROM "Workspace", generate_series(1, 2)`;

  it("runs outside of a transaction", async () => {
    const connection = await migratedDatabase();
    expect(await migrate(connection, await migrationsWith({ [name]: sql }))).toEqual([name]);
    expect(await indexesOf(connection)).toEqual({ Workspace_name_idx: true, Facility_name_key: true });
  });

  it("continues where it was interrupted: with the invalid index", async () => {
    const connection = await migratedDatabase();
    await connection.script(fill);
    const directory = await migrationsWith({ [name]: sql });
    const message = await migrate(connection, directory).catch((error: Error) => error.message);
    expect(message).toMatch(
      /_indexes did not finish: .*could not create unique index.*Fix the cause and run it again: it continues where it stopped/s,
    );
    expect(await indexesOf(connection)).toEqual({ Workspace_name_idx: true, Facility_name_key: false });
    expect(await recordedNames(connection)).not.toContain(name);
    const first = `SELECT '"Workspace_name_idx"'::regclass::oid AS "oid"`;
    const before = await connection.query(first);
    await connection.query(`UPDATE "Facility" SET "name" = "id"::text`);
    expect(await migrate(connection, directory)).toEqual([name]);
    expect(await indexesOf(connection)).toEqual({ Workspace_name_idx: true, Facility_name_key: true });
    expect(await connection.query(first)).toEqual(before);
  });

  it("may do nothing else", async () => {
    const connection = await emptyDatabase();
    const directory = await migrationsWith({
      [name]: `${sql}ALTER TABLE "Workspace" ADD COLUMN "note" TEXT;\n`,
    });
    await expect(migrate(connection, directory)).rejects.toThrow(
      /_indexes does more than .*Put the indexes into a separate migration/,
    );
    expect(await connection.query(`SELECT to_regclass('"_prisma_migrations"') AS "table"`)).toEqual([
      { table: null },
    ]);
  });

  /** The existing indexes, and whether they are valid. */
  async function indexesOf(connection: MigrationConnection): Promise<Record<string, unknown>> {
    const rows = await connection.query(`
      SELECT relname AS "name", indisvalid AS "isValid" FROM pg_index JOIN pg_class AS item ON item.oid = indexrelid
      WHERE relname IN ('Workspace_name_idx', 'Facility_name_key')`);
    return Object.fromEntries(rows.map((row) => [row.name, row.isValid]));
  }
});

it("a database with the migrations of a later version does not keep a gateway from starting, which reports it once", async () => {
  const site = await TestSite.forTest();
  for (const sql of laterExpansion) await site.query(sql);
  const log: string[] = [];
  const gateway = await gatewayOn(
    { ...site.variables, SEED: "none" },
    { logDestination: { write: (line) => void log.push(line) } },
  );
  onTestFinished(() => gateway.close());
  for (const _ of [1, 2]) expect((await gateway.fetch("/readyz")).status).toBe(200);
  expect(
    log.filter((line) => line.includes(`the database has migrations of a later version (${later})`)),
  ).toHaveLength(1);
});
