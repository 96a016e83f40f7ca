import { Readable } from "node:stream";
import { startServer } from "./announce.js";
import type { BenchRun } from "./bench-case.js";
import { datasetEnd } from "./dataset.js";
import { median, megabytes, round } from "./measured-process.js";
import { type Figure, figure } from "./report.js";

/** The seconds until an answer is received completely. */
export async function download(url: string, request: RequestInit = {}): Promise<number> {
  const started = performance.now();
  const response = await fetch(url, request);
  if (!response.ok || !response.body)
    throw new Error(`${url} returned ${response.status}: ${await response.text()}`);
  for await (const _chunk of Readable.fromWeb(response.body as never));
  return (performance.now() - started) / 1000;
}

/** The period of the newest `rows` alerts. */
export function exportPeriod(
  { alerts, days }: Pick<BenchRun, "alerts" | "days">,
  rows: number,
): [start: number, end: number] {
  const end = datasetEnd.getTime();
  // Half an interval before the last alert.
  return [Math.floor(end - ((rows + 0.5) * days * 86_400_000) / alerts), end];
}

/** The path of the export. */
export function exportPath(run: BenchRun, rows: number): string {
  const [start, end] = exportPeriod(run, rows);
  return `/alerts/export?start=${start}&end=${end}`;
}

/**
 * Rows per second compared with exceljs alone, and memory above idle, for small and large
 * exports.
 */
export async function benchExport(run: BenchRun): Promise<Figure[]> {
  const { gateway, authorization, repetitions } = run;
  const exportOf = (rows: number) =>
    download(gateway.url + exportPath(run, rows), { headers: { authorization } });
  const rows = Math.min(100_000, run.alerts);
  const manyRows = Math.min(500_000, run.alerts);
  const baseline = await startServer("spreadsheet-baseline", run.database, String(rows));
  try {
    await exportOf(1000);
    const idle = gateway.memory;
    const seconds: { gateway: number[]; baseline: number[] } = { gateway: [], baseline: [] };
    gateway.resetPeak();
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      seconds.gateway.push(await exportOf(rows));
      seconds.baseline.push(await download(baseline.url));
    }
    const peak = gateway.peak;
    gateway.resetPeak();
    await exportOf(manyRows);
    const speed = { gateway: rows / median(seconds.gateway), baseline: rows / median(seconds.baseline) };
    return [
      figure(
        `Export of ${rows} alerts, rows per second, relative to exceljs alone`,
        round(speed.gateway / speed.baseline),
        "×",
        { atLeast: 0.7 },
      ),
      figure("Export, rows per second", Math.round(speed.gateway), "/s"),
      figure("exceljs alone, rows per second", Math.round(speed.baseline), "/s"),
      figure("Idle memory before exports", megabytes(idle), "MB"),
      figure(`Export of ${rows} alerts, memory above idle`, megabytes(peak - idle), "MB", { atMost: 160 }),
      figure(`Export of ${manyRows} alerts, memory above idle`, megabytes(gateway.peak - idle), "MB", {
        atMost: 160,
      }),
    ];
  } finally {
    await baseline.stop();
  }
}
