import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { Aedes } from "aedes";
import pg from "pg";
import { createKey } from "../../src/engine/access/api-key.js";
import { builtCommand } from "../support/environment.js";
import { listOf } from "../support/list-of.js";
import type { BenchCase, BenchRun } from "./bench-case.js";
import { idKinds, idOf } from "./dataset-ids.js";
import { MeasuredProcess, megabytes } from "./measured-process.js";
import { type Figure, figure } from "./report.js";

const cameras = 100;
const perSecond = 100;
const seconds = 60;
const objectsPerFrame = 10;
/** What is kept while the gateway is away. */
const bufferedFrames = 2_000;

/** A frame of Axis scene metadata with ten objects. */
const frameAt = (time: number, n: number) =>
  JSON.stringify({
    channel_id: 1,
    timestamp: new Date(time).toISOString(),
    detections: listOf(objectsPerFrame, (object) => ({
      object_track_id: `8e653185-8e54-4dca-8af1-${`${object + 10 * Math.floor(n / 250)}`.padStart(12, "0")}`,
      bounding_box: { left: object / 10, right: object / 10 + 0.05, top: 0.2, bottom: 0.5 },
      class: { type: "Human", score: 0.9, upper_clothing_colors: [{ name: "black", score: 0.66 }] },
    })),
  });

/** A broker, and what detectors publish there. */
class Detectors {
  #count = 0;
  /** Frames must be later than those before, however fast they are published. */
  #time = Date.now() - 3_600_000;

  private constructor(
    readonly broker: Aedes,
    readonly url: string,
  ) {}

