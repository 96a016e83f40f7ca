import { randomUUID } from "node:crypto";
import pg from "pg";
import { listOf } from "../support/list-of.js";
import type { BenchCase, BenchRun } from "./bench-case.js";
import { type Rates, rateFigures } from "./cpu-comparison.js";
import { datasetEnd } from "./dataset.js";
import { idKinds, idOf } from "./dataset-ids.js";
import { postOnKeptConnection } from "./kept-connections.js";
import type { MeasuredProcess } from "./measured-process.js";
import type { Figure } from "./report.js";

export const rowsPerBatch = 500;
const batchesPerRepetition = 20;
/** The number of repetitions during which V8 still optimizes the gateway's code. */
const warmUpRepetitions = 3;
/**
 * The URL prefix that distinguishes the alerts of this case from those of the data set.
 */
const detectorUrl = "https://detector.example/record/";

const types = [
  "STATIC_DELIMITATION_AREA",
  "VEHICLE_IN_PEDESTRIAN_AREA",
  "NO_HELMET",
  "MIN_WORKER_IN_CONFINED_SPACE",
];
const severities = ["LOW", "MEDIUM", "HIGH", "CRITICAL"];

/**
 * The n-th alert before a time: the detector's report, and the columns that the gateway
 * derives.
 */
export function alertOf(n: number, end = datasetEnd) {
  const camera = n % 400;
  const rule = camera * 4 + (n % 4) + 1;
  const points = (seed: number) =>
    listOf(10, (p) => ({
      x: ((seed * 7 + p * 131) % 1280) + 0.5,
      y: ((seed * 13 + p * 71) % 720) + 0.25,
    }));
  const reported = {
    id: randomUUID(),
    cameraId: idOf(idKinds.camera, camera + 1),
    alertRuleId: idOf(idKinds.rule, rule),
    name: types[rule % 4] as string,
    count: (n % 5) + 1,
    createdAt: new Date(end.getTime() - n * 1000).toISOString(),
    url: `${detectorUrl}${n}.jpg`,
    thumbnailUrl: `${detectorUrl}${n}-small.jpg`,
    imageDimensions: { width: 1280, height: 720 },
    canvasDimensions: { width: 1280, height: 720 },
    violatingCoordinates: points(n),
    area: points(n + 1),
    areaIds: [idOf(idKinds.area, rule)],
    storageClass: "local",
    info: { detector: "yolo", score: 0.93 },
  };
  const derived = {
    workspaceId: idOf(idKinds.workspace, 1),
    facilityId: idOf(idKinds.facility, Math.floor(camera / 20) + 1),
    severity: severities[rule % 4] as string,
    observation: false,
  };
  return { reported, derived };
}

const columns = {
  id: "uuid",
  workspaceId: "uuid",
  facilityId: "uuid",
  cameraId: "uuid",
  alertRuleId: "uuid",
  name: "text",
  severity: "text",
  observation: "boolean",
  count: "int",
  createdAt: "timestamptz",
  url: "text",
  thumbnailUrl: "text",
  imageDimensions: "jsonb",
  canvasDimensions: "jsonb",
  violatingCoordinates: "jsonb",
  area: "jsonb",
  areaIds: "uuid[]",
  storageClass: "text",
  info: "jsonb",
};
const columnNames = Object.keys(columns)
  .map((name) => `"${name}"`)
  .join(", ");
const columnDefinitions = Object.entries(columns)
  .map(([name, type]) => `"${name}" ${type}`)
  .join(", ");
const insertSql = `INSERT INTO "Alert" (${columnNames}) SELECT ${columnNames} FROM jsonb_to_recordset($1::jsonb) AS alert(${columnDefinitions})`;

const mutation = "mutation Record($input: [RecordAlertInput!]!) { recordAlerts(input: $input) { recorded } }";

/** Records alerts, and fails unless all of them are new. */
export async function recordBatch(
  { gateway, authorization }: Pick<BenchRun, "gateway" | "authorization">,
  alerts: ReturnType<typeof alertOf>[],
): Promise<void> {
  const body = JSON.stringify({
    query: mutation,
    variables: { input: alerts.map(({ reported }) => reported) },
  });
  const answer = await postOnKeptConnection(gateway.url, authorization, body);
  if (JSON.parse(answer).data?.recordAlerts.recorded !== alerts.length)
    throw new Error(`The gateway returned ${answer}`);
}

