import { defined } from "../../../platform/defined.js";
import type { MigrationConnection } from "../migration-connection.js";
import { sessionIssues, sessionStateQuery } from "../session-settings.js";

type Query = MigrationConnection["query"];

/** Whether the workspaces of a database are distributed over the nodes of a Citus cluster. */
export async function isDistributed(query: Query): Promise<boolean> {
  const [catalog] = await query(`SELECT to_regclass('pg_dist_partition') IS NOT NULL AS "exists"`);
  if (!catalog?.exists) return false;
  const [workspaces] = await query(
    `SELECT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass('"Workspace"')) AS "areDistributed"`,
  );
  return Boolean(workspaces?.areDistributed);
}

/** The reasons why a cluster cannot distribute or use the tables: one sentence for each, with its remedy. */
export async function clusterIssues(query: Query): Promise<string[]> {
  const [database] = await query(`
    SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS "hasExtension", current_setting('citus.version', true) AS "version"`);
  if (!database?.hasExtension || !database.version) {
    return [
      "The database has no Citus extension: run CREATE EXTENSION citus on every node, and add the nodes.",
    ];
  }
  const [cluster] = await query(`
    SELECT (SELECT groupid = 0 FROM pg_dist_local_group) AS "isCoordinator", EXISTS (SELECT FROM pg_dist_node WHERE groupid = 0) AS "isKnown",
      EXISTS (SELECT FROM pg_dist_node WHERE shouldhaveshards AND noderole = 'primary') AS "hasWorkers"`);
  if (!cluster?.isCoordinator)
    return ["This is a worker node: DATABASE_URL has to be the address of the coordinator."];
  const issues: string[] = [];
  if (!cluster.isKnown) {
    issues.push(
      "The nodes do not know the coordinator: run SELECT citus_set_coordinator_host('<its host>', <its port>), by which they reach it.",
    );
  }
  if (!cluster.hasWorkers)
    issues.push(
      "There is no worker node: add one or more with SELECT citus_add_node('<its host>', <its port>).",
    );
  return [
    ...issues,
    ...(await nodeIssues(query, String(database.version))),
    ...(await nodeSettingIssues(query)).map((issue) => `${issue}.`),
  ];
}

async function nodeIssues(query: Query, version: string): Promise<string[]> {
  const nodes = await query(`
    SELECT format('%s:%s', nodename, nodeport) AS "node", format('citus_activate_node(%L, %s)', nodename, nodeport) AS "activation", isactive AS "isActive", metadatasynced OR groupid = 0 AS "isSynced", answer.result,
      CASE WHEN success THEN result::json END ->> 'version' AS "version", CASE WHEN success THEN result::json END ->> 'triggers' AS "triggers"
    FROM pg_dist_node LEFT JOIN run_command_on_all_nodes(
      $$SELECT json_build_object('version', current_setting('citus.version'), 'triggers', current_setting('citus.enable_unsafe_triggers'))$$,
      give_warning_for_connection_errors => true) AS answer USING (nodeid)
    WHERE noderole = 'primary' ORDER BY nodeid`);
  return nodes.flatMap((each) => {
    const node = `Node ${each.node}`;
    if (!each.isActive) return [`${node} is not active: add it back with SELECT ${each.activation}.`];
    if (each.version === null) return [`${node} does not answer: ${each.result}.`];
    return [
      ...(each.version === version
        ? []
        : [
            `${node} runs Citus ${each.version}, the coordinator ${version}: upgrade them to the same version.`,
          ]),
      ...(each.triggers === "on"
        ? []
        : [
            `${node} has citus.enable_unsafe_triggers off, so that no trigger counts its alerts: set it to on in the configuration of every node.`,
          ]),
      ...(each.isSynced
        ? []
        : [`${node} lacks the latest metadata: run SELECT start_metadata_sync_to_all_nodes().`]),
    ];
  });
}

/** Why statements cannot run on the nodes with shards. The coordinator connects to each, where settings may differ. */
export async function nodeSettingIssues(query: Query): Promise<string[]> {
  const nodes = await query(`
    SELECT format('%s:%s', nodename, nodeport) AS "node", result FROM pg_dist_node
    JOIN run_command_on_all_nodes($state$SELECT to_json(state) FROM (${sessionStateQuery}) AS state$state$, give_warning_for_connection_errors => true)
      AS answer USING (nodeid)
    WHERE success AND shouldhaveshards ORDER BY nodeid`);
  return nodes.flatMap(({ node, result }) =>
    [...sessionIssues(JSON.parse(String(result))).values()].map((issue) => `On node ${node}: ${issue}`),
  );
}

/** Describes the nodes of the workspaces in a distributed database, and suggests improvements to the operator. */
export async function describeCluster(query: Query): Promise<string[]> {
  const [cluster] = await query<{ shards: number; nodes: number; empty: string | null }>(`
    WITH placement AS (
      SELECT shardid, groupid FROM pg_dist_shard JOIN pg_dist_placement USING (shardid) WHERE logicalrelid = '"Workspace"'::regclass)
    SELECT (SELECT count(DISTINCT shardid)::int FROM placement) AS "shards", (SELECT count(DISTINCT groupid)::int FROM placement) AS "nodes",
      (SELECT string_agg(format('%s:%s', nodename, nodeport), ', ' ORDER BY nodeid) FROM pg_dist_node
       WHERE noderole = 'primary' AND isactive AND shouldhaveshards AND groupid NOT IN (SELECT groupid FROM placement)) AS "empty"`);
  const { shards, nodes, empty } = defined(cluster);
  const lines = [
    `The workspaces are in ${shards} ${shards === 1 ? "shard" : "shards"} on ${nodes} ${nodes === 1 ? "node" : "nodes"}.`,
  ];
  if (empty && shards > nodes)
    lines.push(
      `There are none on ${empty}: SELECT citus_rebalance_start() moves some there, while they are used.`,
    );
  return lines;
}
