// Needs no gateway.
// Takes long: it keeps the streams of cameras with ffmpeg.
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { FeedClient } from "../../src/features/camera-feed/feed-client.js";
import type { CameraRing, RingLimits } from "../../src/features/camera-feed/ring/camera-ring.js";
import { createLog } from "../../src/platform/telemetry/log.js";
import { ffmpegPath, missingCameraPackages } from "../support/cameras/camera-programs.js";
import { encodedFrames, PacketCamera, sendSteadily } from "../support/cameras/packet-camera.js";
import { RtspServer } from "../support/cameras/rtsp-server.js";
import { eventually } from "../support/eventually.js";

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

  const streams: [codec: string, open: () => Promise<string>][] = [
    ["h264", async () => rtsp.url("h264")],
    ["hevc", async () => rtsp.url("h265")],
    ["mjpeg", async () => rtsp.url("jpeg")],
    [
      "mpeg4",
      async () => (await PacketCamera.forTest("MP4V-ES", sendSteadily(await encodedFrames("MP4V-ES")))).url,
    ],
  ];
  it.each(streams)(
    "keep the last seconds of a stream in %s, and show pictures and metadata of it",
    async (codec, url) => {
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
    const { startsAt, endsAt } = ring.span as NonNullable<CameraRing["span"]>;
    const times = [0, 3, 5, 1000].map((seconds) => new Date(Number(startsAt) + seconds * 1000));
    const taken = await Promise.all(times.map((time) => ring.takePicture(time, never)));
    const [one, two, three, last] = taken.map(({ takenAt }) =>
      Math.round((Number(takenAt) - Number(startsAt)) / 1000),
    );
    expect([one, two, three]).toEqual([0, 4, 4]);
    expect(last).toBe(8);
    expect(Number(endsAt)).toBeGreaterThan(Number(taken[3]?.takenAt) - 1000);
  });
});
