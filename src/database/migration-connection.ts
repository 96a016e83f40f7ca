/** A single connection: statements that change the schema must not be spread over a pool. */
export interface MigrationConnection {
  query(sql: string, parameters?: unknown[]): Promise<Record<string, unknown>[]>;
  /** Runs a script of several statements. */
  script(sql: string): Promise<void>;
}