  static async open(): Promise<Detectors> {
    const broker = await Aedes.createBroker({ queueLimit: 1_000_000 });
    const server = createServer(broker.handle).listen(0, "127.0.0.1");
    await once(server, "listening");
    broker.once("closed", () => server.close());
    return new Detectors(broker, `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  async publish(): Promise<void> {
    const camera = this.#count % cameras;
    const payload = frameAt(this.#time, this.#count);
    this.#time += 1;
    this.#count += 1;
    await new Promise<void>((resolve, reject) =>
      this.broker.publish(
        { cmd: "publish", topic: `axis/${camera}/scene`, payload, qos: 0, dup: false, retain: false },
        (error) => (error ? reject(error) : resolve()),
      ),
    );
  }

  /** Publishes at the rate of the bench, for its time. */
  async publishAtRate(): Promise<void> {
    const started = performance.now();
    for (let published = 0; published < perSecond * seconds; ) {
      const due = Math.min(seconds, (performance.now() - started) / 1000) * perSecond;
      for (; published < due; published += 1) await this.publish();
      await setTimeout(5);
    }
  }
}

/** `connect:mqtt` as a process, with its metrics. */
class Connector {
  private constructor(readonly process: MeasuredProcess) {}

  static async start(file: string, configuration: object, apiKey: string): Promise<Connector> {
    writeFileSync(file, JSON.stringify(configuration));
    const program = ["--enable-source-maps", builtCommand("commands/connect-mqtt"), file];
    const process = await MeasuredProcess.start(program, { API_KEY: apiKey }, /Metrics are at (http:[^"]+)/);
    const connector = new Connector(process);
    await connector.until("connector_broker_connected", 1);
    return connector;
  }

  async sample(name: string): Promise<number> {
    const text = await (await fetch(this.process.url)).text();
    const line = text.split("\n").find((each) => each.startsWith(`${name} `));
    return Number(line?.slice(name.length) ?? 0);
  }

  async until(name: string, value: number): Promise<void> {
    while ((await this.sample(name)) < value) await setTimeout(50);
  }

  frames(outcome: string): Promise<number> {
    return this.sample(`connector_frames_total{outcome="${outcome}"}`);
  }

  /** Waits until as many frames have been processed or dropped; those sent again count as late. */
  async done(messages: number): Promise<{ processed: number; late: number; overflow: number }> {
    for (;;) {
      const [processed, late, overflow] = await Promise.all([
        this.frames("processed"),
        this.frames("late"),
        this.frames("overflow"),
      ]);
      if (processed + late + overflow >= messages) return { processed, late, overflow };
      await setTimeout(50);
    }
  }
}

/** `connect:mqtt` between a hundred cameras and the gateway. */
export const benchConnectors: BenchCase = async (run) => {
  const client = new pg.Client({ connectionString: run.database });
  await client.connect();
  const directory = mkdtempSync(path.join(tmpdir(), "connector-bench-"));
  const detectors = await Detectors.open();
  const { id, key, secretHash } = createKey();
  try {
    await addKey(client, id, secretHash);
    const configuration = {
      name: "bench",
      gateway: { url: run.gateway.url, apiKey: { environment: "API_KEY" } },
      broker: { url: detectors.url },
      sources: [{ topic: "axis/+/scene", format: "AXIS_SCENE" }],
      cameras: Object.fromEntries(listOf(cameras, (n) => [`${n}`, idOf(idKinds.camera, n + 1)])),
      metricsPort: 0,
      logLevel: "info",
    };
    const start = (others: object) =>
      Connector.start(path.join(directory, "config.json"), { ...configuration, ...others }, key);
    return [
      ...(await measureMinute(await start({}), detectors)),
      ...(await measureOutage(run, await start({ buffer: { frames: bufferedFrames } }), detectors)),
      ...(await measureHighest(await start({}), detectors)),
    ];
  } finally {
    await new Promise<void>((resolve) => detectors.broker.close(() => resolve()));
    await client.query(`DELETE FROM "ApiKey" WHERE "id" = $1`, [id]);
    await client.query(`DELETE FROM "ApiKeyLookup" WHERE "id" = $1`, [id]);
    await client.end();
    rmSync(directory, { recursive: true });
  }
};

async function addKey(client: pg.Client, id: string, secretHash: Buffer): Promise<void> {
  const workspaceId = idOf(idKinds.workspace, 1);
  await client.query(`INSERT INTO "ApiKeyLookup" ("id", "workspaceId") VALUES ($1, $2)`, [id, workspaceId]);
  await client.query(
    `INSERT INTO "ApiKey" ("id", "workspaceId", "name", "secretHash", "allFacilities", "permissions")
     VALUES ($1, $2, 'Bench', $3, true, $4)`,
    [id, workspaceId, secretHash, ["facilities:read", "cameras:read", "alerts:write"]],
  );
}

const rate = `connect:mqtt, ${perSecond} messages per second of ${objectsPerFrame} objects for ${seconds} s`;

async function measureMinute(connector: Connector, detectors: Detectors): Promise<Figure[]> {
  const before = connector.process.cpu;
  await detectors.publishAtRate();
  const cores = (connector.process.cpu - before) / seconds;
  const { processed, overflow } = await connector.done(perSecond * seconds);
  const { memory, peak } = connector.process;
  await connector.process.stop();
  return [
    figure(`${rate}: frames processed`, processed, "", { atLeast: perSecond * seconds }),
    figure("the same: frames dropped", overflow, "", { atMost: 0 }),
    figure("the same: memory at the end", megabytes(memory), `MB, peak ${megabytes(peak)} MB`),
    figure("the same: CPU", Number(cores.toFixed(3)), "cores"),
  ];
}

/** The gateway is stopped for the whole time, and then continues. */
async function measureOutage(
  { gateway }: BenchRun,
  connector: Connector,
  detectors: Detectors,
): Promise<Figure[]> {
  gateway.child.kill("SIGSTOP");
  try {
    await detectors.publishAtRate();
  } finally {
    gateway.child.kill("SIGCONT");
  }
  const { processed, late, overflow } = await connector.done(perSecond * seconds);
  const { peak } = connector.process;
  await connector.process.stop();
  return [
    figure(
      `the same while the gateway is away, ${bufferedFrames} frames kept: frames dropped and counted`,
      overflow,
      "",
      { atMost: perSecond * seconds - bufferedFrames },
    ),
    figure("the same: peak of memory", megabytes(peak), "MB", { atMost: 200 }),
    figure(
      "the same: frames dropped, processed and late, of all",
      (processed + late + overflow) / (perSecond * seconds),
      "",
      { atLeast: 1, atMost: 1 },
    ),
  ];
}

/** Frames per second if detectors publish as fast as the broker takes it. */
async function measureHighest(connector: Connector, detectors: Detectors): Promise<Figure[]> {
  const frames = 30_000;
  const started = performance.now();
  for (let n = 0; n < frames; n += 1) await detectors.publish();
  const { processed } = await connector.done(frames);
  const elapsed = (performance.now() - started) / 1000;
  const { peak } = connector.process;
  await connector.process.stop();
  return [
    figure(
      "connect:mqtt, as fast as possible: frames per second",
      Math.round(processed / elapsed),
      `/s, peak of memory ${megabytes(peak)} MB`,
    ),
  ];
}
