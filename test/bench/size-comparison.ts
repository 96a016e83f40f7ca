import path from "node:path";
import { onServer } from "../support/databases.js";
import { listOf } from "../support/list-of.js";
import { type Deletion, deleteCamera } from "./camera-deletion.js";
import { cpuRatios, measureInTurns, ratioFigure, Side } from "./cpu-comparison.js";
import { type BenchDatabase, createLoadedDatabase, type DatasetSize } from "./dataset.js";
import { sendRequests } from "./load.js";
import { type MeasuredProcess, median, round } from "./measured-process.js";
import { PostgresqlBackends } from "./postgresql-backends.js";
import { batchRecorder, rowsPerBatch } from "./record.js";
import { type Figure, figure, table } from "./report.js";
import { distinctRequests, sideFigures } from "./requests.js";
import { type SizeCase, sizeCases } from "./size-cases.js";
import { startBuild } from "./start-build.js";

/**
 * The cases that are measured with few and with many alerts, in this order: the last one
 * removes cameras that others use.
 */
export const comparedCases = [...Object.keys(sizeCases), "record", "deletion"];

/** The maximum ratio of the costs with the larger and the smaller data set. */
const atMost = 1.3;

/** Enough connections for both cores. With more, requests wait for places. */
const connections = 4;

interface SizeComparison {
  server: string;
  /** Databases that are loaded already. */
  loaded: readonly string[];
  /** The smaller data set and the larger one. */
  sizes: readonly DatasetSize[];
  repetitions: number;
  cases: readonly string[];
  /** The settings of the gateways, without the database. */
  environment: Record<string, string> & { DATA_DIR: string };
  authorization: string;
}

/** A gateway with a data set. */
interface SizedGateway {
  gateway: MeasuredProcess;
  backends: PostgresqlBackends;
  database: string;
  alerts: number;
}

/** The CPU time of requests with the larger data set beside that with the smaller one. */
export async function compareSizes({
  server,
  loaded,
  sizes,
  environment,
  ...run
}: SizeComparison): Promise<Figure[]> {
  const databases: BenchDatabase[] = [];
  const gateways: SizedGateway[] = [];
  try {
    for (const [index, size] of sizes.entries())
      databases.push(await createLoadedDatabase(server, size, loaded[index]));
    for (const [index, { url }] of databases.entries()) {
      const { alerts } = sizes[index] as DatasetSize;
      const settings = {
        ...environment,
        DATABASE_URL: url,
        DATA_DIR: path.join(environment.DATA_DIR, String(alerts)),
      };
      gateways.push({
        gateway: await startBuild(".", settings),
        backends: await PostgresqlBackends.connect(url),
        database: url,
        alerts,
      });
    }
    const figures = (await Promise.all(gateways.map(diskSpace))).flat();
    for (const name of comparedCases.filter((each) => run.cases.includes(each))) {
      console.error(`Measuring ${name}`);
      const measured = await measureCase(name, gateways, run);
      figures.push(...measured);
      console.error(table(measured));
    }
    return figures;
  } finally {
    for (const { gateway, backends } of gateways) {
      await gateway.stop();
      await backends.close();
    }
    for (const database of databases) await database.drop();
  }
}

type Run = Pick<SizeComparison, "authorization" | "repetitions">;

function measureCase(name: string, gateways: SizedGateway[], run: Run): Promise<Figure[]> {
  if (name === "record") return measureRecording(gateways, run);
  if (name === "deletion") return measureDeletion(gateways, run);
  return measureRequests(name, sizeCases[name] as SizeCase, gateways, run);
}

/** Makes the gateways do the same work in turns: a number of its units. */
async function measure<Outcome>(
  gateways: SizedGateway[],
  { units, repetitions }: { units: number; repetitions: number },
  workOf: (sized: SizedGateway) => () => Promise<Outcome>,
): Promise<[smaller: Side<Outcome>, larger: Side<Outcome>]> {
  const sides = gateways.map((sized) => new Side(sized.gateway, [sized.backends], workOf(sized)));
  await measureInTurns(sides, { units, repetitions });
  return sides as [Side<Outcome>, Side<Outcome>];
}

