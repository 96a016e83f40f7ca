import { readFileSync } from "node:fs";
import path from "node:path";
import { MeasuredProcess } from "./measured-process.js";

/**
 * Starts a build with the command of its `npm start`, because the flags affect the
 * results.
 */
export async function startBuild(
  directory: string,
  environment: Record<string, string>,
  nodeOptions: readonly string[] = [],
): Promise<MeasuredProcess> {
  const { scripts } = JSON.parse(readFileSync(path.join(directory, "package.json"), "utf8")) as {
    scripts: { start: string };
  };
  const [main, ...flags] = scripts.start.replace("exec node ", "").split(" ").reverse();
  return MeasuredProcess.start(
    [...flags, ...nodeOptions, path.resolve(directory, main as string)],
    environment,
    /Playground\s+(http:\S+)\/graphql/,
  );
}
