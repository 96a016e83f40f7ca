import { randomUUID } from "node:crypto";
import pg from "pg";
import { idOf, kinds, newestMoment } from "./dataset.js";
import { median } from "./process.js";
import type { Figure } from "./report.js";
import type { BenchCase } from "./run.js";

const rowsOfBatch = 500;
const batches = 10;
/** What tells the alerts of this case from those of the data set. */
const detector = "https://detector.example/record/";

const types = ["STATIC_DELIMITATION_AREA", "VEHICLE_IN_PEDESTRIAN_AREA", "NO_HELMET", "MIN_WORKER_IN_CONFINED_SPACE"];
const severities = ["LOW", "MEDIUM", "HIGH", "CRITICAL"];

/** The n-th alert with everything that a detector says, and with what the gateway finds out. */
function alertOf(n: number) {
  const camera = n % 400;
  const rule = camera * 4 + (n % 4) + 1;
  const points = (seed: number) =>
    Array.from({ length: 10 }, (_, p) => ({ x: ((seed * 7 + p * 131) % 1280) + 0.5, y: ((seed * 13 + p * 71) % 720) + 0.25 }));
  const reported = {
    id: randomUUID(),
    cameraId: idOf(kinds.camera, camera + 1),
    alertRuleId: idOf(kinds.rule, rule),
    name: types[rule % 4] as string,
    count: (n % 5) + 1,
    createdAt: new Date(newestMoment.getTime() - n * 1000).toISOString(),
    url: `${detector}${n}.jpg`,
    thumbnailUrl: `${detector}${n}-small.jpg`,
    imageDimensions: { width: 1280, height: 720 },
    canvasDimensions: { width: 1280, height: 720 },
    violatingCoordinates: points(n),
    area: points(n + 1),
    areaIds: [idOf(kinds.area, rule)],
    storageClass: "local",
    info: { detector: "yolo", score: 0.93 },
  };
  const found = {
    workspaceId: idOf(kinds.workspace, 1),
    facilityId: idOf(kinds.facility, Math.floor(camera / 20) + 1),
    severity: severities[rule % 4] as string,
    observation: false,
  };
  return { reported, found };
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
const names = Object.keys(columns)
  .map((name) => `"${name}"`)
  .join(", ");
const typed = Object.entries(columns)
  .map(([name, type]) => `"${name}" ${type}`)
  .join(", ");
const insertion = `INSERT INTO "Alert" (${names}) SELECT ${names} FROM jsonb_to_recordset($1::jsonb) AS alert(${typed})`;

const mutation = "mutation Record($input: [RecordAlertInput!]!) { recordAlerts(input: $input) { recorded } }";

/** Alerts a second through the gateway, in batches over one connection, beside the same by one hand-written statement for each batch. */
export const benchRecord: BenchCase = async ({ gateway, database, authorization, repetitions }) => {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const sides = {
    gateway: async (alerts: ReturnType<typeof alertOf>[]) => {
      const response = await fetch(`${gateway.url}/graphql`, {
        method: "POST",
        headers: { authorization, "content-type": "application/json" },
        body: JSON.stringify({ query: mutation, variables: { input: alerts.map(({ reported }) => reported) } }),
      });
      const text = await response.text();
      if (JSON.parse(text).data?.recordAlerts.recorded !== rowsOfBatch) throw new Error(`The gateway answers ${text}`);
    },
    limit: async (alerts: ReturnType<typeof alertOf>[]) => {
      await client.query({
        name: "insertion",
        text: insertion,
        values: [JSON.stringify(alerts.map((alert) => ({ ...alert.reported, ...alert.found })))],
      });
    },
  };
  const rates = { gateway: [] as number[], limit: [] as number[] };
  let n = 0;
  try {
    for (let repetition = -1; repetition < repetitions; repetition += 1) {
      const seconds = { gateway: 0, limit: 0 };
      // Batch by batch in turns, so that whatever else the machine does falls on both.
      for (let batch = 0; batch < batches; batch += 1) {
        for (const side of ["gateway", "limit"] as const) {
          const alerts = Array.from({ length: rowsOfBatch }, () => alertOf(n++));
          const started = performance.now();
          await sides[side](alerts);
          seconds[side] += (performance.now() - started) / 1000;
        }
      }
      // The first one is for the compilers and caches of both.
      if (repetition < 0) continue;
      for (const side of ["gateway", "limit"] as const) rates[side].push((batches * rowsOfBatch) / seconds[side]);
    }
    const ratios = rates.gateway.map((rate, index) => rate / (rates.limit[index] as number));
    return [
      {
        name: "record: alerts in batches of 500, beside a hand-written insert",
        value: Math.round(median(ratios) * 100) / 100,
        unit: "×",
        atLeast: 0.5,
      },
      ...(["gateway", "limit"] as const).map(
        (side): Figure => ({ name: `record, ${side}: alerts a second`, value: Math.round(median(rates[side])), unit: "/s" }),
      ),
    ];
  } finally {
    await client.query(`DELETE FROM "Alert" WHERE "url" LIKE '${detector}%'`);
    await client.query(`DELETE FROM "AuditEntry" WHERE "action" = 'recordAlerts'`);
    await client.query("VACUUM ANALYZE");
    await client.end();
  }
};
