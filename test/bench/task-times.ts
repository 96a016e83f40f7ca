import type { Browser, Page } from "playwright-core";

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** The processor time that the task took, in microseconds. */
  tdur?: number;
  args: { name?: string; data?: { isMainFrame?: boolean } };
}

/**
 * The longest tasks of a page's main thread while a function runs, in milliseconds,
 * longest first. Measured in processor time, so that a busy machine does not make them
 * longer.
 */
export async function longestTasks(
  browser: Browser,
  page: Page,
  run: () => Promise<void>,
): Promise<number[]> {
  await browser.startTracing(page, {
    categories: ["toplevel", "disabled-by-default-devtools.timeline", "__metadata"],
  });
  await run();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: TraceEvent[];
  };
  const mainThreads = new Set(
    traceEvents
      .filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  return traceEvents
    .filter(
      ({ name, pid, tid, tdur }) =>
        name.endsWith("RunTask") && tdur !== undefined && mainThreads.has(`${pid} ${tid}`),
    )
    .map(({ tdur = 0 }) => tdur / 1000)
    .sort((one, other) => other - one)
    .slice(0, 5);
}
