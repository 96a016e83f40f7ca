import path from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { MeasuredProcess } from "./measured-process.js";

/** Starts a build with the command of `npm start`, because its flags affect the results. */
export async function startBuild(
  directory: string,
  environment: Record<string, string>,
  nodeOptions: readonly string[] = [],
): Promise<MeasuredProcess> {
  const [main, ...flags] = packageJson.scripts.start.replace("exec node ", "").split(" ").reverse();
  return MeasuredProcess.start([...flags, ...nodeOptions, path.resolve(directory, main as string)], environment, /Playground\s+(http:\S+)\/graphql/);
}
