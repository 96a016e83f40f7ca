import { readdir, readFile } from "node:fs/promises";

/** A process of this machine. */
export interface SystemProcess {
  pid: number;
  command: string;
}

/** A file of a process; empty if that has ended. */
const read = (pid: number, file: string) => readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "");

/** The processes that a process started, and those that they started. */
export async function descendantsOf(pid: number): Promise<SystemProcess[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(threads.map((thread) => read(pid, `task/${thread}/children`)));
  const children = lists.flatMap((list) => list.split(" ").filter((id) => id !== "")).map(Number);
  const found = await Promise.all(
    children.map(async (child) => [
      { pid: child, command: await read(child, "cmdline") },
      ...(await descendantsOf(child)),
    ]),
  );
  return found.flat();
}

/** The environment of a process; empty if it has ended. */
export const environmentOf = ({ pid }: SystemProcess): Promise<string> => read(pid, "environ");

/** Whether a process has not ended. */
export async function isRunning({ pid }: SystemProcess): Promise<boolean> {
  const [, state = "Z"] = /^\d+ \(.*\) (\w) /s.exec(await read(pid, "stat")) ?? [];
  return state !== "Z";
}
