import pg from "pg";
import { cpuSeconds } from "./measured-process.js";

/**
 * The processes of a PostgreSQL server on this machine that serve the clients of one
 * database.
 */
export class PostgresqlBackends {
  readonly #client: pg.Client;
  /** The last known use of each process. A process that has ended keeps its part. */
  readonly #seconds = new Map<number, number>();

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async connect(database: string): Promise<PostgresqlBackends> {
    const client = new pg.Client({ connectionString: database });
    await client.connect();
    return new PostgresqlBackends(client);
  }

  /** The CPU seconds that the processes have used so far. */
  async cpu(): Promise<number> {
    const { rows } = await this.#client.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
    );
    for (const { pid } of rows) {
      try {
        this.#seconds.set(pid, cpuSeconds(pid));
      } catch (error) {
        // The process has ended since the server listed it.
        if (!["ENOENT", "ESRCH"].includes(String((error as NodeJS.ErrnoException).code))) throw error;
      }
    }
    return [...this.#seconds.values()].reduce((sum, seconds) => sum + seconds, 0);
  }

  close(): Promise<void> {
    return this.#client.end();
  }
}
