import { withConnection } from "./client.js";
import type { MigrationConnection } from "./migrate.js";

/** A table, and the column by whose values its rows are distributed. */
interface Distribution {
  table: string;
  column: string;
}

/**
 * Distributes the tables of the Citus cluster whose coordinator is at `url`, and returns the names of those that were not
 * distributed before. The rows of a workspace are kept together on one node, because every key begins with the workspace; a
 * table that leads to a workspace is distributed by what it is asked with.
 */
export function distributeTables(url: string): Promise<string[]> {
  return withConnection(url, async (connection) => {
    await assertCluster(connection);
    const distributions = await missingDistributions(connection);
    if (distributions.length === 0) return [];
    await connection.script("BEGIN");
    // Should one fail, nothing is changed: the connection is closed before the end of the transaction.
    await connection.script("SET LOCAL citus.multi_shard_modify_mode = 'sequential'");
    for (const statement of await statementsFor(connection, distributions)) await connection.script(statement);
    await connection.script("COMMIT");
    // The rows have been copied to the nodes.
    for (const { table } of distributions) await connection.query(`SELECT truncate_local_data_after_distributing_table('"${table}"')`);
    return distributions.map(({ table }) => table);
  });
}

async function assertCluster({ query }: MigrationConnection): Promise<void> {
  const [settings] = await query(`
    SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS "isCluster", current_setting('citus.enable_unsafe_triggers', true) AS "triggers"`);
  if (!settings?.isCluster) throw new Error("The database has no Citus extension: run CREATE EXTENSION citus on every node, and add the nodes");
  if (settings.triggers !== "on") {
    throw new Error("Triggers count the alerts on every node: set citus.enable_unsafe_triggers to on in the configuration of each");
  }
}

/** The first column of each table's key, of all tables that are not distributed. */
async function missingDistributions({ query }: MigrationConnection): Promise<Distribution[]> {
  const rows = await query(`
    SELECT DISTINCT ON (item.oid) item.relname AS "table", key.attname AS "column"
    FROM pg_class AS item
    LEFT JOIN pg_index AS unique_index ON unique_index.indrelid = item.oid AND unique_index.indisunique
    LEFT JOIN pg_attribute AS key ON key.attrelid = item.oid AND key.attnum = unique_index.indkey[0]
    WHERE item.relnamespace = 'public'::regnamespace AND item.relkind = 'r' AND item.relname <> '_prisma_migrations'
      AND NOT EXISTS (SELECT FROM pg_dist_partition AS distributed WHERE distributed.logicalrelid = item.oid)
    ORDER BY item.oid, unique_index.indisprimary DESC`);
  return rows as unknown as Distribution[];
}

async function statementsFor({ query }: MigrationConnection, distributions: readonly Distribution[]): Promise<string[]> {
  const references = await query(`
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS "drop",
      format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS "create"
    FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace`);
  const triggers = await query(`
    SELECT format('DROP TRIGGER %I ON %s', tgname, tgrelid::regclass) AS "drop", pg_get_triggerdef(oid) AS "create"
    FROM pg_trigger WHERE NOT tgisinternal AND (SELECT relnamespace FROM pg_class WHERE oid = tgrelid) = 'public'::regnamespace`);
  const functions = await query(`
    SELECT format('SELECT create_distributed_function(%L)', oid::regprocedure) AS "distribute"
    FROM pg_proc WHERE pronamespace = 'public'::regnamespace
      AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e')`);
  // A table may not refer to one that is distributed while it is not, and the rows that are moved have been counted.
  const suspended = [...references, ...triggers];
  return [
    ...suspended.map((each) => each.drop as string),
    // Columns of the same type are distributed alike: what belongs to a workspace is where the workspace is.
    ...distributions.map(({ table, column }) => `SELECT create_distributed_table('"${table}"', '${column}')`),
    // Triggers run on all nodes, and call functions there.
    ...functions.map((each) => each.distribute as string),
    ...suspended.map((each) => each.create as string),
  ];
}
