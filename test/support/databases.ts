import pg from "pg";

/** A PostgreSQL server, or the coordinator of a Citus cluster. */
export interface TestServer {
  url: string;
  /** The start of the names of all databases. */
  prefix: string;
  isCluster: boolean;
}

/** Creates a database, as a copy of another if given. Returns its address. */
export async function createDatabase(server: TestServer, name: string, template?: string): Promise<string> {
  const database = `${server.prefix}_${name}`;
  const source = template && `${server.prefix}_${template}`;
  if (!server.isCluster) await copyDatabase(server.url, database, source);
  // Citus's knowledge of a database is in the database itself, on each node.
  else if (source)
    await Promise.all((await nodesOf(server.url)).map((node) => copyDatabase(node, database, source)));
  else await createOnCluster(server.url, database);
  return at(server.url, database);
}

const copyDatabase = (server: string, database: string, source = "template1") =>
  onServer(server, `CREATE DATABASE "${database}" TEMPLATE "${source}"`);

/**
 * Ends all connections to a database and refuses new ones, because only unused databases
 * can be copied.
 */
export async function closeDatabase(server: TestServer, name: string): Promise<void> {
  const database = `${server.prefix}_${name}`;
  const nodes = server.isCluster ? await nodesOf(server.url) : [server.url];
  for (const node of nodes) await onServer(node, `ALTER DATABASE "${database}" ALLOW_CONNECTIONS false`);
  for (const node of nodes)
    await onServer(
      node,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`,
    );
}

/** Drops a database that {@link createDatabase} created. */
export function dropDatabase(server: TestServer, name: string): Promise<void> {
  return drop(server, `${server.prefix}_${name}`);
}

/** Drops all databases with the prefix of a server. */
export async function dropDatabases(server: TestServer): Promise<void> {
  const names = await onServer(
    server.url,
    `SELECT datname FROM pg_database WHERE starts_with(datname, '${server.prefix}')`,
  );
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

/** Creates an empty database on all nodes of the Citus cluster of `coordinator`. */
async function createOnCluster(coordinator: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: coordinator });
  await client.connect();
  try {
    // Nodes that join in two databases at once update the same rows of shared catalogs:
    // "tuple concurrently updated".
    await client.query("SELECT pg_advisory_lock(hashtext('databases of tests'))");
    await createOnNodes(coordinator, name);
  } finally {
    await client.end();
  }
}

async function createOnNodes(coordinator: string, name: string): Promise<void> {
  const nodes = await nodesOf(coordinator);
  for (const node of nodes) {
    await copyDatabase(node, name);
    await onServer(at(node, name), "CREATE EXTENSION citus");
    // Each shard is a table: the default of 32 would make hundreds. With two, each worker
    // node has one.
    await onServer(node, `ALTER DATABASE "${name}" SET citus.shard_count = 2`);
  }
  for (const [index, node] of nodes.entries()) {
    const { hostname, port } = new URL(node);
    const join = index === 0 ? "citus_set_coordinator_host" : "citus_add_node";
    await onServer(at(coordinator, name), `SELECT ${join}('${hostname}', ${port})`);
  }
}

/** Drops a database on all nodes. */
async function dropDistributedDatabase(coordinator: string, name: string): Promise<void> {
  const nodes = await nodesOf(coordinator);
  await Promise.all(nodes.map((node) => onServer(node, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`)));
}

/**
 * The addresses of the nodes, the coordinator's first, with the database of the given
 * one.
 */
export async function nodesOf(coordinator: string): Promise<string[]> {
  const rows = await onServer(
    coordinator,
    `SELECT nodename AS "host", nodeport AS "port" FROM pg_dist_node ORDER BY groupid`,
  );
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
