import { type ChildProcess, type ForkOptions, fork } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The directory of the commands, as seen from both `src/platform/` and `dist/chunks/`.
 */
const commands = fileURLToPath(new URL("../commands", import.meta.url));
const extension = path.extname(fileURLToPath(import.meta.url));
/** Runs the sources, in development and in tests. */
const withTypeScript = ["--import", "tsx"];

/** Starts a command in its own process. The process ends with this one. */
export function forkCommand(name: string, options: ForkOptions = {}): ChildProcess {
  const command = fork(path.join(commands, `${name}${extension}`), {
    ...(extension === ".ts" && { execArgv: withTypeScript }),
    ...options,
  });
  const end = () => void command.kill();
  process.once("exit", end);
  command.once("exit", () => process.off("exit", end));
  // One that cannot be started fails at each message, too. Its end tells the caller enough.
  command.on("error", () => {});
  return command;
}
