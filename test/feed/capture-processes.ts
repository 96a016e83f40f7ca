import { readdirSync, readFileSync } from "node:fs";

/** The text of a file of /proc; empty if its process has ended. */
function read(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch (error) {
    if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return "";
    throw error;
  }
}

/**
 * The command lines of the programs that capture streams now: of the children of this process
 * that read a script.
 */
export function captureProcesses(): string[] {
  return readdirSync("/proc/self/task")
    .flatMap((thread) => read(`/proc/self/task/${thread}/children`).split(" "))
    .filter((id) => id !== "")
    .map((id) => read(`/proc/${id}/cmdline`))
    .filter((command) => command.includes("pipe:0"));
}
