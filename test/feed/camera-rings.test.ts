// Needs no gateway.
// Takes long: it keeps the streams of cameras with ffmpeg.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { FeedClient } from "../../src/features/camera-feed/feed-client.js";
import type { CameraRing, RingLimits } from "../../src/features/camera-feed/ring/camera-ring.js";
import { createLog } from "../../src/platform/telemetry/log.js";
import { StreamServer } from "../../src/programs/demo/stream-server.js";
import { ffmpegPath, missingCameraPackages } from "../support/cameras/camera-programs.js";
import {
  encodedFrames,
  PacketCamera,
  type PacketFrames,
  sendSteadily,
} from "../support/cameras/packet-camera.js";
import { RtmpCamera } from "../support/cameras/rtmp-camera.js";
import { RtspServer } from "../support/cameras/rtsp-server.js";
import { eventually } from "../support/eventually.js";
import { descendantsOf, environmentOf, isRunning } from "./system-processes.js";

const never = new AbortController().signal;
const skipped =
  missingCameraPackages.length > 0 ? `, skipped without ${missingCameraPackages.join(", ")}` : "";

describe.skipIf(skipped)(`rings${skipped}`, { timeout: 60_000 }, () => {
  let rtsp: RtspServer;
  let directory: string;
  const feed = new FeedClient({
    ffmpegPath,
    allowedNetworks: ["127.0.0.0/8"],
    loopbackPorts: [],
    concurrency: 4,
    variables: process.env,
    log: createLog("silent"),
  });

  beforeAll(async () => {
    directory = path.join(await mkdtemp(path.join(tmpdir(), "rings-")), "rings");
    rtsp = await RtspServer.start();
  });
  afterAll(async () => {
    await feed.close();
    await rtsp?.stop();
    expect(await readdir(directory)).toEqual([]);
    await rm(path.dirname(directory), { recursive: true });
  });

  /** Opens a ring until the running test ends. */
  async function open(url: string, limits: Partial<RingLimits> = {}, by = feed): Promise<CameraRing> {
    const all = { seconds: 20, maxBytes: 48 * 1024 * 1024, directory, ...limits };
    const ring = await by.openRing({ url }, all, never);
    onTestFinished(() => ring.close());
    return ring;
  }

  const secondsOf = ({ span }: CameraRing) =>
    span ? (span.endsAt.getTime() - span.startsAt.getTime()) / 1000 : 0;
  const untilKept = (ring: CameraRing, seconds: number) =>
    eventually(
      async () => secondsOf(ring),
      (kept) => kept >= seconds,
    );

  const streams: [codec: string, protocol: string, open: () => Promise<string>][] = [
    ["h264", "RTSP", async () => rtsp.url("h264")],
    ["hevc", "RTSP", async () => rtsp.url("h265")],
    ["mjpeg", "RTSP", async () => rtsp.url("jpeg")],
    [
      "h264",
      "RTMP",
      async () => {
        const camera = await RtmpCamera.start();
        onTestFinished(() => camera.stop());
        return camera.url;
      },
    ],
    [
      "mpeg4",
      "RTSP",
      async () => (await PacketCamera.forTest("MP4V-ES", sendSteadily(await encodedFrames("MP4V-ES")))).url,
    ],
  ];
  it.each(streams)(
    "keep the last seconds of a stream in %s over %s, and show pictures and metadata of it",
    async (codec, _protocol, url) => {
      const ring = await open(await url(), { seconds: 3 });
      const size = { width: 320, height: codec === "mjpeg" ? 184 : 180 };
      expect(ring.codec).toBe(codec);
      const first = await eventually(
        async () => ring.span?.startsAt,
        (time) => time !== undefined,
      );
      await eventually(
        async () => ring.span?.startsAt,
        (time) => Number(time) > Number(first) + 1000,
      );
      expect(secondsOf(ring)).toBeGreaterThanOrEqual(3);
      const { jpeg, width, height, takenAt } = await ring.takePicture(undefined, never);
      expect({ width, height, start: jpeg.readUInt16BE() }).toEqual({ ...size, start: 0xffd8 });
      expect(Number(takenAt)).toBeGreaterThan(Number(first));
      expect(await ring.probe(never)).toMatchObject({ codec_name: codec, ...size });
      await ring.close();
      expect(await ring.ended).toMatchObject({ code: "UNKNOWN" });
      expect(ring.span).toBeUndefined();
    },
  );

  it("are kept by one session, from which pictures and live views come", async () => {
    const ring = await open(rtsp.url("h264", "single"));
    const before = rtsp.openings("h264");
    const view = ring.readFrames(never)[Symbol.asyncIterator]();
    const frame = async () => (await view.next()).value?.readUInt16BE();
    const seen = await Promise.all([frame(), ring.takePicture(undefined, never), ring.probe(never)]);
    expect(seen).toMatchObject([0xffd8, { width: 320 }, { width: 320 }]);
    expect(await frame()).toBe(0xffd8);
    await view.return?.();
    expect(rtsp.openings("h264")).toBe(before);
  });

  it("show the key frame nearest to a time", async () => {
    const ring = await open(rtsp.url("rare-keyframes"));
    await untilKept(ring, 9);
    const { startsAt } = spanOf(ring);
    const times = [0, 3, 5, 1000].map((seconds) => new Date(Number(startsAt) + seconds * 1000));
    const taken = await Promise.all(times.map((time) => ring.takePicture(time, never)));
    const [one, two, three, last] = taken.map(({ takenAt }) => (Number(takenAt) - Number(startsAt)) / 1000);
    expect([one, two, three]).toEqual([0, 4, 4].map((seconds) => expect.closeTo(seconds, 0)));
    // Meanwhile, another may have come.
    expect(last).toBeGreaterThan(7.5);
    expect(Number(spanOf(ring).endsAt)).toBeGreaterThan(Number(taken[3]?.takenAt) - 1000);
  });

  const spanOf = ({ span }: CameraRing) => span as NonNullable<CameraRing["span"]>;
  const after = (time: Date, seconds: number) => new Date(Number(time) + seconds * 1000);
  const clipFile = () => path.join(path.dirname(directory), `${crypto.randomUUID()}.mp4`);

  /** The bytes of all segments. */
  async function keptBytes(): Promise<number> {
    const names = await readdir(directory, { recursive: true });
    const files = await Promise.all(
      names.map((name) => stat(path.join(directory, name)).catch(() => undefined)),
    );
    return files.reduce((sum, file) => sum + (file?.isFile() ? file.size : 0), 0);
  }

  /** What ffmpeg says of a file while it decodes all of it. */
  async function faultsOf(file: string): Promise<string> {
    const command = ["-v", "warning", "-nostdin", "-i", file, "-f", "null", "-"];
    return (await promisify(execFile)(ffmpegPath, command)).stderr;
  }

  it.each([
    ["h264", "h264"],
    ["hevc", "h265"],
  ] as const)(
    "give clips in %s, of whole groups of pictures from before until later",
    async (codec, stream) => {
      const ring = await open(rtsp.url(stream));
      await untilKept(ring, 4);
      const [from, until] = [after(spanOf(ring).startsAt, 1.5), after(spanOf(ring).endsAt, 2)];
      const file = clipFile();
      const clip = await ring.recordClip({ from, until }, file, never);
      expect(clip).toMatchObject({ codec, width: 320, height: 180, size: (await stat(file)).size });
      expect(Number(from) - Number(clip.startsAt)).toBeGreaterThanOrEqual(0);
      expect(Number(from) - Number(clip.startsAt)).toBeLessThan(1500);
      const over = Number(after(clip.startsAt, clip.duration)) - Number(until);
      expect(over).toBeGreaterThan(-500);
      expect(over).toBeLessThan(2500);
      expect(await faultsOf(file)).toBe("");
    },
  );

  it("give whole clips of a playlist that begins anew, whose frames come in another order than they are shown", async () => {
    const server = await StreamServer.open(0);
    onTestFinished(() => server.close());
    const ring = await open(server.url);
    // The film lasts 8 seconds.
    await untilKept(ring, 12);
    const file = clipFile();
    const range = { from: spanOf(ring).startsAt, until: spanOf(ring).endsAt };
    const { duration, startsAt } = await ring.recordClip(range, file, never);
    const wanted = (Number(range.until) - Number(startsAt)) / 1000;
    expect(Math.abs(duration - wanted)).toBeLessThan(2.5);
    expect(await faultsOf(file)).toBe("");
  });

  it("give no clips in codecs that browsers do not play", async () => {
    const ring = await open(rtsp.url("jpeg"));
    const range = { from: new Date(0), until: new Date(0) };
    await expect(ring.recordClip(range, clipFile(), never)).rejects.toMatchObject({ code: "UNSUPPORTED" });
  });

  it.each<[string, (seconds: number) => number]>([
    ["is set forward", (seconds) => seconds + (seconds < 3 ? 0 : 3600)],
    ["is set back", (seconds) => seconds + (seconds < 3 ? 7200 : 0)],
    ["hardly moves", (seconds) => seconds / 500],
    ["is too fast", (seconds) => seconds * 4],
  ])("go by this machine's clock when that of a camera %s", async (_what, clock) => {
    const frames = await encodedFrames("H264", { count: 10 });
    const camera = await PacketCamera.forTest("H264", sendSteadily(frames, clock));
    const ring = await open(camera.url);
    await untilKept(ring, 15);
    const range = { from: after(spanOf(ring).endsAt, -4), until: spanOf(ring).endsAt };
    const file = clipFile();
    const { duration, startsAt } = await ring.recordClip(range, file, never);
    const wanted = (Number(range.until) - Number(startsAt)) / 1000;
    expect(Math.abs(duration - wanted)).toBeLessThan(2.5);
    expect(camera.openings).toBe(1);
  });

  it("begin anew when the parameters of the stream change, and clips begin after that", async () => {
    const [small, large] = [await encodedFrames("H264"), await encodedFrames("H264", { size: "640x360" })];
    const camera = await PacketCamera.forTest("H264", async (send) => {
      await sendSteadily(camera.openings === 1 ? [...Array(6).fill(small).flat(), ...large] : large)(send);
    });
    const ring = await open(camera.url);
    const clip = ring.recordClip({ from: new Date(), until: after(new Date(), 18) }, clipFile(), never);
    const opened = new Date();
    expect(await clip).toMatchObject({ width: 640, height: 360 });
    expect(Number((await clip).startsAt)).toBeGreaterThan(Number(after(opened, 8)));
    expect(await ring.takePicture(undefined, never)).toMatchObject({ width: 640, height: 360 });
    expect(camera.openings).toBe(2);
  });

  /** Sends frames as fast as they are taken, by a clock of ten a second; the first one once. */
  const flood = (frames: PacketFrames) => async (send: Parameters<ReturnType<typeof sendSteadily>>[0]) => {
    for (let index = 0; ; index += 1)
      await send(frames[index === 0 ? 0 : 1 + (index % (frames.length - 1))] ?? [], index / 10);
  };

  it.each<[string, string, () => Promise<Parameters<typeof PacketCamera.forTest>>]>([
    [
      "whose parameters always change",
      "UNSUPPORTED",
      async () => {
        const [one, two] = [await encodedFrames("H264"), await encodedFrames("H264", { size: "160x90" })];
        return ["H264", sendSteadily([...one, ...two])];
      },
    ],
    [
      "that sends nothing any more",
      "TIMEOUT",
      async () => {
        const frames = await encodedFrames("H264");
        return [
          "H264",
          async (send) => {
            for (const [index, frame] of frames.entries()) await send(frame, index / 10);
            await once(new EventTarget(), "never");
          },
        ];
      },
    ],
    [
      "whose group of pictures has no end",
      "TOO_LARGE",
      async () => ["H264", flood(await encodedFrames("H264", { options: "-qp 20" }))],
    ],
    [
      "of tiny key frames in masses",
      "TOO_LARGE",
      async () => {
        const frames = await encodedFrames("H264", { size: "16x16", keyFrames: 1 });
        return ["H264", flood(frames)];
      },
    ],
  ])("end at a stream %s, with %s", async (_what, code, camera) => {
    const ring = await open((await PacketCamera.forTest(...(await camera()))).url, { maxBytes: 2_000_000 });
    expect(await ring.ended).toMatchObject({ code });
    expect(await keptBytes()).toBe(0);
  });

  it("hold a bounded number of bytes for themselves, and as many for clips, which end earlier then", async () => {
    const frames = await encodedFrames("H264", { count: 10, size: "640x360", options: "-qp 1" });
    const camera = await PacketCamera.forTest("H264", sendSteadily(frames));
    const maxBytes = 4 * frames.flat().reduce((sum, unit) => sum + unit.length, 0);
    const ring = await open(camera.url, { maxBytes });
    const first = (await eventually(
      async () => ring.span?.startsAt,
      (time) => time !== undefined,
    )) as Date;
    const range = { from: first, until: after(first, 30) };
    const clip = ring.recordClip(range, clipFile(), never);
    let most = 0;
    await eventually(
      async () => {
        most = Math.max(most, await keptBytes());
        return Number(ring.span?.startsAt);
      },
      (time) => time > Number(after(first, 8)),
    );
    expect(most).toBeGreaterThan(maxBytes);
    expect(most).toBeLessThan(2.4 * maxBytes);
    const { duration, startsAt } = await clip;
    expect(Math.abs(Number(startsAt) - Number(first))).toBeLessThan(1500);
    expect(duration).toBeLessThan(20);
  });

  it("keep less of a stream of 100 Mbit/s, which shows pictures nevertheless", async () => {
    const look = { count: 20, keyFrames: 10, size: "1280x720", source: "mandelbrot" };
    const frames = await encodedFrames("H264", { ...look, options: "-qp 8 -slices 20" });
    const camera = await PacketCamera.forTest("H264", async (send) => {
      const startedAt = performance.now();
      for (let index = 0, sent = 0; ; index += 1) {
        const frame = frames[index % frames.length] ?? [];
        await send(frame, (performance.now() - startedAt) / 1000);
        sent += frame.reduce((sum, unit) => sum + unit.length, 0);
        await sleep((sent * 8) / 100_000 - (performance.now() - startedAt));
      }
    });
    const maxBytes = 16 * 1024 * 1024;
    const ring = await open(camera.url, { maxBytes });
    const first = await eventually(
      async () => ring.span?.startsAt,
      (time) => time !== undefined,
    );
    let most = 0;
    await eventually(
      async () => {
        most = Math.max(most, await keptBytes());
        return Number(ring.span?.startsAt);
      },
      (time) => time > Number(first) + 5000,
    );
    expect(most).toBeLessThan(1.1 * maxBytes);
    expect(await ring.takePicture(undefined, never)).toMatchObject({ width: 1280, height: 720 });
  });

  it("let clips end with them, with what there is", async () => {
    const ring = await open(rtsp.url("h264"));
    await untilKept(ring, 3);
    const range = { from: spanOf(ring).startsAt, until: after(new Date(), 3600) };
    const clip = ring.recordClip(range, clipFile(), never);
    await ring.close();
    expect((await clip).duration).toBeGreaterThan(2);
    await expect(ring.takePicture(undefined, never)).rejects.toThrow();
  });

  it("end when nothing more can be written", async () => {
    const ring = await open(rtsp.url("h264"));
    for (const name of await readdir(directory)) await rm(path.join(directory, name), { recursive: true });
    expect(await ring.ended).toMatchObject({ code: "UNKNOWN" });
  });

  it("end with their process, and leave neither programs nor files; no secret is anywhere", async () => {
    const ring = await open(rtsp.url("h264", "digest"));
    await untilKept(ring, 3);
    const all = (await descendantsOf(process.pid)).filter(({ command }) => !command.includes("rtsp-server"));
    const copying = all.filter(({ command }) => command.includes("frag_keyframe"));
    const keepers: typeof all = [];
    for (const each of all)
      if ((await descendantsOf(each.pid)).some(({ pid }) => copying.some((its) => its.pid === pid)))
        keepers.push(each);
    const secret = /Uni(?:@|%40)corn/;
    const names = (await readdir(directory, { recursive: true })).filter((name) => name.endsWith(".mp4"));
    const files = await Promise.all(names.map((name) => readFile(path.join(directory, name), "latin1")));
    const texts = [
      ...all.map(({ command }) => command),
      ...(await Promise.all(all.map(environmentOf))),
      ...files,
    ];
    expect(texts.filter((text) => secret.test(text))).toEqual([]);
    expect([copying.length, keepers.length]).toEqual([1, 1]);
    for (const { pid } of keepers) process.kill(pid, "SIGKILL");
    expect(await ring.ended).toMatchObject({ code: "UNKNOWN" });
    await expect.poll(async () => (await Promise.all(copying.map(isRunning))).includes(true)).toBe(false);
    expect(await keptBytes()).toBe(0);
  });

  it("end with a gateway that is killed, and what they left is removed at the next start", async () => {
    const left = path.join(path.dirname(directory), "left");
    const program = fileURLToPath(new URL("start-ring.ts", import.meta.url));
    const gateway = spawn(process.execPath, ["--import", "tsx", program, rtsp.url("h264"), left], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(gateway.stdout, "data");
    const started = await descendantsOf(gateway.pid as number);
    expect(started.filter(({ command }) => command.includes("frag_keyframe"))).toHaveLength(1);
    gateway.kill("SIGKILL");
    await expect
      .poll(async () => (await Promise.all(started.map(isRunning))).includes(true), { timeout: 10_000 })
      .toBe(false);
    await writeFile(path.join(left, "other"), "");
    const before = await readdir(left);
    const ring = await open(rtsp.url("h264"), { directory: left });
    const now = await readdir(left);
    expect(now).toHaveLength(1);
    expect(before).not.toContain(now[0]);
    await ring.close();
  });
});
