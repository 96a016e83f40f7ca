import { once } from "node:events";
import http from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import type { DetectionFrame, EvaluatedRule } from "../../src/detection/detection.js";
import { emptyState } from "../../src/detection/detection.js";
import { prepareRules } from "../../src/detection/prepared-rules.js";
import { step } from "../../src/detection/step.js";
import type { BenchCase, BenchRun } from "./bench-case.js";
import { idKinds, idOf } from "./dataset.js";
import { median } from "./measured-process.js";
import { PostgresqlBackends } from "./postgresql-backends.js";
import type { Figure } from "./report.js";

const cameraCount = 1_000;
const rulesPerCamera = 5;
const objectsPerFrame = 10;
const frameMs = 200;
const callsPerSecond = 300;
const maxLockWaitMs = 100;
const picture = { width: 1280, height: 720 };

/** Cameras and rules besides those of the data set. */
const cameraId = (n: number) => idOf("a", n + 1);
const ruleId = (n: number) => idOf("b", n + 1);

/** The tree of a rule of a camera: persons in a hexagon, for a second. */
const treeOf = (n: number) => ({
  id: idOf("c", n + 1),
  type: "GROUP",
  operator: "AND",
  children: [
    {
      id: idOf("d", n + 1),
      type: "AREA",
      name: "Area",
      points: Array.from({ length: 6 }, (_, corner) => ({
        x: Math.round(200 + 200 * (n % rulesPerCamera) + 180 * Math.cos((corner * Math.PI) / 3)),
        y: Math.round(360 + 300 * Math.sin((corner * Math.PI) / 3)),
      })),
    },
    { id: idOf("e", n + 1), type: "STATIC_DELIMITATION_AREA", objects: ["PERSON"] },
  ],
});

/** What is seen in the n-th frame of a camera: ten tracked persons who walk about. */
const objectsOf = (n: number) =>
  Array.from({ length: objectsPerFrame }, (_, object) => ({
    label: "person",
    confidence: 0.9,
    box: {
      x: 100 + ((object * 120 + n * 4) % 1000),
      y: 200 + ((object * 53 + n) % 200),
      width: 40,
      height: 90,
    },
    trackId: `${object + 10 * Math.floor(n / 250)}`,
  }));

/** Makes frames of cameras, each later than the one before of its camera. */
class Frames {
  readonly #next = new Map<number, number>();
  readonly #start: number;

  constructor(start: number) {
    this.#start = start;
  }

  of(camera: number) {
    const n = this.#next.get(camera) ?? 0;
    this.#next.set(camera, n + 1);
    const at = new Date(this.#start + n * frameMs).toISOString();
    return { cameraId: cameraId(camera), at, ...picture, objects: objectsOf(n) };
  }
}

const agent = new http.Agent({ keepAlive: true });
const mutation =
  "mutation Record($input: [DetectionFrameInput!]!) { recordDetections(input: $input) { processed dropped } }";

/** Sends frames, all of which are to be processed, and returns the milliseconds it took. */
async function send({ gateway, authorization }: BenchRun, input: object[]): Promise<number> {
  const body = JSON.stringify({ query: mutation, variables: { input } });
  const headers = {
    authorization,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  };
  const started = performance.now();
  const request = http.request(`${gateway.url}/graphql`, { method: "POST", agent, headers });
  request.end(body);
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  const answer = await text(response);
  const { processed, dropped } = JSON.parse(answer).data?.recordDetections ?? {};
  if (processed + dropped !== input.length) throw new Error(`The gateway returned ${answer}`);
  return performance.now() - started;
}

const round = (value: number, digits = 2) => Number(value.toFixed(digits));
const percentile = (values: readonly number[], share: number) =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length * share)] as number;

/** The detections of 1,000 cameras with five rules each. */
export const benchDetections: BenchCase = async (run) => {
  const client = new pg.Client({ connectionString: run.database });
  await client.connect();
  try {
    await addCameras(client);
    // Frames of the last hour: what they raise is told to those whom rules name, nobody.
    const frames = new Frames(Date.now() - 3_600_000);
    return [
      ...measureStep(),
      ...(await measureBatches(run, client, frames)),
      ...(await measureCalls(run, frames)),
      ...(await measureLocks(run, client, frames)),
    ];
  } finally {
    await removeCameras(client);
    await client.end();
  }
};

