/**
 * A single connection: statements that change the schema must not be spread over a pool.
 */
export interface MigrationConnection {
  query(sql: string, parameters?: unknown[]): Promise<Record<string, unknown>[]>;
  /** Runs a script of several statements. */
  script(sql: string): Promise<void>;
}

/** A client of `pg`, or its pool of one. */
interface Client {
  query(sql: string, parameters?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}

/** What runs the statements of migrations over a client. */
export const migrationConnection = (client: Client): MigrationConnection => ({
  query: async (sql, parameters) => (await client.query(sql, parameters)).rows,
  script: async (sql) => void (await client.query(sql)),
});
