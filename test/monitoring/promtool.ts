import { spawnSync } from "node:child_process";

/** The program of Debian's package `prometheus` that checks metrics and rules. */
export const promtoolPath = process.env.PROMTOOL_PATH ?? "/usr/bin/promtool";

/** Runs promtool. Returns its output; undefined if it is not installed. */
export function promtool(parameters: readonly string[], input = ""): string | undefined {
  const { error, stdout, stderr } = spawnSync(promtoolPath, parameters, { encoding: "utf8", input });
  if ((error as NodeJS.ErrnoException | undefined)?.code === "ENOENT") return undefined;
  if (error) throw error;
  return `${stdout}${stderr}`;
}