async function measureRequests(
  name: string,
  { description, requestCount = 30, requestFor }: SizeCase,
  gateways: SizedGateway[],
  { authorization, repetitions }: Run,
): Promise<Figure[]> {
  const requests = listOf(distinctRequests, (n) => ({
    ...requestFor(n),
    headers: { authorization },
  }));
  const sides = await measure(gateways, { units: requestCount, repetitions }, ({ gateway }) => {
    return () => sendRequests(gateway.url, requests, { connections, amount: requestCount });
  });
  const [smaller, larger] = sides;
  return [
    ratioFigure(
      `${name}: ${description}: CPU relative to the smaller data set`,
      cpuRatios(larger, smaller),
      atMost,
    ),
    ...sides.flatMap((side, index) => sideFigures(`${name}, ${gateways[index]?.alerts} alerts`, side)),
  ];
}

async function measureRecording(
  gateways: SizedGateway[],
  { authorization, repetitions }: Run,
): Promise<Figure[]> {
  const batches = 10;
  const sides = await measure(gateways, { units: batches * rowsPerBatch, repetitions }, ({ gateway }) => {
    const record = batchRecorder(authorization);
    return () => record(gateway, batches);
  });
  const [smaller, larger] = sides;
  return [
    ratioFigure(
      `record: recordAlerts of ${rowsPerBatch} alerts: CPU relative to the smaller data set`,
      cpuRatios(larger, smaller),
      atMost,
    ),
    ...sides.flatMap((side, index): Figure[] => [
      side.cpuFigure(`record, ${gateways[index]?.alerts} alerts: CPU of the server + PostgreSQL per alert`),
      figure(
        `record, ${gateways[index]?.alerts} alerts: alerts per second`,
        Math.round(median(side.outcomes)),
        "/s",
      ),
    ]),
  ];
}

async function measureDeletion(
  gateways: SizedGateway[],
  { authorization, repetitions }: Run,
): Promise<Figure[]> {
  const sides = await measure(gateways, { units: 1, repetitions }, ({ gateway, database }) => {
    let deleted = 0;
    return () => deleteCamera(gateway, database, authorization, deleted++);
  });
  const [smaller, larger] = sides;
  const ratios = (of: (deletion: Deletion) => number) =>
    larger.outcomes.map(
      (deletion, repetition) => of(deletion) / of(smaller.outcomes[repetition] as Deletion),
    );
  const alertRatios = ratios(({ alerts }) => alerts);
  const cpuRatiosPerAlert = cpuRatios(larger, smaller).map(
    (ratio, repetition) => ratio / (alertRatios[repetition] as number),
  );
  const answeredRatios = ratios(({ answered }) => answered);
  return [
    ratioFigure(
      "deletion: time until deleteCamera is answered, relative to the smaller data set",
      answeredRatios,
      atMost,
    ),
    ratioFigure(
      "deletion: CPU of the purge per alert, relative to the smaller data set",
      cpuRatiosPerAlert,
      atMost,
    ),
    ...sides.flatMap(({ outcomes }, index): Figure[] => {
      const name = `deletion, ${gateways[index]?.alerts} alerts`;
      return [
        figure(`${name}: answered after`, round(median(outcomes.map(({ answered }) => answered))), "ms"),
        figure(`${name}: alerts of the camera`, median(outcomes.map(({ alerts }) => alerts)), ""),
      ];
    }),
  ];
}

async function diskSpace({ database, alerts }: SizedGateway): Promise<Figure[]> {
  const [size] = await onServer(
    database,
    `SELECT pg_database_size(current_database())::float8 AS "total", pg_total_relation_size('"Alert"')::float8 AS "alerts"`,
  );
  return [
    figure(`${alerts} alerts: size of the database`, round(Number(size?.total) / 1e9), "GB"),
    figure(
      `${alerts} alerts: bytes per alert with its indexes`,
      Math.round(Number(size?.alerts) / alerts),
      "bytes",
    ),
  ];
}
