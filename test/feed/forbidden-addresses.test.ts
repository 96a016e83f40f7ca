// Runs once: no database can influence what is tested here.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { StreamCapture } from "../../src/feed/stream-capture.js";
import { StreamRelays } from "../../src/feed/stream-relay.js";
import { ffmpegPath } from "../support/cameras/camera-programs.js";
import { cameraAddress, cameraNetworks, ScriptedServer, startCanary } from "./scripted-server.js";
import { liveOutcomeOf, outcomesOf } from "./stream-outcomes.js";
import { hasFfmpeg } from "./switched-camera.js";

const relays = new StreamRelays({ allowedNetworks: cameraNetworks });
const capture = new StreamCapture({ ffmpegPath, relays });

/** Playlists by the part that leads to a URL. */
const playlists: Readonly<Record<string, (url: string) => string>> = {
  variant: (url) => `#EXT-X-STREAM-INF:BANDWIDTH=1000\n${url}\n`,
  "first-variant": (url) =>
    `#EXT-X-STREAM-INF:BANDWIDTH=1000\n${url}\n#EXT-X-STREAM-INF:BANDWIDTH=2000\nother.m3u8\n`,
  audio: (url) =>
    `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="a",DEFAULT=YES,URI="${url}"\n#EXT-X-STREAM-INF:BANDWIDTH=1000,AUDIO="a"\nother.m3u8\n`,
  segment: (url) => `#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n${url}\n#EXT-X-ENDLIST\n`,
  key: (url) =>
    `#EXT-X-TARGETDURATION:2\n#EXT-X-KEY:METHOD=AES-128,URI="${url}"\n#EXTINF:2,\n1.ts\n#EXT-X-ENDLIST\n`,
};

describe.runIf(hasFfmpeg)("with ffmpeg, nothing at a forbidden address sees a connection", () => {
  /** Leads to the URL in a query: `/redirect` itself, others by a playlist. */
  const camera = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://camera");
    const to = searchParams.get("to") ?? "";
    const playlist = playlists[pathname.slice(1)];
    if (playlist) response.end(`#EXTM3U\n${playlist(to)}`);
    else response.writeHead(302, { location: to }).end();
  });
  beforeAll(async () => {
    camera.listen(0, cameraAddress);
    await once(camera, "listening");
  });
  afterAll(() => {
    camera.close();
    camera.closeAllConnections();
  });
  const by = (part: string, url: string) =>
    `http://${cameraAddress}:${(camera.address() as AddressInfo).port}/${part}?to=${encodeURIComponent(url)}`;

  const redirectOf = (part: string): [string, (port: number) => string] => [
    `${part}'s redirect`,
    (port) => by(part, by("redirect", `http://localhost:${port}/1.ts`)),
  ];

  it.each<[what: string, url: (port: number) => string | Promise<string>]>([
    ["literal by RTSP", (port) => `rtsp://127.0.0.1:${port}/live`],
    ["literal by RTMP", (port) => `rtmp://127.0.0.1:${port}/live/one`],
    ["literal by RTMPS", (port) => `rtmps://127.0.0.1:${port}/live/one`],
    ["literal by HTTP", (port) => `http://127.0.0.1:${port}/live.m3u8`],
    ["literal by HTTPS", (port) => `https://127.0.0.1:${port}/live.m3u8`],
    ["IPv4 in IPv6 by RTSP", (port) => `rtsp://[::ffff:127.0.0.1]:${port}/live`],
    ["IPv4 in IPv6 by RTMP", (port) => `rtmp://[::ffff:7f00:1]:${port}/live/one`],
    ["IPv4 in IPv6 by HTTP", (port) => `http://[::ffff:127.0.0.1]:${port}/live.m3u8`],
    ["name by RTSP", (port) => `rtsp://localhost:${port}/live`],
    ["name by RTMP", (port) => `rtmp://localhost:${port}/live/one`],
    ["name by HTTP", (port) => `http://localhost:${port}/live.m3u8`],
    ["redirect of RTSP", (port) => redirectingRtsp(`rtsp://127.0.0.1:${port}/live`)],
    ["redirect of RTSP to a name", (port) => redirectingRtsp(`rtsp://localhost:${port}/live`)],
    ["redirect of HTTP", (port) => by("redirect", `http://127.0.0.1:${port}/live.m3u8`)],
    ["redirect of HTTP to a name", (port) => by("redirect", `http://localhost:${port}/live.m3u8`)],
    ...Object.keys(playlists).flatMap((part): [string, (port: number) => string][] => [
      [`${part} of a playlist`, (port) => by(part, `http://127.0.0.1:${port}/1.ts`)],
      // Sound is not asked for, so its redirect is not, either.
      ...(part === "audio" ? [] : [redirectOf(part)]),
    ]),
  ])("%s", async (_what, urlOf) => {
    const canary = await startCanary();
    const url = await urlOf(canary.port);
    const outcomes = await Promise.all([outcomesOf(capture, url), liveOutcomeOf(capture, url)]);
    expect(outcomes.flat()).toEqual(Array(3).fill("ADDRESS_NOT_ALLOWED"));
    expect(canary.connections).toBe(0);
  });
});

/** The URL of a camera that leads elsewhere, whatever it is asked. */
async function redirectingRtsp(location: string): Promise<string> {
  const camera = await ScriptedServer.start((request, socket) => {
    const number = /^CSeq: *(\d+)/im.exec(request)?.[1];
    socket.write(`RTSP/1.0 302 Moved\r\nCSeq: ${number}\r\nLocation: ${location}\r\n\r\n`);
  });
  return `rtsp://${cameraAddress}:${camera.port}/live`;
}
