import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { ffmpegPath, missingCameraPackages } from "../support/cameras/camera-programs.js";
import { type Broadcast, encodedFrames, PacketCamera } from "../support/cameras/packet-camera.js";
import { testSecrets } from "../support/environment.js";
import type { BenchCase } from "./bench-case.js";
import { addCameras, familyCpu, familyOf } from "./feed.js";
import { median, megabytes, percentile, round } from "./measured-process.js";
import { type Figure, figure } from "./report.js";
import { startBuild } from "./start-build.js";

const [rings, recorded] = [40, 10];
const framesPerSecond = 25;
const measuredMs = 30_000;
/** Within this time, rings begin and clips are made. */
const limitMs = 90_000;
/** A clip ends this time after its alert. */
const afterMs = 20_000;

/** What 40 rings of 720p with 2 Mbit/s cost, and how soon and how complete clips from them are. */
export const benchClips: BenchCase = async ({ database, authorization }) => {
  if (missingCameraPackages.includes("ffmpeg")) throw new Error("The case clips needs ffmpeg");
  const directory = mkdtempSync(path.join(tmpdir(), "gateway-bench-clips-"));
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const camera = await PacketCamera.start("H264", await broadcast());
  try {
    await addCameras(client, camera.url, rings);
    await client.query(`UPDATE "Camera" SET "keepClips" = true WHERE "name" LIKE 'Fed camera %'`);
    const gateway = await startBuild(".", {
      ...testSecrets,
      CAMERA_FEED: "builtin",
      FFMPEG_PATH: ffmpegPath,
      CAMERA_ALLOWED_NETWORKS: "127.0.0.0/8",
      FEED_RINGS: String(rings),
      NODE_ENV: "production",
      DATABASE_URL: database,
      DATA_DIR: directory,
      PORT: "0",
      RATE_LIMIT: "off",
      LOG_LEVEL: "warn",
      SHUTDOWN_DELAY: "0",
    });
    try {
      const pid = gateway.child.pid as number;
      await untilCount(client, `"CameraFeed" WHERE "ringFrom" IS NOT NULL`, rings);
      const health = watchHealth(gateway.url);
      return [
        ...(await measureRings(pid, directory)),
        ...(await measureClips(client, { url: gateway.url, authorization, directory })),
        figure("clips: p99 of /healthz meanwhile", round(percentile(await health(), 0.99)), "ms", {
          atMost: 200,
        }),
      ];
    } finally {
      await gateway.stop();
    }
  } finally {
    await client.query(`DELETE FROM "Camera" WHERE "name" LIKE 'Fed camera %'`);
    await client.end();
    await camera.stop();
    rmSync(directory, { recursive: true, force: true });
  }
};

/** Sends a video of 2 Mbit/s, whatever it shows, in packets of the size that networks carry. */
async function broadcast(): Promise<Broadcast> {
  const frames = await encodedFrames("H264", {
    size: "1280x720",
    rate: framesPerSecond,
    count: 250,
    keyFrames: 50,
    source: "testsrc2",
    options: "-b:v 2M -minrate 2M -maxrate 2M -bufsize 1M -x264-params nal-hrd=cbr",
  });
  const packets = frames.map((frame) => frame.flatMap(packetsOf));
  return async (send) => {
    const startedAt = performance.now();
    for (let index = 0; ; index += 1) {
      const seconds = index / framesPerSecond;
      await sleep(Math.max(0, startedAt + seconds * 1000 - performance.now()));
      await send(packets[index % packets.length] ?? [], seconds);
    }
  };
}

const maxPacketBytes = 1_400;

/** A unit of H.264 as it is sent: in fragments, if it is large (RFC 6184, FU-A). */
function packetsOf(unit: Buffer): Buffer[] {
  if (unit.length <= maxPacketBytes) return [unit];
  const [head = 0] = unit;
  const packets: Buffer[] = [];
  for (let at = 1; at < unit.length; at += maxPacketBytes) {
    const [isFirst, isLast] = [at === 1, at + maxPacketBytes >= unit.length];
    const mark = (isFirst ? 0x80 : 0) | (isLast ? 0x40 : 0);
    packets.push(
      Buffer.concat([
        Buffer.from([(head & 0xe0) | 28, mark | (head & 0x1f)]),
        unit.subarray(at, at + maxPacketBytes),
      ]),
    );
  }
  return packets;
}

async function untilCount(client: pg.Client, rows: string, wanted: number): Promise<void> {
  for (const end = Date.now() + limitMs; ; await sleep(200)) {
    const { rows: found } = await client.query<{ count: number }>(
      `SELECT count(*)::int AS "count" FROM ${rows}`,
    );
    if ((found[0]?.count ?? 0) >= wanted) return;
    if (Date.now() > end) throw new Error(`Only ${found[0]?.count} of ${wanted}: ${rows}`);
  }
}

/** Asks for the gateway's health again and again. Returns what ends that, and tells the times in milliseconds. */
function watchHealth(url: string): () => Promise<number[]> {
  const times: number[] = [];
  const stopped = new AbortController();
  const watching = (async () => {
    while (!stopped.signal.aborted) {
      const startedAt = performance.now();
      await (await fetch(`${url}/healthz`)).arrayBuffer();
      times.push(performance.now() - startedAt);
      await sleep(20);
    }
  })();
  return async () => {
    stopped.abort();
    await watching;
    return times;
  };
}

