import { execFileSync } from "node:child_process";

/** The program to test with. */
export const pgbouncerPath = process.env.PGBOUNCER_PATH ?? "/usr/sbin/pgbouncer";

/**
 * The version of the PgBouncer at `PGBOUNCER_PATH`, such as [1, 18]; undefined if there
 * is none.
 */
export function readPgbouncerVersion(): [number, number] | undefined {
  try {
    const [, major, minor] =
      /PgBouncer (\d+)\.(\d+)/.exec(execFileSync(pgbouncerPath, ["--version"], { encoding: "utf8" })) ?? [];
    return [Number(major), Number(minor)];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
