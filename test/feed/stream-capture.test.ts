// Runs once: no database can influence what is tested here.
// Takes long: it reads streams of cameras with ffmpeg.

import {
  type CaptureTimes,
  jpegSize,
  StreamCapture,
} from "../../src/features/camera-feed/capture/stream-capture.js";
import { type FeedErrorCode, feedErrorSentences } from "../../src/features/camera-feed/feed-error.js";
import { StreamRelays } from "../../src/features/camera-feed/relays/stream-relay.js";
import { ffmpegPath, missingCameraPackages } from "../support/cameras/camera-programs.js";
import { HttpCamera, type HttpStream } from "../support/cameras/http-camera.js";
import { RtmpCamera } from "../support/cameras/rtmp-camera.js";
import { cameraUser, RtspServer } from "../support/cameras/rtsp-server.js";
import { RtspStub } from "../support/cameras/rtsp-stub.js";
import { unusedPort } from "../support/unused-port.js";
import { captureProcesses } from "./capture-processes.js";
import { outcomesOf } from "./stream-outcomes.js";

const relays = new StreamRelays({ allowedNetworks: ["127.0.0.0/8"] });
const captureWith = (times: Partial<CaptureTimes>, path = ffmpegPath) =>
  new StreamCapture({ ffmpegPath: path, relays, times });

const capture = captureWith({});
/** For streams that never send what they should. */
const hasty = captureWith({ limit: 2000, silence: 1000 });
const never = new AbortController().signal;

const codesOf = (url: string, by = capture) => outcomesOf(by, url);

const twice = (code: FeedErrorCode) => [code, code];

/** Reads some frames of a live view, or all until it ends. */
async function readFrames(url: string, count = Number.POSITIVE_INFINITY, by = capture) {
  const frames: Buffer[] = [];
  const startedAt = performance.now();
  try {
    for await (const frame of by.readFrames(url, never)) {
      frames.push(frame);
      if (frames.length === count) break;
    }
    return { frames, duration: performance.now() - startedAt };
  } catch (error) {
    return { frames, duration: performance.now() - startedAt, code: (error as { code?: string }).code };
  }
}

const skipped =
  missingCameraPackages.length > 0 ? `, skipped without ${missingCameraPackages.join(", ")}` : "";

