import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import { build } from "vite";
import { listOf } from "../support/list-of.js";
import type { BenchCase, BenchRun } from "./bench-case.js";
import { type Rates, rateFigures } from "./cpu-comparison.js";
import { idKinds, idOf } from "./dataset-ids.js";
import { cameraId, frameMs, objectsOf, picture, ruleId, rulesPerCamera, treeOf } from "./detection-scene.js";
import { postOnKeptConnection } from "./kept-connections.js";
import { median, percentile, round } from "./measured-process.js";
import { PostgresqlBackends } from "./postgresql-backends.js";
import { type Figure, figure } from "./report.js";

const cameraCount = 1_000;
const callsPerSecond = 300;
const maxLockWaitMs = 100;

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

const mutation =
  "mutation Record($input: [DetectionFrameInput!]!) { recordDetections(input: $input) { processed dropped } }";

/** The body of a request with frames. */
const bodyOf = (input: object[]) => JSON.stringify({ query: mutation, variables: { input } });

/** Sends frames, all of which are to be processed, and returns the milliseconds it took. */
async function send({ gateway, authorization }: BenchRun, body: string, count: number): Promise<number> {
  const started = performance.now();
  const answer = await postOnKeptConnection(gateway.url, authorization, body);
  const { processed, dropped } = JSON.parse(answer).data?.recordDetections ?? {};
  if (processed + dropped !== count) throw new Error(`The gateway returned ${answer}`);
  return performance.now() - started;
}