async function addCameras(client: pg.Client): Promise<void> {
  const workspaceId = idOf(idKinds.workspace, 1);
  const rules = Array.from({ length: cameraCount * rulesPerCamera }, (_, n) => n);
  await client.query(
    `INSERT INTO "Camera" ("id", "workspaceId", "facilityId", "name", "imageDimensions", "updatedAt")
     SELECT id, $1, $2, 'Detections', $3, now() FROM unnest($4::uuid[]) AS id`,
    [
      workspaceId,
      idOf(idKinds.facility, 1),
      picture,
      Array.from({ length: cameraCount }, (_, n) => cameraId(n)),
    ],
  );
  await client.query(
    `INSERT INTO "AlertRule" ("id", "workspaceId", "cameraId", "name", "severity", "dayRange", "evaluated", "group", "updatedAt")
     SELECT id, $1, camera, 'STATIC_DELIMITATION_AREA', 'LOW', '{0,1,2,3,4,5,6}', true, tree, now()
     FROM unnest($2::uuid[], $3::uuid[], $4::jsonb[]) AS given(id, camera, tree)`,
    [
      workspaceId,
      rules.map(ruleId),
      rules.map((n) => cameraId(Math.floor(n / rulesPerCamera))),
      rules.map((n) => JSON.stringify(treeOf(n))),
    ],
  );
  await client.query(`ANALYZE "Camera", "AlertRule"`);
}

/** Removes the cameras with their rules, states and alerts. */
async function removeCameras(client: pg.Client): Promise<void> {
  const ids = Array.from({ length: cameraCount }, (_, n) => cameraId(n));
  await client.query(`DELETE FROM "Alert" WHERE "cameraId" = ANY($1)`, [ids]);
  await client.query(`DELETE FROM "Camera" WHERE "id" = ANY($1)`, [ids]);
  await client.query(`DELETE FROM "AuditEntry" WHERE "action" = 'recordDetections'`);
  await client.query("VACUUM ANALYZE");
}

/** Frames per second that the rules of one camera are evaluated on, on one core. */
function measureStep(): Figure[] {
  const rules = Array.from(
    { length: rulesPerCamera },
    (_, n): EvaluatedRule => ({
      id: ruleId(n),
      group: treeOf(n),
      dayRange: [0, 1, 2, 3, 4, 5, 6],
      timeRange: null,
      snoozedUntil: null,
    }),
  );
  const prepared = prepareRules(rules, { imageDimensions: picture, timeZoneId: "Europe/Istanbul" });
  const count = 50_000;
  const frames = Array.from(
    { length: count },
    (_, n): DetectionFrame => ({ at: n * frameMs, ...picture, objects: objectsOf(n) }),
  );
  const rates = Array.from({ length: 5 }, () => {
    let state = emptyState;
    const started = performance.now();
    for (const frame of frames) state = step(state, frame, prepared).state;
    return count / ((performance.now() - started) / 1000);
  });
  return [
    {
      name: "detections: frames per second, rules alone",
      value: Math.round(median(rates)),
      unit: "/s",
      atLeast: 50_000,
    },
  ];
}

/**
 * Frames per second in batches of 100, two of each of 50 cameras, beside a statement that
 * replaces the states of 50 cameras by those that the gateway wrote.
 */
async function measureBatches(run: BenchRun, client: pg.Client, frames: Frames): Promise<Figure[]> {
  const [cameras, framesPerCamera, batches, warmUps] = [50, 2, 40, 3];
  const ids = Array.from({ length: cameras }, (_, n) => cameraId(n));
  const workspaceId = idOf(idKinds.workspace, 1);
  const batch = () =>
    Array.from({ length: framesPerCamera }, () => ids.map((_, camera) => frames.of(camera))).flat();
  const rates = { gateway: [] as number[], baseline: [] as number[] };
  for (let repetition = -warmUps; repetition < run.repetitions; repetition += 1) {
    const seconds = { gateway: 0, baseline: 0 };
    for (let n = 0; n < batches; n += 1) {
      seconds.gateway += (await send(run, batch())) / 1000;
      const { rows } = await client.query<{ cameraId: string; state: string }>(
        `SELECT "cameraId", "state" FROM "DetectionState" WHERE "workspaceId" = $1 AND "cameraId" = ANY($2)`,
        [workspaceId, ids],
      );
      const started = performance.now();
      await client.query({
        name: "states",
        text: `UPDATE "DetectionState" AS state SET "state" = given."state"
          FROM unnest($2::uuid[], $3::text[]) AS given("cameraId", "state")
          WHERE state."workspaceId" = $1 AND state."cameraId" = given."cameraId"`,
        values: [workspaceId, rows.map((row) => row.cameraId), rows.map(({ state }) => state)],
      });
      seconds.baseline += (performance.now() - started) / 1000;
    }
    if (repetition < 0) continue;
    for (const side of ["gateway", "baseline"] as const)
      rates[side].push((batches * cameras * framesPerCamera) / seconds[side]);
  }
  const ratios = rates.gateway.map((rate, index) => rate / (rates.baseline[index] as number));
  const figure = (name: string, values: readonly number[]): Figure => ({
    name: `detections in batches of 100 of 50 cameras, ${name}: frames per second`,
    value: Math.round(median(values)),
    unit: "/s",
  });
  return [
    {
      name: "detections in batches of 100 of 50 cameras, relative to a statement that updates their states",
      value: round(median(ratios)),
      unit: "×",
      atLeast: 0.5,
    },
    { ...figure("gateway", rates.gateway), atLeast: 20_000 },
    figure("baseline", rates.baseline),
  ];
}

