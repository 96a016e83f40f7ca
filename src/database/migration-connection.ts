import type pg from "pg";

/** A single connection: statements that change the schema must not be spread over a pool. */
export interface MigrationConnection {
  query(sql: string, parameters?: unknown[]): Promise<Record<string, unknown>[]>;
  /** Runs a script of several statements. */
  script(sql: string): Promise<void>;
}

/** What runs statements of migrations over a client of `pg`, or over a pool of one. */
export const migrationConnection = (client: Pick<pg.Client, "query"> | Pick<pg.Pool, "query">): MigrationConnection => ({
  query: async (sql, parameters) => (await (client as pg.Client).query(sql, parameters)).rows,
  script: async (sql) => void (await (client as pg.Client).query(sql)),
});
