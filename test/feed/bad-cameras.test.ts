// Needs no gateway. One would open files.
// Takes long: it reads streams of cameras with ffmpeg.

import { readdirSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { Socket } from "node:net";
import { StreamCapture } from "../../src/features/camera-feed/capture/stream-capture.js";
import type { FeedErrorCode } from "../../src/features/camera-feed/feed-error.js";
import { StreamRelays } from "../../src/features/camera-feed/relays/stream-relay.js";
import { ffmpegPath } from "../support/cameras/camera-programs.js";
import { RtspStub } from "../support/cameras/rtsp-stub.js";
import { listOf } from "../support/list-of.js";
import { listenForTest } from "../support/listening.js";
import { captureProcesses } from "./capture-processes.js";
import { cameraAddress, ScriptedServer } from "./scripted-server.js";
import { liveOutcomeOf, outcomesOf } from "./stream-outcomes.js";
import { hasFfmpeg } from "./switched-camera.js";

const relays = new StreamRelays({ allowedNetworks: ["127.0.0.0/8"] });
const capture = new StreamCapture({ ffmpegPath, relays });
/** For cameras that only time ends. */
const limit = 2000;
const hasty = new StreamCapture({ ffmpegPath, relays, times: { limit, silence: 1000 } });

/** Sends a text a byte a second once something is asked, and then line ends. */
function drip(text: string): (request: string, socket: Socket) => void {
  return (_request, socket) => {
    const letters = text[Symbol.iterator]();
    const timer = setInterval(() => socket.write(letters.next().value ?? "\n"), 1000);
    socket.once("close", () => clearInterval(timer));
  };
}

/** Sends a piece again and again, as fast as it is taken. */
function flood(piece: Buffer): (request: string, socket: Socket) => void {
  return (_request, socket) => {
    const write = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on("drain", write);
    write();
  };
}

async function tcpCamera(scheme: string, answer: (request: string, socket: Socket) => void): Promise<string> {
  return `${scheme}://${cameraAddress}:${(await ScriptedServer.start(answer)).port}/live.m3u8`;
}

async function httpCamera(answer: RequestListener): Promise<string> {
  return `http://${cameraAddress}:${await listenForTest(createServer(answer), cameraAddress)}/live.m3u8`;
}

/** A frame of RTP that holds nothing that can be read. */
const emptyFrame = Buffer.concat([Buffer.from([0x24, 0, 0xfd, 0xe8]), Buffer.alloc(65_000)]);

/** What becomes of a probe, a picture and a live view, of which nothing is left. */
async function outcomesAt(url: string, by = capture): Promise<unknown[]> {
  const openFiles = () => readdirSync("/proc/self/fd").length;
  const before = openFiles();
  const outcomes = await Promise.all([outcomesOf(by, url), liveOutcomeOf(by, url)]);
  expect(captureProcesses()).toEqual([]);
  await expect.poll(openFiles).toBeLessThanOrEqual(before);
  return outcomes.flat();
}

const thrice = (code: FeedErrorCode) => [code, code, code];

describe.runIf(hasFfmpeg)("a bad camera has its code, and leaves nothing behind:", () => {
  it.each<[what: string, url: () => Promise<string>]>([
    ["answers nothing by RTSP", () => tcpCamera("rtsp", () => {})],
    ["answers nothing by RTMP", () => tcpCamera("rtmp", () => {})],
    ["answers nothing by HTTPS", () => tcpCamera("https", () => {})],
    ["sends a byte a second by RTSP", () => tcpCamera("rtsp", drip("RTSP/1.0 200 OK\r\n"))],
    ["sends a byte a second by RTMP", () => tcpCamera("rtmp", drip("\x03"))],
    ["sends a byte a second by HTTP", () => tcpCamera("http", drip("HTTP/1.1 200 OK\r\n\r\n#EXTM3U\n"))],
    ["sends frames without pictures", () => tcpCamera("rtsp", flood(emptyFrame))],
    ["sends line ends without end", () => tcpCamera("rtsp", flood(Buffer.alloc(65_536, "\r\n")))],
    [
      "has twenty thousand playlists that do not answer",
      () =>
        httpCamera((request, response) => {
          const variants = listOf(20_000, (index) => `#EXT-X-STREAM-INF:BANDWIDTH=${index + 1}\n/${index}\n`);
          if (request.url === "/live.m3u8") response.end(`#EXTM3U\n${variants.join("")}`);
        }),
    ],
  ])("one that %s is a TIMEOUT", async (_what, urlOf) => {
    expect(await outcomesAt(await urlOf(), hasty)).toEqual(thrice("TIMEOUT"));
  });

  it("one that has a playlist that leads to itself ends by the time-out or by the bound on redirects", async () => {
    const url = await httpCamera((_request, response) =>
      response.end("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n/live.m3u8\n"),
    );
    for (const outcome of await outcomesAt(url, hasty)) expect(outcome).toMatch(/^(?:TIMEOUT|UNKNOWN)$/);
  });

  it.each<[what: string, code: FeedErrorCode, url: () => Promise<string>]>([
    ["sends what is no RTSP", "UNSUPPORTED", () => tcpCamera("rtsp", flood(Buffer.alloc(65_536, 3)))],
    [
      "sends bytes without end",
      "NO_VIDEO",
      () =>
        tcpCamera("http", (_request, socket) => {
          socket.write("HTTP/1.1 200 OK\r\n\r\n");
          flood(Buffer.alloc(65_536, 3))("", socket);
        }),
    ],
    [
      "describes the video of another server",
      "UNSUPPORTED",
      () =>
        httpCamera((_request, response) =>
          response.end("v=0\r\nc=IN IP4 127.0.0.1\r\nm=video 5555 RTP/AVP 96\r\n"),
        ),
    ],
    [
      "names the files of another server",
      "UNSUPPORTED",
      () =>
        httpCamera((_request, response) => response.end("ffconcat version 1.0\nfile 'http://127.0.0.1/x'\n")),
    ],
  ])("one that %s is %s", async (_what, code, urlOf) => {
    expect(await outcomesAt(await urlOf())).toEqual(thrice(code));
  });

  it("one that sends by UDP, although it was asked not to, is UNSUPPORTED", async () => {
    const headers = { Transport: "RTP/AVP;unicast;client_port=5000-5001;server_port=6000-6001" };
    const camera = await RtspStub.start({ SETUP: { status: "200 OK", headers } });
    onTestFinished(() => camera.stop());
    expect(await outcomesAt(camera.url)).toEqual(thrice("UNSUPPORTED"));
  });

  /** Answers everything but the first playlist alike. */
  const failing = (playlist: string, answer: RequestListener) =>
    httpCamera((request, response) => {
      if (request.url === "/live.m3u8") response.end(`#EXTM3U\n${playlist}`);
      else answer(request, response);
    });
  const withStatus =
    (status: number): RequestListener =>
    (_request, response) =>
      void response.writeHead(status, { "www-authenticate": 'Basic realm="camera"' }).end();

  const partOf = {
    variant: (url: string) => `#EXT-X-STREAM-INF:BANDWIDTH=1000\n${url}\n`,
    segment: (url: string) => `#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n${url}\n#EXT-X-ENDLIST\n`,
  };

  it.each<
    [part: keyof typeof partOf, what: string, code: FeedErrorCode, url: string, answer: RequestListener]
  >([
    ["variant", "is forbidden", "UNAUTHORIZED", "/1", withStatus(403)],
    ["segment", "is not there", "NOT_FOUND", "/1", withStatus(404)],
    [
      "variant",
      "is a zip",
      "NO_VIDEO",
      "/1",
      (_request, response) => void response.end(Buffer.alloc(100_000, "PK\x03\x04")),
    ],
    [
      "segment",
      "is at a port where nothing listens",
      "REFUSED",
      `http://${cameraAddress}:1/1`,
      withStatus(500),
    ],
    ["variant", "is at an unknown name", "NAME_NOT_FOUND", "http://camera.invalid/1", withStatus(500)],
  ])("one whose %s %s is %s", async (part, _what, code, url, answer) => {
    expect(await outcomesAt(await failing(partOf[part](url), answer))).toEqual(thrice(code));
  });

  it("one whose segment is said to be of https, and is not, is UNSUPPORTED", async () => {
    const plain = await httpCamera(withStatus(200));
    const url = await failing(partOf.segment(plain.replace("http:", "https:")), withStatus(500));
    expect(await outcomesAt(url)).toEqual(thrice("UNSUPPORTED"));
  });
});
