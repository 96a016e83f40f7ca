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

/** A child process of this one. */
export interface CaptureProcess {
  arguments: string;
  environment: string;
}

/**
 * The programs that capture streams now: the children of this process that read a script.
 */
export function captureProcesses(): CaptureProcess[] {
  return readdirSync("/proc/self/task")
    .flatMap((thread) => read(`/proc/self/task/${thread}/children`).split(" "))
    .filter((id) => id !== "")
    .map((id) => ({ arguments: read(`/proc/${id}/cmdline`), environment: read(`/proc/${id}/environ`) }))
    .filter((child) => child.arguments.includes("pipe:0"));
}
