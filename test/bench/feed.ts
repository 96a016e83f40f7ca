import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { ffmpegPath, missingCameraPackages } from "../support/cameras/camera-programs.js";
import { RtspServer } from "../support/cameras/rtsp-server.js";
import { testSecrets } from "../support/environment.js";
import type { BenchCase } from "./bench-case.js";
import { idKinds, idOf } from "./dataset-ids.js";
import { median, percentile, processTimes, round } from "./measured-process.js";
import { type Figure, figure } from "./report.js";
import { startBuild } from "./start-build.js";

const cameras = 500;
/** The time between two pictures of a camera, in seconds. */
const refresh = 300;
/** How late the last pictures may be, in milliseconds. */
const graceMs = 20_000;

/**
 * The CPU time of a gateway that takes a picture of each of 500 cameras every 300 s, and
 * how late it takes them. All cameras are streams of one server.
 */
export const benchFeed: BenchCase = async ({ database }) => {
  if (missingCameraPackages.length > 0)
    throw new Error(`The case feed needs the packages ${missingCameraPackages.join(", ")}`);
  const directory = mkdtempSync(path.join(tmpdir(), "gateway-bench-feed-"));
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const server = await RtspServer.start();
  try {
    await addCameras(client, server.url("h264"), cameras);
    const gateway = await startBuild(".", {
      ...testSecrets,
      CAMERA_FEED: "builtin",
      FFMPEG_PATH: ffmpegPath,
      CAMERA_ALLOWED_NETWORKS: "127.0.0.0/8",
      CAMERA_REFRESH: String(refresh),
      NODE_ENV: "production",
      DATABASE_URL: database,
      DATA_DIR: directory,
      PORT: "0",
      LOG_LEVEL: "warn",
      SHUTDOWN_DELAY: "0",
    });
    try {
      return await measure(client, gateway.child.pid as number);
    } finally {
      await gateway.stop();
    }
  } finally {
    await client.query(`DELETE FROM "Camera" WHERE "name" LIKE 'Fed camera %'`);
    await client.end();
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
};

/** Adds cameras whose pictures are due one after another within the next period. */
export async function addCameras(client: pg.Client, url: string, count: number): Promise<void> {
  const workspaceId = idOf(idKinds.workspace, 1);
  await client.query(
    `INSERT INTO "Camera" ("id", "workspaceId", "facilityId", "name", "url", "streamType", "streamProtocol", "updatedAt")
     SELECT gen_random_uuid(), $1, $2, 'Fed camera ' || n, $3, 'DIRECT', 'RTSP', now() FROM generate_series(1, $4::int) n`,
    [workspaceId, idOf(idKinds.facility, 1), url, count],
  );
  await client.query(
    `INSERT INTO "StreamRequest" ("id", "workspaceId", "cameraId", "requestId", "url", "streamType", "streamProtocol", "createdAt", "expiresAt")
     SELECT gen_random_uuid(), "workspaceId", "id", gen_random_uuid(), "url", "streamType", "streamProtocol", now(), now() + interval '1 day'
     FROM "Camera" WHERE "name" LIKE 'Fed camera %'`,
  );
  await client.query(
    `INSERT INTO "CameraFeed" ("workspaceId", "cameraId", "streamRequestId", "dueAt", "probedAt", "firstPictureAt")
     SELECT request."workspaceId", "cameraId", request."id", now() + interval '10 s' + random() * $1::int * interval '1 s', now(), now()
     FROM "StreamRequest" AS request JOIN "Camera" AS camera ON camera."id" = "cameraId" WHERE "name" LIKE 'Fed camera %'`,
    [refresh],
  );
}

async function measure(client: pg.Client, pid: number): Promise<Figure[]> {
  const { rows: due } = await client.query<{ cameraId: string; dueAt: Date }>(
    `SELECT "cameraId", "dueAt" FROM "CameraFeed" WHERE "dueAt" IS NOT NULL`,
  );
  const dueAt = new Map(due.map((feed) => [feed.cameraId, feed.dueAt.getTime()]));
  const lateness = new Map<string, number>();
  const end = Math.max(...dueAt.values());
  const startedAt = Date.now();
  const cpuBefore = familyCpu(pid);
  while (Date.now() < end + graceMs) {
    await sleep(5_000);
    const { rows } = await client.query<{ id: string; pictureAt: Date }>(
      `SELECT "id", "pictureAt" FROM "Camera" WHERE "name" LIKE 'Fed camera %' AND "pictureAt" IS NOT NULL`,
    );
    for (const { id, pictureAt } of rows)
      if (!lateness.has(id)) lateness.set(id, (pictureAt.getTime() - (dueAt.get(id) ?? 0)) / 1000);
  }
  const cpu = (familyCpu(pid) - cpuBefore) / ((Date.now() - startedAt) / 1000);
  const all = [...lateness.values()];
  const name = `feed, ${cameras} cameras at ${refresh} s`;
  return [
    figure(`${name}: pictures that were taken`, all.length, "", { atLeast: cameras * 0.97 }),
    figure(`${name}: CPU time of a core, gateway and ffmpeg`, round(cpu * 100, 1), "%"),
    figure(`${name}: median lateness`, round(median(all), 1), "s"),
    figure(`${name}: lateness of 99 %`, round(percentile(all, 0.99), 1), "s", { atMost: refresh }),
  ];
}

/** CPU seconds of a process and of all that it started. */
export const familyCpu = (pid: number): number => familyOf(pid).reduce((sum, { cpu }) => sum + cpu, 0);

/** A process and all that it started, with the CPU seconds of each. */
export function familyOf(pid: number): { id: number; cpu: number }[] {
  const processes = new Map<number, ReturnType<typeof processTimes>>();
  for (const name of readdirSync("/proc").filter((each) => /^\d+$/.test(each))) {
    const times = timesOf(Number(name));
    if (times) processes.set(Number(name), times);
  }
  const belongs = (each: number | undefined): boolean =>
    each === pid || (each !== undefined && each > 1 && belongs(processes.get(each)?.parent));
  return [...processes].flatMap(([id, { cpu }]) => (belongs(id) ? [{ id, cpu }] : []));
}

/** Undefined if the process has ended. */
function timesOf(pid: number) {
  try {
    return processTimes(pid);
  } catch {
    return undefined;
  }
}
