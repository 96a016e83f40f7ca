// Runs once: both kinds of databases run the same statements.
// Not on a cluster: migrates databases that are not distributed.
import { migrate } from "../../src/engine/database/migrate.js";
import type { MigrationConnection } from "../../src/engine/database/migration-connection.js";
import { emptyDatabase, migratedDatabase, migrationsBefore } from "./fresh-database.js";

/** Values that the API cannot show, by the types of columns. */
const unshowable: Record<string, string[]> = {
  timestamptz: ["infinity", "-infinity", "10000-01-01T00:00:00Z", "0001-12-31T23:59:59Z BC"],
  float8: ["NaN", "Infinity", "-Infinity"],
  _float8: ["{1,NaN}", "{Infinity}", "{-Infinity}", "{NULL}", "{{1},{2}}"],
  _int4: ["{1,NULL}", "{{1},{2}}"],
  _text: ["{a,NULL}", "{{a},{b}}"],
  _uuid: ["{NULL}"],
  jsonb: ['"text"', "1", "true"],
};

/** The columns of these types, with the CHECK constraints of their tables. */
const columnsWithChecks = `
  SELECT item.relname AS "table", attname AS "column", typname AS "type", array_agg(pg_get_expr(conbin, conrelid)) FILTER (WHERE conbin IS NOT NULL) AS "checks"
  FROM pg_class AS item JOIN pg_attribute ON attrelid = item.oid AND attnum > 0 AND NOT attisdropped JOIN pg_type ON pg_type.oid = atttypid
  LEFT JOIN pg_constraint ON conrelid = item.oid AND contype = 'c' AND attnum = ANY(conkey)
  WHERE item.relkind = 'r' AND relnamespace = 'public'::regnamespace AND item.relname <> '_prisma_migrations' AND typname = ANY($1)
  GROUP BY 1, 2, 3 ORDER BY 1, 2`;

interface Column {
  table: string;
  column: string;
  type: string;
  checks: string[] | null;
}

/**
 * Whether the constraints of a table allow a row with this value, and with null in all
 * other columns.
 */
async function isAllowed(
  { query }: MigrationConnection,
  { table, column, type, checks }: Column,
  value: string,
): Promise<boolean> {
  const others =
    await query(`SELECT attname AS "name", format_type(atttypid, NULL) AS "type" FROM pg_attribute
    WHERE attrelid = '"${table}"'::regclass AND attnum > 0 AND NOT attisdropped`);
  const values = others.map(
    (each) => `${each.name === column ? `'${value}'::${type}` : `NULL::${each.type}`} AS "${each.name}"`,
  );
  const [row] = await query(
    `SELECT ${(checks ?? []).map((check) => `coalesce(${check}, true)`).join(" AND ") || "true"} AS "isAllowed" FROM (SELECT ${values}) AS item`,
  );
  return row?.isAllowed === true;
}

it("no column takes a value of its type that the API cannot show, and each takes others", async () => {
  const connection = await migratedDatabase();
  const columns = (await connection.query(columnsWithChecks, [
    Object.keys(unshowable),
  ])) as unknown as Column[];
  expect(columns.length).toBeGreaterThan(70);
  const shown: Record<string, string> = {
    timestamptz: "9999-12-31T23:59:59.999Z",
    float8: "-1e308",
    _float8: "{}",
    _int4: "{1}",
    _text: "{a,b}",
    _uuid: "{}",
  };
  const wrong: string[] = [];
  for (const column of columns) {
    const name = `${column.table}.${column.column}`;
    for (const value of unshowable[column.type] as string[])
      if (await isAllowed(connection, column, value)) wrong.push(`${name} takes ${value}`);
    const allowed = column.type === "jsonb" ? ["{}", "[]"] : [shown[column.type] as string];
    const taken = await Promise.all(allowed.map((value) => isAllowed(connection, column, value)));
    if (taken.filter(Boolean).length !== 1)
      wrong.push(`${name} takes ${taken.filter(Boolean).length} of ${allowed}`);
  }
  expect(wrong).toEqual([]);
});

it("a database that has such values is migrated, keeps them until they are changed, and takes no more of them", async () => {
  const connection = await emptyDatabase();
  await migrate(connection, await migrationsBefore("20261125170000_shown_values"));
  const insert = (id: number, createdAt: string) =>
    connection.query(
      `INSERT INTO "Workspace" ("id", "name", "createdAt") VALUES ('00000000-0000-4000-8000-00000000000${id}', 'Old', '${createdAt}')`,
    );
  await insert(1, "infinity");
  await migrate(connection);
  expect(await connection.query(`SELECT "createdAt"::text FROM "Workspace"`)).toEqual([
    { createdAt: "infinity" },
  ]);
  await expect(insert(2, "infinity")).rejects.toThrow("Workspace_shown_values_check");
  const validate = () =>
    connection.query(`ALTER TABLE "Workspace" VALIDATE CONSTRAINT "Workspace_shown_values_check"`);
  await expect(validate()).rejects.toThrow("violated by some row");
  await connection.query(`UPDATE "Workspace" SET "createdAt" = now()`);
  await validate();
});