/** The detections of 1,000 cameras with five rules each. */
export const benchDetections: BenchCase = async (run) => {
  const client = new pg.Client({ connectionString: run.database });
  await client.connect();
  try {
    await addCameras(client);
    // Frames of the last hour: what they raise is told to those whom rules name, nobody.
    const frames = new Frames(Date.now() - 3_600_000);
    return [
      await measureStep(),
      ...(await measureBatches(run, frames)),
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
  const rules = listOf(cameraCount * rulesPerCamera, (n) => n);
  await client.query(
    `INSERT INTO "Camera" ("id", "workspaceId", "facilityId", "name", "imageDimensions", "updatedAt")
     SELECT id, $1, $2, 'Detections', $3, now() FROM unnest($4::uuid[]) AS id`,
    [workspaceId, idOf(idKinds.facility, 1), picture, listOf(cameraCount, (n) => cameraId(n))],
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
  const ids = listOf(cameraCount, (n) => cameraId(n));
  await client.query(`DELETE FROM "Alert" WHERE "cameraId" = ANY($1)`, [ids]);
  await client.query(`DELETE FROM "Camera" WHERE "id" = ANY($1)`, [ids]);
  await client.query(`DELETE FROM "AuditEntry" WHERE "action" = 'recordDetections'`);
  await client.query("VACUUM ANALYZE");
}

/**
 * Frames per second that the rules of one camera are evaluated on, on one core. The code
 * is bundled as the gateway's is, and runs without what runs TypeScript for this program,
 * which keeps the names of all functions and so takes half of the time.
 */
async function measureStep(): Promise<Figure> {
  const outDir = await mkdtemp(path.join(tmpdir(), "detection-rules-"));
  try {
    await build({
      configFile: false,
      logLevel: "error",
      build: {
        ssr: fileURLToPath(new URL("detection-rules.ts", import.meta.url)),
        outDir,
        target: "node20",
        rolldownOptions: { output: { entryFileNames: "[name].mjs" } },
      },
      ssr: { noExternal: true },
    });
    const { stdout } = await promisify(execFile)(process.execPath, [
      path.join(outDir, "detection-rules.mjs"),
    ]);
    return figure(
      "detections: frames per second, rules alone",
      Math.round(median(JSON.parse(stdout))),
      "/s",
      { atLeast: 50_000 },
    );
  } finally {
    await rm(outDir, { recursive: true });
  }
}

/**
 * Frames per second in batches of 100 that four detectors send at once, two frames of
 * each of their 50 cameras, beside four connections with a statement that replaces the
 * states of 50 cameras by those that the gateway wrote.
 */
async function measureBatches(run: BenchRun, frames: Frames): Promise<Figure[]> {
  const [detectors, cameras, framesPerCamera, batches, warmUps] = [4, 50, 2, 20, 3];
  const workspaceId = idOf(idKinds.workspace, 1);
  const camerasOf = listOf(detectors, (detector) => listOf(cameras, (n) => detector * cameras + n));
  const bodies = () =>
    camerasOf.map((own) =>
      listOf(batches, () =>
        bodyOf(listOf(framesPerCamera, () => own.map((camera) => frames.of(camera))).flat()),
      ),
    );
  const clients = await Promise.all(
    camerasOf.map(async () => {
      const client = new pg.Client({ connectionString: run.database });
      await client.connect();
      return client;
    }),
  );
  const backends = await PostgresqlBackends.connect(run.database);
  const rates: Rates = { gateway: [], baseline: [] };
  const cpu = { gateway: [] as number[], postgresql: [] as number[] };
  const sent = detectors * batches * cameras * framesPerCamera;
  try {
    for (let repetition = -warmUps; repetition < run.repetitions; repetition += 1) {
      const given = bodies();
      const before = { gateway: run.gateway.cpu, postgresql: await backends.cpu() };
      const started = performance.now();
      await Promise.all(
        given.map(async (own) => {
          for (const body of own) await send(run, body, cameras * framesPerCamera);
        }),
      );
      const gateway = sent / ((performance.now() - started) / 1000);
      const used = {
        gateway: run.gateway.cpu - before.gateway,
        postgresql: (await backends.cpu()) - before.postgresql,
      };
      const baseline = await rateOfUpdates(clients, camerasOf, { workspaceId, batches, sent });
      if (repetition < 0) continue;
      rates.gateway.push(gateway);
      rates.baseline.push(baseline);
      for (const side of ["gateway", "postgresql"] as const) cpu[side].push((used[side] / sent) * 1e6);
    }
  } finally {
    await Promise.all([...clients.map((client) => client.end()), backends.close()]);
  }
  const name = "detections in batches of 100 of 50 cameras by 4 detectors";
  const [ratio, gateway, baseline] = rateFigures(
    [`${name}, relative to a statement that updates their states`, 0.5],
    rates,
    (side) => `${name}, ${side}: frames per second`,
  ) as [Figure, Figure, Figure];
  return [
    ratio,
    { ...gateway, atLeast: 20_000 },
    baseline,
    figure(
      "the same: CPU of the gateway per frame",
      round(median(cpu.gateway), 1),
      `µs, of PostgreSQL ${round(median(cpu.postgresql), 1)} µs`,
    ),
  ];
}

/** Frames per second of a statement that only replaces the states of 50 cameras. */
async function rateOfUpdates(
  clients: readonly pg.Client[],
  camerasOf: readonly number[][],
  { workspaceId, batches, sent }: { workspaceId: string; batches: number; sent: number },
): Promise<number> {
  const read = clients.map(async (client, detector) => {
    const { rows } = await client.query<{ cameraId: string; state: string }>(
      `SELECT "cameraId", "state" FROM "DetectionState" WHERE "workspaceId" = $1 AND "cameraId" = ANY($2)`,
      [workspaceId, (camerasOf[detector] as number[]).map(cameraId)],
    );
    const values = [workspaceId, rows.map((row) => row.cameraId), rows.map(({ state }) => state)];
    return { client, values };
  });
  const states = await Promise.all(read);
  const started = performance.now();
  await Promise.all(
    states.map(async ({ client, values }) => {
      for (let n = 0; n < batches; n += 1)
        await client.query({
          name: "states",
          text: `UPDATE "DetectionState" AS state SET "state" = given."state"
          FROM unnest($2::uuid[], $3::text[]) AS given("cameraId", "state")
          WHERE state."workspaceId" = $1 AND state."cameraId" = given."cameraId"`,
          values,
        });
    }),
  );
  return sent / ((performance.now() - started) / 1000);
}

/** Calls of one frame: as many as 16 connections get answered, then at a given rate. */
async function measureCalls(run: BenchRun, frames: Frames): Promise<Figure[]> {
  const [connections, calls, seconds] = [16, 3_000, 10];
  let next = 0;
  const call = () => send(run, bodyOf([frames.of(next++ % cameraCount)]), 1);
  const started = performance.now();
  await Promise.all(
    listOf(connections, async () => {
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
      figure(
        `detections, ${callsPerSecond} calls per second of one frame: answered per second`,
        round(times.length / elapsed, 1),
        "/s",
        { atLeast: 0.98 * callsPerSecond },
      ),
      figure("the same: p50", p50, `ms, p95 ${p95} ms`),
      figure("the same: CPU of gateway and PostgreSQL", round(cores), "cores"),
      figure(
        `the same without a rate, ${connections} connections: answered per second`,
        Math.round(highest),
        "/s",
      ),
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
    listOf(detectors, async (detector) => {
      for (let n = 0; n < rounds; n += 1)
        for (let first = 0; first < cameraCount; first += batch) {
          // 7 and 1000 have no common divisor, so each camera is met once.
          const input = listOf(batch, (index) =>
            frames.of(((first + index) * 7 + detector * 100) % cameraCount),
          );
          await send(run, bodyOf(input), batch);
        }
    }),
  );
  const elapsed = (performance.now() - started) / 1000;
  isDone = true;
  await watching;
  return [
    figure(
      "detections of 1,000 cameras by ten detectors: longest wait for a lock",
      round(longest, 1),
      `ms, in ${samples} samples`,
      { atMost: maxLockWaitMs },
    ),
    figure("the same: frames per second", Math.round((detectors * rounds * cameraCount) / elapsed), "/s"),
  ];
}
