import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { signToken } from "../../src/access/jwt.js";
import { testSecrets } from "../support/environment.js";
import type { BenchCase } from "./bench-case.js";
import { clusterCases, compareWithCluster } from "./cluster.js";
import { benchConsole } from "./console.js";
import { benchUser, createBenchDatabase, loadDataset } from "./dataset.js";
import { benchDeliver } from "./deliver.js";
import { benchExport } from "./export.js";
import { benchLive } from "./live.js";
import { benchRecord } from "./record.js";
import { type Figure, isMet, table, writeReport } from "./report.js";
import { requestCases } from "./requests.js";
import { soak } from "./soak.js";
import { startBuild } from "./start-build.js";
import { benchUpload } from "./upload.js";

const cases: Record<string, BenchCase> = {
  ...requestCases,
  record: benchRecord,
  deliver: benchDeliver,
  live: benchLive,
  export: benchExport,
  upload: benchUpload,
  console: benchConsole,
};

const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    alerts: { type: "string", default: "1000000" },
    repetitions: { type: "string", default: "7" },
    database: { type: "string", default: process.env.TEST_DATABASE_URL ?? "postgresql://postgres@127.0.0.1:5432/postgres" },
    loaded: { type: "string" },
    /** The directory of another build, whose requests are measured in turns with those of this one. */
    against: { type: "string" },
    /** A database with the same data set for the other build, if its schema is another one. */
    "against-database": { type: "string" },
    /** The coordinator of a Citus cluster of this machine, on which requests are measured in turns with those on one server. */
    citus: { type: "string" },
    soak: { type: "boolean", default: false },
    output: { type: "string", default: path.join(tmpdir(), "gateway-bench.json") },
  },
});

const allCases: Record<string, BenchCase> = { ...cases, soak };
const offeredCases = options.citus === undefined ? Object.keys(cases) : clusterCases;
const selectedCases = options.soak ? ["soak"] : (options.only?.split(",") ?? offeredCases);
const unknownCases = options.soak ? [] : selectedCases.filter((name) => !offeredCases.includes(name));
if (unknownCases.length > 0) throw new Error(`Unknown cases: ${unknownCases.join(", ")}; there are ${offeredCases.join(", ")}`);
const alerts = Number(options.alerts);
const isLarge = alerts > 2_000_000;
const size = { facilities: 20, camerasPerFacility: 20, rulesPerCamera: 4, alerts, days: 365, pointsPerPolygon: isLarge ? 2 : 10 };
// The PostgreSQL server must run on this machine, because the CPU times of its processes are read from /proc.
if (isLarge && statfsSync("/var/lib").bavail * statfsSync("/var/lib").bsize < 25e9) throw new Error("This many alerts need 25 GB of free disk space");

const repetitions = Number(options.repetitions);

const directory = mkdtempSync(path.join(tmpdir(), "gateway-bench-"));
const environment = {
  ...testSecrets,
  NODE_ENV: "production",
  DATA_DIR: directory,
  PORT: "0",
  RATE_LIMIT: "off",
  MAX_CONNECTIONS_PER_ADDRESS: "10000",
  LOG_LEVEL: "warn",
  WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8",
  SHUTDOWN_DELAY: "0",
};
const authorization = `Bearer ${await signToken(testSecrets.AUTH_JWT_SECRET, benchUser, 12 * 3600, new Date())}`;
let figures: Figure[];
try {
  figures =
    options.citus === undefined
      ? await measureOnServer()
      : await compareWithCluster({ citus: options.citus, size, repetitions, cases: selectedCases, environment, authorization });
} finally {
  rmSync(directory, { recursive: true, force: true });
}
console.log(table(figures));
writeReport(options.output, { ...size, repetitions }, figures);
console.error(`Wrote the figures to ${options.output}`);
process.exitCode = figures.every(isMet) ? 0 : 1;

async function measureOnServer(): Promise<Figure[]> {
  // A preloaded database, for experiments, is neither filled nor dropped.
  const database = options.loaded ? { url: options.loaded, drop: async () => {} } : await createBenchDatabase(options.database);
  const figures: Figure[] = [];
  try {
    if (!options.loaded) {
      console.error(`Loading ${alerts} alerts`);
      await loadDataset(database.url, size);
    }
    for (const name of selectedCases) {
      console.error(`Measuring ${name}`);
      // Each case gets its own gateway process, so that cases do not affect each other's memory figures.
      const started = performance.now();
      const gateway = await startBuild(".", { ...environment, DATABASE_URL: database.url });
      const startTime = { name: `${name}: start until ready`, value: Math.round(performance.now() - started), unit: "ms" };
      const otherDatabase = options["against-database"] ?? database.url;
      const otherEnvironment = { ...environment, DATABASE_URL: otherDatabase, DATA_DIR: path.join(directory, "other") };
      const otherBuild = options.against === undefined ? undefined : await startBuild(options.against, otherEnvironment);
      try {
        const run = {
          gateway,
          ...(otherBuild && { otherBuild, otherDatabase }),
          database: database.url,
          authorization,
          alerts,
          days: size.days,
          repetitions,
        };
        const measured = await (allCases[name] as BenchCase)(run);
        figures.push(startTime, ...measured);
        console.error(table([startTime, ...measured]));
      } finally {
        await gateway.stop();
        await otherBuild?.stop();
      }
    }
  } finally {
    await database.drop();
  }
  return figures;
}
