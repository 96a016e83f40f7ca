import { readFileSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { distributeServer } from "../../src/engine/database/client.js";
import { nodesOf, onServer } from "../support/databases.js";
import { listOf } from "../support/list-of.js";
import { cpuRatios, measureInTurns, ratioFigure, Side } from "./cpu-comparison.js";
import { addWorkspaces, createBenchDatabase, type DatasetSize, loadDataset } from "./dataset.js";
import { idKinds, idOf } from "./dataset-ids.js";
import { type ExplainedStatement, explainedStatementsFile } from "./explained-statements.js";
import { sendRequests } from "./load.js";
import type { MeasuredProcess } from "./measured-process.js";
import { PostgresqlBackends } from "./postgresql-backends.js";
import { batchRecorder, rowsPerBatch } from "./record.js";
import { type Figure, figure, table } from "./report.js";
import {
  connections,
  distinctRequests,
  fetchJson,
  normalize,
  type RequestCase,
  requestCaseDefinitions,
} from "./requests.js";
import { startBuild } from "./start-build.js";

/** The cases that are measured on a cluster. */
export const clusterCases = ["V1", "L", "P", "O-graphql", "O-rest", "record"];

/** Workspaces besides that of the requests, so that each node has some. */
const otherWorkspaces = 40;

/** The arguments of a gateway whose statements are explained. */
const explanation = ["--import", "tsx", "--import", path.resolve("test/bench/explained-statements.ts")];

interface ClusterRun {
  /** The coordinator. */
  citus: string;
  size: DatasetSize;
  repetitions: number;
  cases: readonly string[];
  /** The settings of the gateways, without the database. */
  environment: Record<string, string> & { DATA_DIR: string };
  authorization: string;
}

/** The settings of a gateway. */
type GatewaySettings = Record<string, string> & { DATABASE_URL: string; DATA_DIR: string };

/** The gateways' settings, and the nodes of the cluster, the coordinator first. */
interface Compared {
  cluster: GatewaySettings;
  server: GatewaySettings;
  nodes: string[];
}

/**
 * Compares the CPU time of requests on a Citus cluster with one server and the same data.
 * The one server is the coordinator's, with a database without Citus, so that the version
 * and the settings match the nodes'.
 */
export async function compareWithCluster({
  citus,
  size,
  repetitions,
  cases,
  environment,
  authorization,
}: ClusterRun): Promise<Figure[]> {
  const server = await createBenchDatabase(citus);
  const cluster = await createBenchDatabase(citus, { name: "cluster", isCluster: true });
  try {
    await load(server.url, size);
    await load(cluster.url, size);
    await distribute(cluster.url);
    const nodes = await nodesOf(cluster.url);
    console.error(await description(nodes));
    const settings = ({ url }: { url: string }, folder: string): GatewaySettings => ({
      ...environment,
      DATABASE_URL: url,
      DATA_DIR: path.join(environment.DATA_DIR, folder),
    });
    const compared = { cluster: settings(cluster, "cluster"), server: settings(server, "server"), nodes };
    const figures: Figure[] = [];
    for (const name of cases) {
      console.error(`Measuring ${name}`);
      const work =
        name === "record"
          ? recording(authorization)
          : sending(requestCaseDefinitions[name] as RequestCase, authorization);
      const measured = [
        await explain(name, work, compared.cluster),
        ...(await compare(name, work, compared, repetitions)),
      ];
      figures.push(...measured);
      console.error(table(measured));
    }
    return figures;
  } finally {
    await cluster.drop();
    await server.drop();
  }
}

async function load(url: string, size: DatasetSize): Promise<void> {
  console.error(`Loading ${size.alerts} alerts`);
  await addWorkspaces(url, otherWorkspaces);
  await loadDataset(url, size);
}

async function distribute(url: string): Promise<void> {
  console.error("Distributing the tables");
  // The databases of tests have few shards; this one has as many as a cluster's tables
  // have by default.
  await onServer(url, `ALTER DATABASE "${new URL(url).pathname.slice(1)}" RESET citus.shard_count`);
  await distributeServer(url);
  await onServer(url, "VACUUM ANALYZE");
}

/**
 * Describes the compared servers, with the number of workspaces on each worker node.
 * Fails if a node has none.
 */
async function description([coordinator, ...workers]: string[]): Promise<string> {
  const url = coordinator as string;
  const [versions] = await onServer(
    url,
    "SELECT current_setting('server_version') AS postgresql, extversion AS citus, current_setting('citus.shard_count') AS shards FROM pg_extension WHERE extname = 'citus'",
  );
  const held = await onServer(
    url,
    `SELECT shard.nodeport AS port, sum(counted.result::int)::int AS workspaces,
       bool_or(counted.shardid = get_shard_id_for_distribution_column('"Workspace"', '${idOf(idKinds.workspace, 1)}'::uuid)) AS measured
     FROM run_command_on_shards('"Workspace"', 'SELECT count(*) FROM %s') AS counted JOIN citus_shards AS shard USING (shardid)
     GROUP BY shard.nodeport HAVING sum(counted.result::int) > 0 ORDER BY shard.nodeport`,
  );
  if (held.length < workers.length)
    throw new Error(`Only ${held.length} of ${workers.length} worker nodes have workspaces`);
  const nodes = held.map(
    ({ port, workspaces, measured }) =>
      `${port}: ${workspaces} workspaces${measured ? ", among them that of the requests" : ""}`,
  );
  return `PostgreSQL ${versions?.postgresql} on both sides, Citus ${versions?.citus}, ${versions?.shards} shards; ${nodes.join("; ")}`;
}

/** Work for gateways: a number of units. */
interface Work {
  unit: string;
  units: number;
  run(gateway: MeasuredProcess): Promise<unknown>;
  /** Does a little of the work. The result must be the same for all gateways. */
  sample(gateway: MeasuredProcess): Promise<unknown>;
}

function recording(authorization: string): Work {
  const record = batchRecorder(authorization);
  const units = 20;
  return {
    unit: `recordAlerts of ${rowsPerBatch} alerts`,
    units,
    run: (gateway) => record(gateway, units),
    sample: async (gateway) => void (await record(gateway, 2)),
  };
}

function sending({ description, requestCount, requestFor }: RequestCase, authorization: string): Work {
  const headers = { authorization };
  const requests = listOf(distinctRequests, (n) => ({
    ...requestFor(n).gateway,
    headers,
  }));
  return {
    unit: description,
    units: requestCount,
    run: ({ url }) => sendRequests(url, requests, { connections, amount: requestCount }),
    sample: async ({ url }) => {
      const answers: unknown[] = [];
      for (const request of requests.slice(0, 5))
        answers.push(normalize(await fetchJson(url, request, headers)));
      return answers;
    },
  };
}

/** Fails unless each statement of the work is for one shard. */
async function explain(name: string, work: Work, cluster: GatewaySettings): Promise<Figure> {
  const file = path.join(path.dirname(cluster.DATA_DIR), `${name}-statements.jsonl`);
  const gateway = await startBuild(".", { ...cluster, [explainedStatementsFile]: file }, explanation);
  try {
    await work.sample(gateway);
  } finally {
    await gateway.stop();
  }
  const statements = new Map<string, number[]>();
  for (const line of readFileSync(file, "utf8").trim().split("\n")) {
    const { sql, plan, error } = JSON.parse(line) as ExplainedStatement;
    if (error !== undefined) throw new Error(`${name}: ${error}\n${sql}`);
    const counts = taskCounts(plan);
    if (counts.some((count) => count !== 1))
      throw new Error(`${name}: Task Count: ${counts.join(", ")}\n${sql}`);
    statements.set(sql.replace(/\s+/g, " ").trim(), counts);
  }
  for (const [sql, counts] of statements)
    console.error(`  Task Count: ${counts.join(", ") || "none"}: ${sql.slice(0, 120)}`);
  const distributed = [...statements.values()].filter(({ length }) => length > 0);
  if (distributed.length === 0) throw new Error(`${name}: no statement was for the nodes`);
  return figure(
    `${name}: kinds of statements on the cluster, each with Task Count: 1`,
    distributed.length,
    "",
  );
}

/** The numbers of tasks in a plan: one for each of its distributed parts. */
function taskCounts(plan: unknown): number[] {
  if (typeof plan !== "object" || plan === null) return [];
  return Object.entries(plan).flatMap(([key, value]) =>
    key === "Task Count" ? [value as number] : taskCounts(value),
  );
}

async function compare(
  name: string,
  work: Work,
  { cluster, server, nodes }: Compared,
  repetitions: number,
): Promise<Figure[]> {
  const gateways = await Promise.all([startBuild(".", cluster), startBuild(".", server)]);
  const backends = await Promise.all(
    [...nodes, server.DATABASE_URL].map((url) => PostgresqlBackends.connect(url)),
  );
  try {
    const [ofCluster, ofServer] = [await work.sample(gateways[0]), await work.sample(gateways[1])];
    if (!isDeepStrictEqual(ofCluster, ofServer)) {
      throw new Error(
        `${name}: the cluster gives\n${JSON.stringify(ofCluster)}\nand the server\n${JSON.stringify(ofServer)}`,
      );
    }
    const sides = [
      new Side(gateways[0], backends.slice(0, -1), () => work.run(gateways[0])),
      new Side(gateways[1], backends.slice(-1), () => work.run(gateways[1])),
    ] as const;
    await measureInTurns(sides, { units: work.units, repetitions });
    const workers = nodes.slice(1).map((node) => ` + ${new URL(node).port}`);
    return [
      ratioFigure(`${name}: ${work.unit}: CPU on the cluster relative to one server`, cpuRatios(...sides)),
      sides[0].cpuFigure(`${name}, cluster: CPU of the gateway + coordinator${workers.join("")}`),
      sides[1].cpuFigure(`${name}, one server: CPU of the gateway + PostgreSQL`),
    ];
  } finally {
    await Promise.all([
      ...gateways.map((gateway) => gateway.stop()),
      ...backends.map((each) => each.close()),
    ]);
  }
}
