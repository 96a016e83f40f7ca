import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import packageJson from "../../package.json" with { type: "json" };
import { signToken } from "../../src/access/jwt.js";
import { testSecrets } from "../support/environment.js";
import { benchUser, createBenchDatabase, loadDataset } from "./dataset.js";
import { benchExport } from "./export.js";
import { benchLive } from "./live.js";
import { MeasuredProcess } from "./process.js";
import { benchRecord } from "./record.js";
import { type Figure, isMet, table, writeReport } from "./report.js";
import { requestCases } from "./requests.js";
import type { BenchCase } from "./run.js";
import { soak } from "./soak.js";
import { benchUpload } from "./upload.js";

const cases: Record<string, BenchCase> = { ...requestCases, record: benchRecord, live: benchLive, export: benchExport, upload: benchUpload };

const { values: options } = parseArgs({
  options: {
    only: { type: "string", default: Object.keys(cases).join(",") },
    alerts: { type: "string", default: "1000000" },
    repetitions: { type: "string", default: "7" },
    database: { type: "string", default: process.env.TEST_DATABASE_URL ?? "postgresql://postgres@127.0.0.1:5432/postgres" },
    loaded: { type: "string" },
    soak: { type: "boolean", default: false },
    output: { type: "string", default: path.join(tmpdir(), "gateway-bench.json") },
  },
});

/** What `npm start` runs: the flags matter. */
const startCommand = packageJson.scripts.start.replace("exec node ", "").split(" ");
const chosen = options.soak ? ["soak"] : options.only.split(",");
const known: Record<string, BenchCase> = { ...cases, soak };
const unknown = chosen.filter((name) => !known[name]);
if (unknown.length > 0) throw new Error(`There are no cases ${unknown.join(", ")}, only ${Object.keys(cases).join(", ")}`);
const alerts = Number(options.alerts);
const isLarge = alerts > 2_000_000;
const size = { facilities: 20, camerasOfFacility: 20, rulesOfCamera: 4, alerts, days: 365, points: isLarge ? 2 : 10 };
// The server's data lies on this machine, as the CPU times of its processes are read here too.
if (isLarge && statfsSync("/var/lib").bavail * statfsSync("/var/lib").bsize < 25e9) throw new Error("So many alerts need 25 GB of free disk");

const directory = mkdtempSync(path.join(tmpdir(), "gateway-bench-"));
// A database that was loaded before, by whoever tries things out, is left as it is.
const database = options.loaded ? { url: options.loaded, drop: async () => {} } : await createBenchDatabase(options.database);
const figures: Figure[] = [];
try {
  if (!options.loaded) {
    console.error(`Loading ${alerts} alerts`);
    await loadDataset(database.url, size);
  }
  const environment = {
    ...testSecrets,
    NODE_ENV: "production",
    DATABASE_URL: database.url,
    DATA_DIR: directory,
    PORT: "0",
    RATE_LIMIT: "off",
    LOG_LEVEL: "warn",
    SHUTDOWN_DELAY: "0",
  };
  const authorization = `Bearer ${await signToken(testSecrets.AUTH_JWT_SECRET, benchUser, 12 * 3600, new Date())}`;
  for (const name of chosen) {
    console.error(`Measuring ${name}`);
    // Each case has a gateway of its own, so that none finds the memory that another left.
    const started = performance.now();
    const gateway = await MeasuredProcess.start(startCommand, environment, /Playground\s+(http:\S+)\/graphql/);
    const startTime = { name: `${name}: start until ready`, value: Math.round(performance.now() - started), unit: "ms" };
    try {
      const run = { gateway, database: database.url, authorization, alerts, days: size.days, repetitions: Number(options.repetitions) };
      const measured = await (known[name] as BenchCase)(run);
      figures.push(startTime, ...measured);
      console.error(table([startTime, ...measured]));
    } finally {
      await gateway.stop();
    }
  }
} finally {
  await database.drop();
  rmSync(directory, { recursive: true, force: true });
}
console.log(table(figures));
writeReport(options.output, { ...size, repetitions: Number(options.repetitions) }, figures);
console.error(`The figures are in ${options.output}`);
process.exitCode = figures.every(isMet) ? 0 : 1;
