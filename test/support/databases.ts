import pg from "pg";
import { migrateServer } from "../../src/database/client.js";
import { distributeTables } from "../../src/database/distribute.js";

/** A server, or the coordinator of a Citus cluster, on which there are no templates: where one is asked for, the tables are made anew. */
export interface TestServer {
  url: string;
  /** How the names of all databases begin. */
  prefix: string;
  isCluster: boolean;
}

/** Creates a database, as a copy of another where one is given, and answers its address. */
export async function createDatabase(server: TestServer, name: string, template?: string): Promise<string> {
  const database = `${server.prefix}_${name}`;
  if (server.isCluster) {
    const url = await createOnCluster(server.url, database);
    if (template) await distribute(url);
    return url;
  }
  await onServer(server.url, `CREATE DATABASE "${database}"${template ? ` TEMPLATE "${server.prefix}_${template}"` : ""}`);
  return at(server.url, database);
}

/** Drops a database that {@link createDatabase} created. */
export function dropDatabase(server: TestServer, name: string): Promise<void> {
  return drop(server, `${server.prefix}_${name}`);
}

/** Drops all databases with the prefix of a server. */
export async function dropDatabases(server: TestServer): Promise<void> {
  const names = await onServer(server.url, `SELECT datname FROM pg_database WHERE starts_with(datname, '${server.prefix}')`);
  for (const { datname } of names) await drop(server, datname as string);
}

async function drop({ url, isCluster }: TestServer, database: string): Promise<void> {
  if (isCluster) await dropDistributedDatabase(url, database);
  else await onServer(url, `DROP DATABASE "${database}" WITH (FORCE)`);
}

/** Runs one statement on the server's maintenance connection. */
export async function onServer(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Creates an empty database on all nodes of the Citus cluster of `coordinator`, and returns its URL. */
async function createOnCluster(coordinator: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: coordinator });
  await client.connect();
  try {
    // Nodes that join in two databases at once update the same rows of shared catalogs: "tuple concurrently updated".
    await client.query("SELECT pg_advisory_lock(hashtext('databases of tests'))");
    return await createOnNodes(coordinator, name);
  } finally {
    await client.end();
  }
}

async function createOnNodes(coordinator: string, name: string): Promise<string> {
  const nodes = await nodesOf(coordinator);
  for (const node of nodes) {
    await onServer(node, `CREATE DATABASE "${name}"`);
    await onServer(at(node, name), "CREATE EXTENSION citus");
    // Each shard is a table: the default of 32 would make hundreds.
    await onServer(node, `ALTER DATABASE "${name}" SET citus.shard_count = 4`);
  }
  const url = at(coordinator, name);
  for (const [index, node] of nodes.entries()) {
    const { hostname, port } = new URL(node);
    await onServer(url, `SELECT ${index === 0 ? "citus_set_coordinator_host" : "citus_add_node"}('${hostname}', ${port})`);
  }
  return url;
}

/** Makes the tables of a database on a cluster. */
async function distribute(url: string): Promise<void> {
  await migrateServer(url);
  await distributeTables(url);
}

/** Drops a database on all nodes. */
async function dropDistributedDatabase(coordinator: string, name: string): Promise<void> {
  for (const node of await nodesOf(coordinator)) await onServer(node, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
}

/** The addresses of the nodes, the coordinator's first, with the database of the given one. */
async function nodesOf(coordinator: string): Promise<string[]> {
  const rows = await onServer(coordinator, `SELECT nodename AS "host", nodeport AS "port" FROM pg_dist_node ORDER BY groupid`);
  return rows.map(({ host, port }) => {
    const url = new URL(coordinator);
    url.hostname = String(host);
    url.port = String(port);
    return url.href;
  });
}

function at(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}
