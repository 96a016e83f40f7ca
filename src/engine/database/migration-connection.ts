/** A pool would spread the statements of a schema change over several. */
export interface MigrationConnection {
  query(sql: string, parameters?: unknown[]): Promise<Record<string, unknown>[]>;
  script(sql: string): Promise<void>;
}

interface Client {
  query(sql: string, parameters?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}

export const migrationConnection = (client: Client): MigrationConnection => ({
  query: async (sql, parameters) => (await client.query(sql, parameters)).rows,
  script: async (sql) => void (await client.query(sql)),
});
