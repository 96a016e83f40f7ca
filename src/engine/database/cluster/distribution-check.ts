import { migrationState, readMigrations } from "../migrate.js";
import type { MigrationConnection } from "../migration-connection.js";
import { clusterIssues } from "./cluster.js";
import { describeMisplaced, isMisplaced, isUnfinished, localFunctions, readTables } from "./distribute.js";

type Query = MigrationConnection["query"];

/** The problems in the database of a Citus cluster: one sentence for each, with its remedy. Changes nothing. */
export async function distributionIssues({ query }: MigrationConnection): Promise<string[]> {
  const issues = await clusterIssues(query);
  if (issues.length > 0) return issues;
  const { missing } = await migrationState(query);
  if (missing.length > 0)
    return [`The database lacks migrations (${missing.join(", ")}): run \`npm run migrate\`.`];
  return [...(await tableIssues(query)), ...(await missingObjects(query)), ...(await shardIssues(query))];
}

async function tableIssues(query: Query): Promise<string[]> {
  const remedy = "run `npm run distribute`";
  const tables = (await readTables(query)).filter((table) => isMisplaced(table) || isUnfinished(table));
  const functions = await localFunctions(query);
  return [
    ...tables.map((table) => {
      if (isMisplaced(table)) return describeMisplaced(table);
      const { name, wanted, actual, hasLocalRows } = table;
      if (actual === null) return `${name} is not distributed: ${remedy}.`;
      if (actual !== wanted) return `${name} is distributed instead of kept on the coordinator: ${remedy}.`;
      return hasLocalRows
        ? `${name} has local rows from before it was distributed: ${remedy}.`
        : `${name} cannot be moved while it is written: ${remedy}.`;
    }),
    ...functions.map(({ name }) => `Only the coordinator has the function ${name}: ${remedy}.`),
  ];
}

/** Compares the foreign keys and triggers with those of the migrations. */
async function missingObjects(query: Query): Promise<string[]> {
  const rows = await query(`
    SELECT format('"%s"', conname) AS "name" FROM pg_constraint WHERE contype = 'f' UNION ALL SELECT format('"%s"', tgname) FROM pg_trigger WHERE NOT tgisinternal`);
  const names = new Set(rows.map(({ name }) => name));
  const missing = (await foreignKeysAndTriggers()).filter((name) => !names.has(name));
  return missing.map(
    (name) => `The foreign key or trigger ${name} is missing: create it as its migration does.`,
  );
}

/** The names of the foreign keys and triggers that remain after all migrations, quoted as in SQL. */
export async function foreignKeysAndTriggers(): Promise<string[]> {
  const left = new Set<string>();
  for (const { sql } of await readMigrations()) {
    for (const [, verb, name = "", foreignKey] of sql.matchAll(
      /\b(CREATE TRIGGER|DROP TRIGGER|ADD CONSTRAINT|DROP CONSTRAINT) ("[^"]+")( FOREIGN KEY)?/g,
    )) {
      if (verb?.startsWith("DROP")) left.delete(name);
      else if (verb === "CREATE TRIGGER" || foreignKey) left.add(name);
    }
  }
  return [...left];
}

/** Each node compares its shards with their tables, without triggers for TRUNCATE: only moved shards have them. */
const differingShards = `
  SELECT coalesce(string_agg(DISTINCT logicalrelid::text, ', '), '')
  FROM pg_dist_shard JOIN pg_dist_placement USING (shardid), to_regclass(shard_name(logicalrelid, shardid)) AS shard
  WHERE groupid = (SELECT groupid FROM pg_dist_local_group)
    AND (shardstate <> 1 OR shard IS NULL
      OR (SELECT count(*) FROM pg_trigger WHERE tgrelid = shard AND NOT tgisinternal AND tgtype & 32 = 0)
        <> (SELECT count(*) FROM pg_trigger WHERE tgrelid = logicalrelid AND NOT tgisinternal AND tgtype & 32 = 0)
      OR (SELECT count(*) FROM pg_constraint WHERE conrelid = shard AND contype = 'f')
        <> (SELECT count(*) FROM pg_constraint WHERE conrelid = logicalrelid AND contype = 'f')
      OR (SELECT count(*) FROM pg_index WHERE indrelid = shard AND indisvalid)
        <> (SELECT count(*) FROM pg_index WHERE indrelid = logicalrelid AND indisvalid))`;

async function shardIssues(query: Query): Promise<string[]> {
  const nodes = await query(
    `SELECT format('%s:%s', nodename, nodeport) AS "node", result FROM run_command_on_all_nodes($1) JOIN pg_dist_node USING (nodeid) WHERE result <> '' ORDER BY nodeid`,
    [differingShards],
  );
  return nodes.map(
    ({ node, result }) =>
      `Shards on node ${node} are not active, or have other triggers, foreign keys or indexes than their tables: those of ${result}.`,
  );
}
