import { Readable } from "node:stream";
import { newestMoment } from "./dataset.js";
import { MeasuredProcess, median, megabytes } from "./process.js";
import type { Figure } from "./report.js";
import type { BenchRun } from "./run.js";

async function download(url: string, authorization?: string): Promise<number> {
  const started = performance.now();
  const response = await fetch(url, authorization ? { headers: { authorization } } : {});
  if (!response.ok || !response.body) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  for await (const _chunk of Readable.fromWeb(response.body as never));
  return (performance.now() - started) / 1000;
}

/** The export of the newest so many alerts. */
function exportUrl({ gateway, alerts, days }: BenchRun, rows: number): string {
  const end = newestMoment.getTime();
  // Half a step further back than the last alert.
  const start = Math.floor(end - ((rows + 0.5) * days * 86_400_000) / alerts);
  return `${gateway.url}/alerts/export?start=${start}&end=${end}`;
}

/** Rows a second beside exceljs alone, and memory above idle, for small and large exports. */
export async function benchExport(run: BenchRun): Promise<Figure[]> {
  const { gateway, authorization, repetitions } = run;
  const rows = Math.min(100_000, run.alerts);
  const many = Math.min(500_000, run.alerts);
  const bare = await MeasuredProcess.start(
    ["--import", "tsx", "test/bench/bare-spreadsheet.ts", run.database, String(rows)],
    {},
    /listening on (\S+)/,
  );
  try {
    await download(exportUrl(run, 1000), authorization);
    const idle = gateway.memory;
    const seconds: { gateway: number[]; bare: number[] } = { gateway: [], bare: [] };
    gateway.forgetPeak();
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      seconds.gateway.push(await download(exportUrl(run, rows), authorization));
      seconds.bare.push(await download(bare.url));
    }
    const peak = gateway.peak;
    gateway.forgetPeak();
    await download(exportUrl(run, many), authorization);
    const speed = { gateway: rows / median(seconds.gateway), bare: rows / median(seconds.bare) };
    return [
      { name: `Export of ${rows} alerts, rows a second, beside exceljs alone`, value: round(speed.gateway / speed.bare), unit: "×", atLeast: 0.7 },
      { name: "Export, rows a second", value: Math.round(speed.gateway), unit: "/s" },
      { name: "exceljs alone, rows a second", value: Math.round(speed.bare), unit: "/s" },
      { name: "Idle memory before exports", value: megabytes(idle), unit: "MB" },
      { name: `Export of ${rows} alerts, memory above idle`, value: megabytes(peak - idle), unit: "MB", atMost: 160 },
      { name: `Export of ${many} alerts, memory above idle`, value: megabytes(gateway.peak - idle), unit: "MB", atMost: 160 },
    ];
  } finally {
    await bare.stop();
  }
}

const round = (value: number) => Math.round(value * 100) / 100;