/**
 * Returns a function that records a number of batches of alerts, older ones each time,
 * and returns the number of alerts per second.
 */
export function batchRecorder(
  authorization: string,
): (gateway: MeasuredProcess, batches: number) => Promise<number> {
  let recorded = 0;
  return async (gateway, batches) => {
    const started = performance.now();
    for (let batch = 0; batch < batches; batch += 1) {
      await recordBatch(
        { gateway, authorization },
        listOf(rowsPerBatch, () => alertOf(recorded++)),
      );
    }
    return (batches * rowsPerBatch * 1000) / (performance.now() - started);
  };
}

/** Removes the alerts that were recorded by this case. */
export async function removeRecorded(client: pg.Client): Promise<void> {
  await client.query(`DELETE FROM "Alert" WHERE "url" LIKE '${detectorUrl}%'`);
  await client.query(`DELETE FROM "AuditEntry" WHERE "action" = 'recordAlerts'`);
  await client.query("VACUUM ANALYZE");
}

/**
 * Alerts per second sent to the gateway in batches over one connection, compared with one
 * hand-written INSERT per batch.
 */
export const benchRecord: BenchCase = (run) => measureRecording(run, { name: "record", atLeast: 0.7 });

/** The same of ten detectors at once, with smaller batches, over a connection each. */
export const benchDetectors: BenchCase = (run) =>
  measureRecording(run, { name: "detectors", atLeast: 0.6, batch: 50, detectors: 10 });

interface MeasuredRecording {
  name: string;
  atLeast?: number;
  /** Alerts in a batch. */
  batch?: number;
  /** The number of clients that send batches concurrently. */
  detectors?: number;
  /** The alerts are those before this time, instead of the data set's end. */
  end?: Date;
}

/** Measures the recording of alerts of the data set, or of alerts before another time. */
export async function measureRecording(
  run: BenchRun,
  { name, atLeast, batch = rowsPerBatch, detectors = 1, end }: MeasuredRecording,
): Promise<Figure[]> {
  const { database, repetitions } = run;
  const clients = listOf(detectors, () => new pg.Client({ connectionString: database }));
  for (const client of clients) await client.connect();
  const [client] = clients as [pg.Client];
  const sides = {
    gateway: (alerts: ReturnType<typeof alertOf>[]) => recordBatch(run, alerts),
    baseline: async (alerts: ReturnType<typeof alertOf>[], detector: number) => {
      await clients[detector]?.query({
        name: "insertion",
        text: insertSql,
        values: [JSON.stringify(alerts.map((alert) => ({ ...alert.reported, ...alert.derived })))],
      });
    },
  };
  const rates: Rates = { gateway: [], baseline: [] };
  let n = 0;
  try {
    for (let repetition = -warmUpRepetitions; repetition < repetitions; repetition += 1) {
      const seconds = { gateway: 0, baseline: 0 };
      // Alternating batches, so that other load on the machine affects both sides.
      for (let round = 0; round < batchesPerRepetition; round += 1) {
        for (const side of ["gateway", "baseline"] as const) {
          const batches = clients.map(() => listOf(batch, () => alertOf(n++, end)));
          const started = performance.now();
          await Promise.all(batches.map((alerts, detector) => sides[side](alerts, detector)));
          seconds[side] += (performance.now() - started) / 1000;
        }
      }
      if (repetition < 0) continue;
      for (const side of ["gateway", "baseline"] as const)
        rates[side].push((batchesPerRepetition * batch * detectors) / seconds[side]);
    }
    return rateFigures(
      [
        `${name}: alerts in batches of ${batch}, ${detectors} at once, relative to a hand-written insert`,
        atLeast,
      ],
      rates,
      (side) => `${name}, ${side}: alerts per second`,
    );
  } finally {
    await removeRecorded(client);
    for (const each of clients) await each.end();
  }
}
