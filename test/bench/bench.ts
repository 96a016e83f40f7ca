import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { signToken } from "../../src/engine/access/jwt.js";
import { testSecrets } from "../support/environment.js";
import type { BenchCase } from "./bench-case.js";
import { benchClips } from "./clips.js";
import { clusterCases, compareWithCluster } from "./cluster.js";
import { benchConnectors } from "./connectors.js";
import { benchConsole } from "./console.js";
import { benchUser, createLoadedDatabase, type DatasetSize } from "./dataset.js";
import { benchDeliver } from "./deliver.js";
import { benchDetections } from "./detections.js";
import { embeddedCases, measureEmbedded } from "./embedded.js";
import { benchExport } from "./export.js";
import { benchFeed } from "./feed.js";
import { benchLatency } from "./latency.js";
import { benchLive } from "./live.js";
import { benchMcp } from "./mcp.js";
import { describeRelations } from "./peer.js";
import { benchDetectors, benchRecord } from "./record.js";
import { type Figure, figure, isMet, table, writeReport } from "./report.js";
import { requestCases } from "./requests.js";
import { comparedCases, compareSizes } from "./size-comparison.js";
import { benchStart } from "./start.js";
import { startBuild } from "./start-build.js";

const cases: Record<string, BenchCase> = {
  ...requestCases,
  record: benchRecord,
  detectors: benchDetectors,
  detections: benchDetections,
  deliver: benchDeliver,
  live: benchLive,
  export: benchExport,
  console: benchConsole,
  latency: benchLatency,
  start: benchStart,
  feed: benchFeed,
  clips: benchClips,
  connectors: benchConnectors,
  mcp: benchMcp,
};

const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    alerts: { type: "string", default: "1000000" },
    /**
     * Two numbers of alerts: requests are measured in turns with the smaller data set and
     * with the larger one.
     */
    "compare-alerts": { type: "string" },
    /** Numbers of alerts: one process with an embedded database is measured with each. */
    embedded: { type: "string" },
    repetitions: { type: "string", default: "7" },
    database: {
      type: "string",
      default: process.env.TEST_DATABASE_URL ?? "postgresql://postgres@127.0.0.1:5432/postgres",
    },
    /**
     * A database with the data set, for experiments; for two data sets two, separated by
     * a comma.
     */
    loaded: { type: "string" },
    /** The directory of another build. Requests to both builds alternate. */
    against: { type: "string" },
    /**
     * A database with the same data set for the other build, if its schema is another
     * one.
     */
    "against-database": { type: "string" },
    /**
     * The coordinator of a Citus cluster of this machine, on which requests are measured
     * in turns with those on one server.
     */
    citus: { type: "string" },
    /**
     * The GraphQL endpoint of a PostGraphile with the loaded database. Requests to both
     * alternate.
     */
    peer: { type: "string" },
    /** Loads a database, prints its address and ends. */
    load: { type: "boolean", default: false },
    output: { type: "string", default: path.join(tmpdir(), "gateway-bench.json") },
  },
});

const comparedAlerts = options["compare-alerts"];
const offeredCases = options.citus
  ? clusterCases
  : comparedAlerts
    ? comparedCases
    : options.embedded
      ? embeddedCases
      : Object.keys(cases);
const selectedCases = options.only?.split(",") ?? offeredCases;
const unknownCases = selectedCases.filter((name) => !offeredCases.includes(name));
if (unknownCases.length > 0)
  throw new Error(`Unknown cases: ${unknownCases.join(", ")}; there are ${offeredCases.join(", ")}`);
const alerts = (comparedAlerts ?? options.embedded ?? options.alerts).split(",").map(Number);
if (options.peer && !options.loaded) throw new Error("--peer needs --loaded, with the database of the peer");
if (comparedAlerts && alerts.length !== 2) throw new Error("--compare-alerts needs two numbers of alerts");
const isLarge = Math.max(...alerts) > 2_000_000;
const form = {
  facilities: 20,
  camerasPerFacility: 20,
  rulesPerCamera: 4,
  days: 365,
  pointsPerPolygon: isLarge ? 2 : 10,
};
const sizes = alerts.map((count) => ({ ...form, alerts: count }));
const [size] = sizes as [DatasetSize];
// The PostgreSQL server must run on this machine, because the CPU times of its processes
// are read from /proc.
if (isLarge && statfsSync("/var/lib").bavail * statfsSync("/var/lib").bsize < 25e9)
  throw new Error("This many alerts need 25 GB of free disk space");

const directory = mkdtempSync(path.join(tmpdir(), "gateway-bench-"));
const environment = {
  ...testSecrets,
  CAMERA_FEED: "off",
  NODE_ENV: "production",
  DATA_DIR: directory,
  PORT: "0",
  RATE_LIMIT: "off",
  MAX_CONNECTIONS_PER_ADDRESS: "10000",
  LOG_LEVEL: "warn",
  WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8",
  SHUTDOWN_DELAY: "0",
};
const run = {
  repetitions: Number(options.repetitions),
  cases: selectedCases,
  environment,
  authorization: `Bearer ${await signToken(testSecrets.AUTH_JWT_SECRET, benchUser, 12 * 3600, new Date())}`,
};
try {
  if (options.load) await load();
  else report(await measure());
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function load(): Promise<void> {
  const { url } = await createLoadedDatabase(options.database, size);
  await describeRelations(url);
  console.log(url);
}

function report(figures: Figure[]): void {
  console.log(table(figures));
  writeReport(options.output, { ...form, alerts, repetitions: run.repetitions }, figures);
  console.error(`Wrote the figures to ${options.output}`);
  process.exitCode = figures.every(isMet) ? 0 : 1;
}

async function measure(): Promise<Figure[]> {
  if (options.citus) return compareWithCluster({ ...run, citus: options.citus, size });
  if (comparedAlerts)
    return compareSizes({
      ...run,
      server: options.database,
      loaded: options.loaded?.split(",") ?? [],
      sizes,
    });
  if (!options.embedded) return measureOnServer();
  const figures: Figure[] = [];
  for (const each of sizes) figures.push(...(await measureEmbedded({ ...run, size: each })));
  return figures;
}

async function measureOnServer(): Promise<Figure[]> {
  const { repetitions, authorization } = run;
  const database = await createLoadedDatabase(options.database, size, options.loaded);
  const figures: Figure[] = [];
  try {
    for (const name of selectedCases) {
      console.error(`Measuring ${name}`);
      // Each case gets its own gateway process, so that cases do not affect each other's
      // memory.
      const gateway = await startBuild(".", { ...environment, DATABASE_URL: database.url });
      const startTime = figure(`${name}: start until ready`, gateway.startTime, "ms");
      const otherDatabase = options["against-database"] ?? database.url;
      const otherEnvironment = {
        ...environment,
        DATABASE_URL: otherDatabase,
        DATA_DIR: path.join(directory, "other"),
      };
      const otherBuild =
        options.against === undefined ? undefined : await startBuild(options.against, otherEnvironment);
      try {
        const measured = await (cases[name] as BenchCase)({
          gateway,
          ...(otherBuild &&
            options.against !== undefined && { otherBuild, otherDirectory: options.against, otherDatabase }),
          ...(options.peer && { peer: options.peer }),
          database: database.url,
          authorization,
          alerts: size.alerts,
          days: size.days,
          repetitions,
        });
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