/** Calls of one frame: as many as 16 connections get answered, then at a given rate. */
async function measureCalls(run: BenchRun, frames: Frames): Promise<Figure[]> {
  const [connections, calls, seconds] = [16, 3_000, 10];
  let next = 0;
  const call = () => send(run, [frames.of(next++ % cameraCount)]);
  const started = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (next < calls) await call();
    }),
  );
  const highest = calls / ((performance.now() - started) / 1000);
  const backends = await PostgresqlBackends.connect(run.database);
  try {
    const cpu = async () => run.gateway.cpu + (await backends.cpu());
    const before = await cpu();
    const { times, elapsed } = await atRate(callsPerSecond, seconds, call);
    const cores = ((await cpu()) - before) / elapsed;
    const [p50, p95] = [0.5, 0.95].map((share) => round(percentile(times, share), 1)) as [number, number];
    return [
      {
        name: `detections, ${callsPerSecond} calls per second of one frame: answered per second`,
        value: round(times.length / elapsed, 1),
        unit: "/s",
        atLeast: 0.98 * callsPerSecond,
      },
      { name: "the same: p50", value: p50, unit: `ms, p95 ${p95} ms` },
      { name: "the same: CPU of gateway and PostgreSQL", value: round(cores), unit: "cores" },
      {
        name: `the same without a rate, ${connections} connections: answered per second`,
        value: Math.round(highest),
        unit: "/s",
      },
    ];
  } finally {
    await backends.close();
  }
}

/**
 * Begins calls at a rate, whether or not earlier ones were answered, and returns how long
 * those took that were not refused.
 */
async function atRate(
  perSecond: number,
  seconds: number,
  call: () => Promise<number>,
): Promise<{ times: number[]; elapsed: number }> {
  const calls: Promise<number | undefined>[] = [];
  const started = performance.now();
  while (calls.length < seconds * perSecond) {
    const due = Math.min(seconds, (performance.now() - started) / 1000) * perSecond;
    while (calls.length < due) {
      calls.push(call().catch(() => undefined));
    }
    await setTimeout(1);
  }
  const times = (await Promise.all(calls)).filter((time) => time !== undefined);
  return { times, elapsed: (performance.now() - started) / 1000 };
}

/**
 * The longest wait for a lock while ten detectors send frames of 1,000 cameras at once,
 * each of all of them in an order of its own.
 */
async function measureLocks(run: BenchRun, client: pg.Client, frames: Frames): Promise<Figure[]> {
  const [detectors, rounds, batch] = [10, 5, 100];
  let isDone = false;
  let longest = 0;
  let samples = 0;
  const watching = (async () => {
    while (!isDone) {
      const { rows } = await client.query<{ ms: number | null }>({
        name: "waits",
        text: `SELECT (1000 * max(extract(epoch FROM clock_timestamp() - waitstart)))::float8 AS "ms" FROM pg_locks
               WHERE NOT granted AND waitstart IS NOT NULL`,
      });
      longest = Math.max(longest, rows[0]?.ms ?? 0);
      samples += 1;
      await setTimeout(2);
    }
  })();
  const started = performance.now();
  await Promise.all(
    Array.from({ length: detectors }, async (_, detector) => {
      for (let n = 0; n < rounds; n += 1)
        for (let first = 0; first < cameraCount; first += batch) {
          // 7 and 1000 have no common divisor, so each camera is met once.
          const input = Array.from({ length: batch }, (_, index) =>
            frames.of(((first + index) * 7 + detector * 100) % cameraCount),
          );
          await send(run, input);
        }
    }),
  );
  const elapsed = (performance.now() - started) / 1000;
  isDone = true;
  await watching;
  return [
    {
      name: "detections of 1,000 cameras by ten detectors: longest wait for a lock",
      value: round(longest, 1),
      unit: `ms, in ${samples} samples`,
      atMost: maxLockWaitMs,
    },
    {
      name: "the same: frames per second",
      value: Math.round((detectors * rounds * cameraCount) / elapsed),
      unit: "/s",
    },
  ];
}