async function measureRings(pid: number, directory: string): Promise<Figure[]> {
  const before = familyCpu(pid);
  const startedAt = performance.now();
  await sleep(measuredMs);
  const cpu = (familyCpu(pid) - before) / ((performance.now() - startedAt) / 1000);
  const memory = familyOf(pid).reduce((sum, { id }) => sum + ownMemory(id), 0);
  const bytes = ringBytes(directory);
  const name = `clips, ${rings} rings of 720p`;
  return [
    figure(`${name}: CPU time, gateway and ffmpeg`, round(cpu), "cores", { atMost: 1.2 }),
    figure(`${name}: CPU time of a core, each`, round((cpu / rings) * 100, 1), "%", { atMost: 3 }),
    figure(`${name}: memory, gateway and ffmpeg`, megabytes(memory), "MB"),
    figure(`${name}: kept for each`, round(bytes / rings / 1e6, 1), "MB"),
  ];
}

/** The memory of a process that it does not share, in bytes; 0 if it has ended. */
function ownMemory(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** The bytes of all segments in memory and in a directory. */
function ringBytes(directory: string): number {
  return [`/dev/shm/camera-monitoring-gateway-${userInfo().uid}`, directory]
    .flatMap((root) => filesIn(root).map((name) => path.join(root, name)))
    .filter((file) => file.includes("/rings/"))
    .reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
}

function filesIn(root: string): string[] {
  try {
    return readdirSync(root, { recursive: true, encoding: "utf8" });
  } catch {
    return [];
  }
}

interface Asked {
  url: string;
  authorization: string;
  directory: string;
}

async function measureClips(client: pg.Client, asked: Asked): Promise<Figure[]> {
  const { rows: cameras } = await client.query<{ id: string }>(
    `SELECT "id" FROM "Camera" WHERE "name" LIKE 'Fed camera %' ORDER BY "id" LIMIT ${recorded}`,
  );
  const createdAt = new Date();
  const alerts = cameras.map(({ id }) => ({
    id: randomUUID(),
    cameraId: id,
    name: "CLIP",
    createdAt: createdAt.toISOString(),
  }));
  await ask(asked, "mutation ($input: [RecordAlertInput!]!) { recordAlerts(input: $input) { recorded } }", {
    input: alerts,
  });
  const readyAfter = new Map<string, number>();
  const frames: number[] = [];
  while (readyAfter.size < recorded && Date.now() < createdAt.getTime() + limitMs) {
    await sleep(200);
    const { rows } = await client.query<{ alertId: string; state: string }>(
      `SELECT "alertId", "state" FROM "AlertClip" WHERE "alertId" = ANY($1::uuid[]) AND "state" <> 'PENDING'`,
      [alerts.map(({ id }) => id)],
    );
    for (const { alertId, state } of rows.filter((row) => !readyAfter.has(row.alertId))) {
      if (state !== "READY") throw new Error("A clip has failed");
      readyAfter.set(alertId, (Date.now() - createdAt.getTime() - afterMs) / 1000);
    }
  }
  for (const id of readyAfter.keys()) frames.push(await missingFrames(asked, id));
  await client.query(`DELETE FROM "Alert" WHERE "id" = ANY($1::uuid[])`, [alerts.map(({ id }) => id)]);
  const times = [...readyAfter.values()];
  return [
    figure("clips: that are ready", times.length, "", { atLeast: recorded }),
    figure("clips: median time until ready after the last second", round(median(times), 1), "s"),
    figure("clips: longest time until ready after the last second", round(Math.max(...times), 1), "s", {
      atMost: 5,
    }),
    figure("clips: frames that are missing in any", Math.max(...frames), "", { atMost: 1 }),
  ];
}

/** The frames that a clip of an alert lacks for its length. */
async function missingFrames(asked: Asked, id: string): Promise<number> {
  const { alert } = (await ask(asked, "query ($id: UUID!) { alert(id: $id) { clip { url } } }", { id })) as {
    alert: { clip: { url: string } };
  };
  const { pathname, search } = new URL(alert.clip.url);
  const file = path.join(asked.directory, "clip.mp4");
  writeFileSync(file, Buffer.from(await (await fetch(asked.url + pathname + search)).arrayBuffer()));
  const ffprobe = path.join(path.dirname(ffmpegPath), "ffprobe");
  const parameters = "-v error -count_packets -show_entries stream=nb_read_packets,duration -of json".split(
    " ",
  );
  const { stdout } = await promisify(execFile)(ffprobe, [...parameters, file]);
  const [video] = JSON.parse(stdout).streams as [{ nb_read_packets: string; duration: string }];
  return Math.round(Number(video.duration) * framesPerSecond) - Number(video.nb_read_packets);
}

async function ask({ url, authorization }: Asked, query: string, variables: object): Promise<unknown> {
  const response = await fetch(`${url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as { data: unknown; errors?: unknown };
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}
