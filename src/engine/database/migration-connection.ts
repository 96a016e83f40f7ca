import type pg from "pg";
/** A single connection: a pool would spread the statements of a schema change over several. */
export interface MigrationConnection {
  /** The rows of a statement, which selects what the type of a row names. */
  query<Row extends pg.QueryResultRow = Record<string, unknown>>(
    sql: string,
    parameters?: unknown[],
  ): Promise<Row[]>;
  script(sql: string): Promise<void>;
}

interface Client {
  query<Row extends pg.QueryResultRow>(sql: string, parameters?: unknown[]): Promise<{ rows: Row[] }>;
}

export const migrationConnection = (client: Client): MigrationConnection => ({
  query: async <Row extends pg.QueryResultRow>(sql: string, parameters?: unknown[]) =>
    (await client.query<Row>(sql, parameters)).rows,
  script: async (sql) => void (await client.query(sql)),
});
