// Needs no gateway.

import { LatestFrame } from "../../src/features/camera-feed/capture/latest-frame.js";
import { MultipartFrames } from "../../src/features/camera-feed/capture/multipart-frames.js";
import { concatScript } from "../../src/features/camera-feed/capture/stream-capture.js";

/** What ffmpeg writes for some frames. */
const written = (frames: readonly Buffer[]) =>
  Buffer.concat([
    Buffer.from("--ffmpeg\r\n"),
    ...frames.flatMap((frame) => [
      Buffer.from(`Content-type: image/jpeg\r\nContent-length: ${frame.length}\r\n\r\n`),
      frame,
      Buffer.from("\r\n--ffmpeg\r\n"),
    ]),
  ]);

// Frames may contain what looks like a header.
const frames = ["a", "\r\n\r\n--ffmpeg\r\nContent-length: 3\r\n\r\n", "ccc"].map((each) => Buffer.from(each));

it.each([1, 2, 3, 7, 50, 1000])("frames are read from pieces of %i bytes", (size) => {
  const output = written(frames);
  const reader = new MultipartFrames(1000);
  const read: Buffer[] = [];
  for (let at = 0; at < output.length; at += size) read.push(...reader.read(output.subarray(at, at + size)));
  expect(read.map(String)).toEqual(frames.map(String));
});

it("a frame that is larger than allowed is refused before it is read", () => {
  const output = written([Buffer.alloc(11)]);
  const header = output.subarray(0, output.indexOf("\r\n\r\n") + 4);
  expect(() => new MultipartFrames(10).read(header)).toThrow(expect.objectContaining({ code: "TOO_LARGE" }));
});

it("output that is no frame is refused", () => {
  expect(() => new MultipartFrames(10).read(Buffer.alloc(1000))).toThrow("ffmpeg wrote no frame");
});

it("a slow reader gets the newest frame, and then why there is none", async () => {
  const latest = new LatestFrame();
  for (const frame of frames) latest.put(frame);
  latest.fail(new Error("over"));
  expect(await latest.take()).toBe(frames[2]);
  await expect(latest.take()).rejects.toThrow("over");
});

it("a reader waits for the next frame, or for why there is none", async () => {
  const latest = new LatestFrame();
  const [first] = frames as [Buffer];
  const taking = latest.take();
  latest.put(first);
  expect(await taking).toBe(first);
  const failing = latest.take();
  latest.fail(new Error("over"));
  await expect(failing).rejects.toThrow("over");
});

it("a quote in a URL stays in the URL, and a line end is refused", () => {
  expect(concatScript("rtsp://u:'a@h/'", { rtsp_transport: "tcp" })).toBe(
    "ffconcat version 1.0\nfile 'rtsp://u:%27a@h/%27'\noption rtsp_transport 'tcp'\n",
  );
  expect(() => concatScript("rtsp://h/\nfile '/etc/passwd'", {})).toThrow("line ends");
  expect(() => concatScript("rtsp://h/", { timeout: "1\rfile x" })).toThrow("line ends");
});
