// Runs once: no database can influence what is tested here.
// Takes long: it reads streams of cameras with ffmpeg.
import { createServer } from "node:http";
import { StreamCapture } from "../../src/features/camera-feed/capture/stream-capture.js";
import { StreamRelays } from "../../src/features/camera-feed/relays/stream-relay.js";
import { ffmpegPath } from "../support/cameras/camera-programs.js";
import { close, listen } from "../support/listening.js";
import { segmentPlaylist, variantPlaylist } from "./playlists.js";
import { cameraAddress, cameraNetworks, ScriptedServer, startCanary } from "./scripted-server.js";
import { liveOutcomeOf, outcomesOf } from "./stream-outcomes.js";
import { hasFfmpeg } from "./switched-camera.js";

const relays = new StreamRelays({ allowedNetworks: cameraNetworks });
const capture = new StreamCapture({ ffmpegPath, relays });

describe.runIf(hasFfmpeg)("with ffmpeg, nothing at a forbidden address sees a connection", () => {
  /** Leads to the URL in a query: `/redirect` itself, others by a playlist. */
  const camera = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://camera");
    const to = searchParams.get("to") ?? "";
    if (pathname === "/redirect") response.writeHead(302, { location: to }).end();
    else if (pathname === "/variant") response.end(variantPlaylist(to));
    else response.end(segmentPlaylist("#EXTINF:1,", to));
  });
  let port: number;
  beforeAll(async () => {
    port = await listen(camera, cameraAddress);
  });
  afterAll(() => close(camera));
  const by = (part: string, url: string) =>
    `http://${cameraAddress}:${port}/${part}?to=${encodeURIComponent(url)}`;

  it.each<[what: string, url: (port: number) => string | Promise<string>]>([
    ["literal by RTSP", (port) => `rtsp://127.0.0.1:${port}/live`],
    ["name by RTMP", (port) => `rtmp://localhost:${port}/live/one`],
    ["IPv4 in IPv6 by HTTP", (port) => `http://[::ffff:127.0.0.1]:${port}/live.m3u8`],
    ["redirect of RTSP", (port) => redirectingRtsp(`rtsp://127.0.0.1:${port}/live`)],
    ["redirect of HTTP to a name", (port) => by("redirect", `http://localhost:${port}/live.m3u8`)],
    ["variant of a playlist", (port) => by("variant", `http://127.0.0.1:${port}/1.ts`)],
    ["segment's redirect", (port) => by("segment", by("redirect", `http://localhost:${port}/1.ts`))],
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