describe.skipIf(skipped)(`streams of cameras${skipped}`, () => {
  let rtsp: RtspServer;
  let http: HttpCamera;
  let rtmp: RtmpCamera;

  beforeAll(async () => {
    [rtsp, http, rtmp] = await Promise.all([RtspServer.start(), HttpCamera.start(), RtmpCamera.start()]);
  });
  afterAll(() => Promise.all([rtsp, http, rtmp].map((camera) => camera?.stop())));
  afterEach(() => expect(captureProcesses()).toEqual([]));

  const metadata = {
    codec_name: "h264",
    width: 320,
    height: 180,
    display_aspect_ratio: "16:9",
    pix_fmt: "yuv420p",
    avg_frame_rate: "10/1",
  };
  const picture = { width: 320, height: 180, jpeg: expect.any(Buffer), takenAt: expect.any(Date) };

  it.each<[string, () => string]>([
    ["RTSP", () => rtsp.url("h264")],
    ["RTSP with Basic", () => rtsp.url("h264", "basic")],
    ["RTSP with Digest", () => rtsp.url("h264", "digest")],
    ["RTSP with audio", () => rtsp.url("with-audio")],
    ["HLS", () => http.url("hls.m3u8")],
    ["HLS with Basic", () => http.privateUrl],
    ["HLS after a redirect", () => http.url("redirect.m3u8")],
    ["HLS whose clock jumps", () => http.url("clock.m3u8")],
  ])("metadata and a picture are read by %s", async (_name, url) => {
    expect(await codesOf(url())).toEqual([metadata, picture]);
  });

  it("metadata and a picture are read by RTMP, from a camera that serves one client at a time", async () => {
    expect(await capture.probe(rtmp.url, never)).toMatchObject({
      codec_name: "h264",
      width: 320,
      height: 180,
    });
    await rtmp.ready();
    expect(await capture.takePicture(rtmp.url, never)).toEqual(picture);
    await rtmp.ready();
  });

  it("H.265, and pictures of ten bits with odd dimensions, become a JPEG", async () => {
    expect(await Promise.all([codesOf(rtsp.url("h265")), codesOf(rtsp.url("ten-bits"))])).toEqual([
      [expect.objectContaining({ codec_name: "hevc", width: 320 }), picture],
      [
        expect.objectContaining({ pix_fmt: "yuv444p10le", width: 322 }),
        { ...picture, width: 322, height: 182 },
      ],
    ]);
  });

  it("pixels that are not square become square, alike in metadata, a picture and a live view", async () => {
    const size = { width: 512, height: 288 };
    expect(await codesOf(rtsp.url("wide-pixels"))).toEqual([
      { ...metadata, ...size, display_aspect_ratio: "16:9" },
      { ...picture, ...size },
    ]);
    const { frames } = await readFrames(rtsp.url("wide-pixels"), 1);
    expect(jpegSize(frames[0] as Buffer)).toEqual(size);
  });

  it("sound that HLS announces and never sends is not waited for", async () => {
    expect(await codesOf(http.url("silent-sound.m3u8"))).toEqual([metadata, picture]);
  });

  it("a picture that is to be turned is turned, and its metadata with it", async () => {
    const size = { width: 198, height: 352 };
    expect(await codesOf(http.url("turned.mp4"))).toEqual([
      expect.objectContaining({ ...size, display_aspect_ratio: "9:16" }),
      { ...picture, ...size },
    ]);
  });

  it.each<[string, () => string]>([
    ["a wrong password, by HTTP", () => http.url("private.m3u8", `${cameraUser}:wrong`)],
    ["no password", () => rtsp.url("h264", "digest", "").replace("//@", "//")],
  ])("a camera that refuses %s is UNAUTHORIZED", async (_name, url) => {
    expect(await codesOf(url())).toEqual(twice("UNAUTHORIZED"));
  });

  it("a path without a stream is NOT_FOUND", async () => {
    expect(await codesOf(rtsp.url("not-there"))).toEqual(twice("NOT_FOUND"));
    expect(await codesOf(http.url("not-there.m3u8"))).toEqual(twice("NOT_FOUND"));
  });

  it.each(["rtsp", "rtmp", "http"])("a port on which nothing listens is REFUSED by %s", async (scheme) => {
    expect(await codesOf(`${scheme}://127.0.0.1:${await unusedPort()}/a/b`)).toEqual(twice("REFUSED"));
  });

  it("a camera that plays and sends nothing is a TIMEOUT", async () => {
    const camera = await RtspStub.start({});
    onTestFinished(() => camera.stop());
    expect(await codesOf(camera.url, hasty)).toEqual(twice("TIMEOUT"));
  });

  it("a camera that no longer answers is a TIMEOUT, and is read once it answers again", async () => {
    rtsp.pause();
    expect(await codesOf(rtsp.url("h264"), hasty).finally(() => rtsp.resume())).toEqual(twice("TIMEOUT"));
    expect(await codesOf(rtsp.url("h264"))).toEqual([metadata, picture]);
  });

  it("pictures that all need others before them are a TIMEOUT", async () => {
    await expect(hasty.takePicture(rtsp.url("without-keyframe"), never)).rejects.toMatchObject({
      code: "TIMEOUT",
    });
  });

  it.each<[FeedErrorCode, HttpStream]>([
    ["NO_VIDEO", "archive.zip"],
    ["NO_VIDEO", "audio.m3u8"],
    ["TOO_LARGE", "huge.m3u8"],
  ])("%s is the outcome of %s", async (code, stream) => {
    expect(await codesOf(http.url(stream))).toEqual(twice(code));
  });

  it("audio without video is NO_VIDEO by RTSP, too", async () => {
    expect(await codesOf(rtsp.url("audio-only"))).toEqual(twice("NO_VIDEO"));
  });

  it("an error tells its code's sentence, and neither the URL nor what ffmpeg says", async () => {
    const error = await capture.takePicture(rtsp.url("not-there", "digest"), never).catch((error) => error);
    expect(error).toMatchObject({ code: "NOT_FOUND", message: feedErrorSentences.NOT_FOUND });
    expect(Object.keys(error)).toEqual(["code"]);
  });

  it("without ffmpeg, no camera is blamed", async () => {
    const error = await captureWith({}, "/nowhere/ffmpeg").takePicture(rtsp.url("h264"), never).catch(String);
    expect(error).toMatch("/nowhere/ffmpeg cannot be started");
  });

  it("an aborted signal ends a probe, a picture and a live view, with the signal's reason", async () => {
    const controller = new AbortController();
    const url = rtsp.url("without-keyframe");
    const live = capture.readFrames(url, controller.signal);
    const all = Promise.allSettled([
      capture.probe(url, controller.signal),
      capture.takePicture(url, controller.signal),
      live.next(),
    ]);
    await expect.poll(() => captureProcesses().length).toBe(3);
    controller.abort("no longer wanted");
    expect(await all).toEqual([
      { status: "rejected", reason: "no longer wanted" },
      { status: "rejected", reason: "no longer wanted" },
      { status: "fulfilled", value: { done: true, value: undefined } },
    ]);
    await expect(capture.takePicture(url, controller.signal)).rejects.toBe("no longer wanted");
  });

  it("a live view has at most five frames a second", async () => {
    const { frames, duration } = await readFrames(rtsp.url("h264", "digest"), 6);
    expect(frames.length).toBe(6);
    expect(duration).toBeGreaterThanOrEqual(990);
  });

  it("a live view is at most 1280 pixels wide", async () => {
    const { frames } = await readFrames(http.url("wide.m3u8"), 1);
    expect(jpegSize(frames[0] as Buffer)).toEqual({ width: 1280, height: 720 });
  });

  it("a live view of HLS takes as long as the video, also when its clock jumps", async () => {
    const { frames, duration, code } = await readFrames(http.url("clock.m3u8"));
    expect(code).toBe("TIMEOUT");
    expect(frames.length).toBeGreaterThan(20);
    expect(duration).toBeGreaterThan(4500);
  });

  it("a live view whose camera no longer sends is a TIMEOUT", async () => {
    let code: unknown;
    try {
      for await (const _frame of hasty.readFrames(rtsp.url("h264"), never)) rtsp.pause();
    } catch (error) {
      code = (error as { code?: string }).code;
    }
    rtsp.resume();
    expect(code).toBe("TIMEOUT");
  });
});
