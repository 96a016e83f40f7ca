import { messageOf } from "../../../platform/thrown.js";
import type { MigrationConnection } from "../migration-connection.js";

type Query = MigrationConnection["query"];

/** The node of a table without a workspace in its key. */
const coordinator = "the coordinator";

/** Short, because requests queue behind this lock while it waits for other users of the tables, such as exports. */
const lockTimeoutMs = 2_000;

interface Table {
  /** Quoted as in SQL. */
  name: string;
  /** The column whose values should distribute the rows, or the coordinator. */
  wanted: string;
  /**
   * The column that distributes the rows now, or the coordinator. Null if the table is not distributed. "elsewhere" if
   * another column distributes it, or not together with the workspaces.
   */
  actual: string | null;
  /** Whether local rows remain from before the table was distributed. Nothing reads them any more. */
  hasLocalRows: boolean;
  /** Whether its shards cannot move to other nodes while they are written. */
  lacksIdentity: boolean;
  /** The size of its local rows and their indexes. */
  size: string;
}

/**
 * Distributes the remaining tables of a Citus cluster in the caller's transaction, and returns a line about each. Every
 * key begins with the workspace, so the rows of a workspace stay together on one node. A table for finding workspaces
 * stays on the coordinator. It can be read and written there whichever other node is down, and Citus commits it with
 * the rest.
 */
export async function distributeTables({ query, script }: MigrationConnection): Promise<string[]> {
  const tables = await readTables(query);
  const misplaced = tables.filter(isMisplaced);
  if (misplaced.length > 0) throw new Error(misplaced.map(describeMisplaced).join("\n"));
  const unfinished = tables.filter(isUnfinished);
  await script("SET LOCAL citus.multi_shard_modify_mode = 'sequential'");
  if (unfinished.length > 0) await lockTables(script, unfinished);
  // Suspend references and triggers. A table may not refer to one that is distributed later. Rows that are moved or
  // removed have already been counted.
  const suspended = await referencesAndTriggers(query, unfinished);
  const steps = [
    ...suspended.map((each) => each.drop),
    ...unfinished.flatMap(statementsFor),
    // Triggers run on all nodes, and call functions there.
    ...(await localFunctions(query)).map(({ name }) => `SELECT create_distributed_function($$${name}$$)`),
    ...suspended.map((each) => each.create),
  ];
  for (const step of steps) {
    await script(step).catch((error: Error) => {
      throw new Error(`Nothing was distributed: ${error.message}. Fix the cause and run the command again.`, {
        cause: error,
      });
    });
  }
  return unfinished.map(describeChange);
}

