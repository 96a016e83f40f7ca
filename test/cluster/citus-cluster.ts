import { execFile, spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { appendFile, readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { onServer } from "../support/databases.js";
import { unusedPort } from "../support/unused-port.js";

const maxStartFailures = 50;
const installations = "/usr/lib/postgresql";

/**
 * The installation of PostgreSQL's server programs with Citus; undefined if there is
 * none.
 */
export const citusInstallation = (existsSync(installations) ? readdirSync(installations) : [])
  .map((version) => path.join(installations, version))
  .find(
    (folder) => existsSync(path.join(folder, "bin/initdb")) && existsSync(path.join(folder, "lib/citus.so")),
  );

const settings = `
listen_addresses = '127.0.0.1'
shared_preload_libraries = 'citus'
wal_level = logical
max_connections = 100
max_prepared_transactions = 100
shared_buffers = 32MB
citus.node_conninfo = 'sslmode=disable'
citus.enable_unsafe_triggers = on
citus.shard_count = 4
# What a lost node has prepared is committed or rolled back so soon after it is back; the default is a minute.
citus.recover_2pc_interval = 1s
`;

/**
 * Ends the nodes and removes their data when its input ends, however this process ends.
 */
const guard = `cat; for data in "$1"/*; do "$0"/pg_ctl -D "$data" -m immediate stop; done; rm -rf "$1"`;

/** PostgreSQL's server refuses to run as root. */
const asPostgres =
  process.getuid?.() === 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] : [];

async function run(...command: string[]): Promise<string> {
  const [program = "", ...parameters] = [...asPostgres, ...command];
  return (await promisify(execFile)(program, parameters)).stdout;
}

/**
 * A separate Citus cluster of a coordinator and two workers, for tests that end its
 * nodes.
 */
export class CitusCluster {
  private constructor(
    private readonly programs: string,
    private readonly directory: string,
    /** The ports of the nodes, the coordinator's first. */
    private readonly ports: readonly number[],
    /** Ends and removes all. */
    readonly remove: () => Promise<void>,
  ) {}

  static async start(): Promise<CitusCluster> {
    if (!citusInstallation) throw new Error("Citus is not installed");
    const programs = path.join(citusInstallation, "bin");
    const directory = (await run("mktemp", "-d", "--tmpdir", "citus-cluster-XXXXXX")).trim();
    const [program = "", ...parameters] = [...asPostgres, "sh", "-c", guard, programs, directory];
    // In a separate session, so that interrupting the tests does not reach the guard.
    const guarding = spawn(program, parameters, { detached: true, stdio: ["pipe", "ignore", "ignore"] });
    const removed = new Promise<void>((resolve) => void guarding.once("close", () => resolve()));
    const remove = () => {
      guarding.stdin.end();
      return removed;
    };
    const cluster = new CitusCluster(
      programs,
      directory,
      [await unusedPort(), await unusedPort(), await unusedPort()],
      remove,
    );
    try {
      await Promise.all(cluster.ports.map((port) => cluster.#create(port)));
      const [coordinator, ...workers] = cluster.ports;
      await onServer(cluster.url, `SELECT citus_set_coordinator_host('127.0.0.1', ${coordinator})`);
      for (const port of workers) await onServer(cluster.url, `SELECT citus_add_node('127.0.0.1', ${port})`);
      return cluster;
    } catch (error) {
      await remove();
      throw error;
    }
  }

  /** The address of the database on the coordinator. */
  get url(): string {
    return this.#urlOf(this.ports[0] as number);
  }

  get workers(): readonly number[] {
    return this.ports.slice(1);
  }

  /** The port of the worker that holds a workspace. */
  async workerOf(workspaceId: string): Promise<number> {
    const [shard] = await onServer(
      this.url,
      `SELECT nodeport AS "port" FROM citus_shards WHERE shardid = get_shard_id_for_distribution_column('"Workspace"', '${workspaceId}')`,
    );
    return shard?.port as number;
  }

  /**
   * The transactions that were prepared and neither committed nor rolled back, on all
   * nodes.
   */
  async preparedTransactions(): Promise<unknown[]> {
    const prepared = await Promise.all(
      this.ports.map((port) => onServer(this.#urlOf(port), "SELECT gid FROM pg_prepared_xacts")),
    );
    return prepared.flat();
  }

  /** Ends all processes of a node at once, as when its machine fails. */
  async kill(port: number): Promise<void> {
    const [line] = (await readFile(path.join(this.#dataOf(port), "postmaster.pid"), "utf8")).split("\n");
    const postmaster = Number(line);
    // Prevents new processes meanwhile.
    process.kill(postmaster, "SIGSTOP");
    const children = (await run("ps", "-o", "pid=", "--ppid", String(postmaster)))
      .trim()
      .split(/\s+/)
      .map(Number);
    for (const pid of [postmaster, ...children]) process.kill(pid, "SIGKILL");
  }

  /**
   * Starts an ended node. It refuses to start until the last of its processes is gone.
   */
  async restart(port: number): Promise<void> {
    for (let failures = 0; ; failures += 1) {
      try {
        await this.#start(port);
        return;
      } catch (error) {
        if (failures === maxStartFailures) throw error;
        await sleep(200);
      }
    }
  }

  async #create(port: number): Promise<void> {
    const data = this.#dataOf(port);
    await run(path.join(this.programs, "initdb"), "-D", data, "-A", "trust", "-U", "postgres", "--no-sync");
    await appendFile(
      path.join(data, "postgresql.conf"),
      `${settings}port = ${port}\nunix_socket_directories = '${data}'\n`,
    );
    await this.#start(port);
    await onServer(this.#urlOf(port), "CREATE EXTENSION citus");
  }

  async #start(port: number): Promise<void> {
    const data = this.#dataOf(port);
    await run(path.join(this.programs, "pg_ctl"), "-D", data, "-l", path.join(data, "log"), "-w", "start");
  }

  #dataOf(port: number): string {
    return path.join(this.directory, String(port));
  }

  #urlOf(port: number): string {
    return `postgresql://postgres@127.0.0.1:${port}/postgres`;
  }
}
