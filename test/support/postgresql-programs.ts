import { execFile, execFileSync } from "node:child_process";
import { promisify } from "node:util";

/** PostgreSQL's client programs for the tests of backups, from the PATH. */
export type PostgresqlProgram = "pg_dump" | "pg_restore";

/** The major version of the client programs; undefined where they are not installed. */
export function postgresqlProgramsVersion(): number | undefined {
  try {
    return Number(
      /\(PostgreSQL\) (\d+)/.exec(
        execFileSync("pg_dump" satisfies PostgresqlProgram, ["--version"], { encoding: "utf8" }),
      )?.[1],
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Runs a client program; fails unless it succeeds. */
export async function runPostgresqlProgram(program: PostgresqlProgram, parameters: string[]): Promise<void> {
  await promisify(execFile)(program, parameters);
}