/** Waits until current writers of the tables have finished. Later writers wait until the tables are distributed. */
async function lockTables(script: MigrationConnection["script"], tables: readonly Table[]): Promise<void> {
  await script(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
  try {
    await script(`LOCK TABLE ${tables.map(({ name }) => name).join(", ")} IN ACCESS EXCLUSIVE MODE`);
  } catch (error) {
    const cause = messageOf(error);
    throw new Error(
      `The tables are in use (${cause}), and nothing was changed. Run the command again, or stop the gateways first.`,
      { cause: error },
    );
  }
  await script("SET LOCAL lock_timeout TO DEFAULT");
}

/**
 * All tables but that of the migrations: those of the coordinator, the workspaces, then those distributed with them.
 */
export async function readTables(query: Query): Promise<Table[]> {
  return query<Table>(`
    SELECT item.oid::regclass::text AS "name", pg_size_pretty(pg_total_relation_size(item.oid)) AS "size",
      CASE WHEN item.relname = 'Workspace' THEN 'id' WHEN key."column" = 'workspaceId' THEN key."column" ELSE '${coordinator}' END AS "wanted",
      CASE
        WHEN distributed.partmethod = 'h' AND distributed.colocationid = workspaces.colocationid THEN column_to_column_name(item.oid, distributed.partkey)
        WHEN distributed.partmethod = 'n' AND distributed.repmodel = 's' AND distributed.colocationid = 0 THEN '${coordinator}'
        WHEN distributed.partmethod IS NOT NULL THEN 'elsewhere'
      END AS "actual",
      distributed.partmethod IS NOT NULL AND pg_relation_size(item.oid) > 0 AS "hasLocalRows",
      key."isPrimary" IS DISTINCT FROM true AND item.relreplident = 'd' AS "lacksIdentity"
    FROM pg_class AS item
    LEFT JOIN LATERAL (
      SELECT attname AS "column", indisprimary AS "isPrimary"
      FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
      WHERE indrelid = item.oid AND indisunique ORDER BY indisprimary DESC LIMIT 1) AS key ON true
    LEFT JOIN pg_dist_partition AS distributed ON distributed.logicalrelid = item.oid
    LEFT JOIN pg_dist_partition AS workspaces ON workspaces.logicalrelid = to_regclass('"Workspace"')
    WHERE item.relnamespace = 'public'::regnamespace AND item.relkind = 'r' AND item.relname <> '_prisma_migrations'
      AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = item.oid AND deptype = 'e')
    ORDER BY item.relname <> 'Workspace' AND key."column" = 'workspaceId', item.relname = 'Workspace', item.oid`);
}

/** Whether a table is distributed in a way that {@link distributeTables} does not change. */
export const isMisplaced = ({ actual, wanted }: Table): boolean =>
  actual !== null && actual !== wanted && wanted !== coordinator;

/** Whether {@link distributeTables} has work left on a table. */
export const isUnfinished = ({ actual, wanted, hasLocalRows, lacksIdentity }: Table): boolean =>
  actual !== wanted || hasLocalRows || (lacksIdentity && wanted !== coordinator);

export const describeMisplaced = ({ name, wanted }: Table): string =>
  `${name} is distributed, but not by ${wanted} together with "Workspace": restore a dump into a new database, and distribute that.`;

/** The functions that exist only on the coordinator. */
export function localFunctions(query: Query): Promise<Record<string, unknown>[]> {
  return query(`
    SELECT oid::regprocedure::text AS "name" FROM pg_proc WHERE pronamespace = 'public'::regnamespace
      AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e')
      AND NOT EXISTS (SELECT FROM pg_dist_object AS distributed WHERE distributed.classid = 'pg_proc'::regclass AND distributed.objid = pg_proc.oid)`);
}

/** The statements that drop the triggers of tables and the foreign keys between them, and that create them again. */
function referencesAndTriggers(query: Query, tables: readonly Table[]) {
  return query<{ drop: string; create: string }>(
    `WITH changed AS (SELECT unnest($1::regclass[]) AS "table")
     SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS "drop",
       format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS "create"
     FROM pg_constraint WHERE contype = 'f' AND conrelid IN (SELECT "table" FROM changed) AND confrelid IN (SELECT "table" FROM changed)
     UNION ALL SELECT format('DROP TRIGGER %I ON %s', tgname, tgrelid::regclass), pg_get_triggerdef(oid)
     FROM pg_trigger WHERE NOT tgisinternal AND tgrelid IN (SELECT "table" FROM changed)`,
    [tables.map(({ name }) => name)],
  );
}

function statementsFor({ name, wanted, actual, lacksIdentity }: Table): string[] {
  const statements: string[] = [];
  if (wanted === coordinator) {
    if (actual !== null && actual !== coordinator) statements.push(`SELECT undistribute_table('${name}')`);
    if (actual !== coordinator) statements.push(`SELECT citus_add_local_table_to_metadata('${name}')`);
    return statements;
  }
  if (actual === null) {
    const companion = name === '"Workspace"' ? "none" : '"Workspace"';
    statements.push(
      `SELECT create_distributed_table('${name}', '${wanted}', colocate_with => '${companion}')`,
    );
  }
  // The local rows have been copied to the nodes.
  statements.push(`SELECT truncate_local_data_after_distributing_table('${name}')`);
  // A unique index with nullable columns does not identify a row.
  if (lacksIdentity) statements.push(`ALTER TABLE ${name} REPLICA IDENTITY FULL`);
  return statements;
}

function describeChange({ name, wanted, actual, hasLocalRows, size }: Table): string {
  if (actual === null)
    return wanted === coordinator
      ? `${name} is kept on ${coordinator} (${size}).`
      : `${name} is distributed by ${wanted} (${size}).`;
  if (actual !== wanted) return `${name} was distributed, and is kept on ${coordinator}.`;
  return hasLocalRows
    ? `${name} is rid of local rows from before it was distributed (${size}).`
    : `${name} may be moved to other nodes while it is written.`;
}
