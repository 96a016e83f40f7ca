import { type ChildProcess, type ForkOptions, fork } from "node:child_process";
import { builtFile, runsSources } from "./project-files.js";

/** Starts a command in a process of its own, which ends with this one. */
export function forkCommand(name: string, options: ForkOptions = {}): ChildProcess {
  const command = fork(builtFile(`src/programs/commands/${name}.ts`, `dist/commands/${name}.js`), {
    ...(runsSources && { execArgv: ["--import", "tsx"] }),
    ...options,
  });
  const end = () => void command.kill();
  process.once("exit", end);
  command.once("exit", () => process.off("exit", end));
  // One that cannot be started fails at each message, too. Its end tells the caller enough.
  command.on("error", () => {});
  return command;
}
