import { Readable } from "node:stream";
import type { BenchRun } from "./bench-case.js";
import { datasetEnd } from "./dataset.js";
import { MeasuredProcess, median, megabytes } from "./measured-process.js";
import type { Figure } from "./report.js";

async function download(url: string, authorization?: string): Promise<number> {
  const started = performance.now();
  const response = await fetch(url, authorization ? { headers: { authorization } } : {});
  if (!response.ok || !response.body) throw new Error(`${url} returned ${response.status}: ${await response.text()}`);
  for await (const _chunk of Readable.fromWeb(response.body as never));
  return (performance.now() - started) / 1000;
}

/** The URL that exports the newest `rows` alerts. */
function exportUrl({ gateway, alerts, days }: BenchRun, rows: number): string {
  const end = datasetEnd.getTime();
  // Half an interval before the last alert.
  const start = Math.floor(end - ((rows + 0.5) * days * 86_400_000) / alerts);
  return `${gateway.url}/alerts/export?start=${start}&end=${end}`;
}

/** Rows per second compared with exceljs alone, and memory above idle, for small and large exports. */
export async function benchExport(run: BenchRun): Promise<Figure[]> {
  const { gateway, authorization, repetitions } = run;
  const rows = Math.min(100_000, run.alerts);
  const manyRows = Math.min(500_000, run.alerts);
  const baseline = await MeasuredProcess.start(
    ["--import", "tsx", "test/bench/spreadsheet-baseline.ts", run.database, String(rows)],
    {},
    /listening on (\S+)/,
  );
  try {
    await download(exportUrl(run, 1000), authorization);
    const idle = gateway.memory;
    const seconds: { gateway: number[]; baseline: number[] } = { gateway: [], baseline: [] };
    gateway.resetPeak();
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      seconds.gateway.push(await download(exportUrl(run, rows), authorization));
      seconds.baseline.push(await download(baseline.url));
    }
    const peak = gateway.peak;
    gateway.resetPeak();
    await download(exportUrl(run, manyRows), authorization);
    const speed = { gateway: rows / median(seconds.gateway), baseline: rows / median(seconds.baseline) };
    return [
      {
        name: `Export of ${rows} alerts, rows per second, relative to exceljs alone`,
        value: round(speed.gateway / speed.baseline),
        unit: "×",
        atLeast: 0.7,
      },
      { name: "Export, rows per second", value: Math.round(speed.gateway), unit: "/s" },
      { name: "exceljs alone, rows per second", value: Math.round(speed.baseline), unit: "/s" },
      { name: "Idle memory before exports", value: megabytes(idle), unit: "MB" },
      { name: `Export of ${rows} alerts, memory above idle`, value: megabytes(peak - idle), unit: "MB", atMost: 160 },
      { name: `Export of ${manyRows} alerts, memory above idle`, value: megabytes(gateway.peak - idle), unit: "MB", atMost: 160 },
    ];
  } finally {
    await baseline.stop();
  }
}

const round = (value: number) => Math.round(value * 100) / 100;
