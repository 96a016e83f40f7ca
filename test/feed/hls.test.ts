// Runs once: no database can influence what is tested here.
// Takes long: it reads streams of cameras with ffmpeg.

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { StreamCapture } from "../../src/features/camera-feed/capture/stream-capture.js";
import { StreamRelays } from "../../src/features/camera-feed/relays/stream-relay.js";
import { ffmpegPath } from "../support/cameras/camera-programs.js";
import { listOf } from "../support/list-of.js";
import { close, listen } from "../support/listening.js";
import { masterPlaylist, playlists, segmentPlaylist, variantPlaylist } from "./playlists.js";
import { cameraAddress, startCanary } from "./scripted-server.js";
import { outcomesOf } from "./stream-outcomes.js";
import { hasFfmpeg } from "./switched-camera.js";

const otherAddress = "127.0.0.3";
const relays = new StreamRelays({ allowedNetworks: [`${cameraAddress}/32`, `${otherAddress}/32`] });
const capture = new StreamCapture({ ffmpegPath, relays });

/** A server of streams at an address of cameras. A test may answer a path itself. */
class HlsCamera {
  readonly asked: IncomingMessage[] = [];
  answers: Record<string, RequestListener> = {};
  #url = "";
  readonly #server = createServer((request, response) => {
    this.asked.push(request);
    const name = request.url?.slice(1) ?? "";
    const answer = this.answers[name];
    if (answer) answer(request, response);
    else void this.#sendFile(name, response);
  });

  constructor(private readonly directory: string) {}

  async start(address: string): Promise<this> {
    this.#url = `http://${address}:${await listen(this.#server, address)}`;
    return this;
  }

  stop(): void {
    close(this.#server);
  }

  url(name: string): string {
    return `${this.#url}/${name}`;
  }

  async #sendFile(name: string, response: ServerResponse): Promise<void> {
    const content = await readFile(path.join(this.directory, name)).catch(() => undefined);
    const [, start, end] = /^bytes=(\d+)-(\d*)$/.exec(response.req.headers.range ?? "") ?? [];
    if (!content) response.writeHead(404).end();
    else if (start === undefined || (start === "0" && end === "")) response.end(content);
    else {
      const last = end ? Number(end) : content.length - 1;
      response
        .writeHead(206, { "content-range": `bytes ${start}-${last}/${content.length}` })
        .end(content.subarray(Number(start), last + 1));
    }
  }
}

describe.runIf(hasFfmpeg)("HTTP Live Streaming", () => {
  let directory: string;
  let camera: HlsCamera;
  let other: HlsCamera;

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), "hls-"));
    const make = async (name: string, size: string, options = "") => {
      const folder = path.join(directory, name);
      await mkdir(folder);
      await promisify(execFile)(
        ffmpegPath,
        `-v error -nostdin -f lavfi -i testsrc=size=${size}:rate=5 -t 2 -c:v libx264 -preset ultrafast -g 5 -pix_fmt yuv420p -threads 1 -f hls -hls_time 1 -hls_list_size 0 ${options} live.m3u8`.split(
          /\s+/,
        ),
        { cwd: folder },
      );
    };
    await writeFile(path.join(directory, "key"), Buffer.alloc(16, 7));
    await writeFile(path.join(directory, "key-info"), `../key\n${path.join(directory, "key")}\n`);
    await Promise.all([
      make("small", "160x90"),
      make("large", "320x180"),
      make("encrypted", "320x180", "-hls_key_info_file ../key-info"),
      make("fragments", "320x180", "-hls_segment_type fmp4"),
      make("ranges", "320x180", "-hls_flags single_file"),
    ]);
    camera = await new HlsCamera(directory).start(cameraAddress);
    other = await new HlsCamera(directory).start(otherAddress);
  }, 60_000);
  afterAll(async () => {
    camera.stop();
    other.stop();
    await rm(directory, { recursive: true });
  });
  beforeEach(() => {
    for (const each of [camera, other]) {
      each.answers = {};
      each.asked.length = 0;
    }
  });

  const sends =
    (text: string | Buffer, headers: Record<string, string> = {}, status = 200): RequestListener =>
    (_request, response) =>
      void response.writeHead(status, headers).end(text);
  const read = (name: string) => outcomesOf(capture, camera.url(name));
  const pathsOf = (each: HlsCamera) => [...new Set(each.asked.map(({ url }) => url))];
  const video = (width: number, height: number) => [
    expect.objectContaining({ width, height }),
    expect.objectContaining({ width, height, jpeg: expect.any(Buffer) }),
  ];

  it.each(["large", "encrypted", "fragments", "ranges"])("a playlist is read: %s", async (name) => {
    expect(await read(`${name}/live.m3u8`)).toEqual(video(320, 180));
  });

  // Each way to name one is refused by hls-playlists.test.ts.
  it.each(playlists.filter(([what]) => /^(?:a variant|a key|a map|a rendition)$/.test(what)))(
    "nothing is connected to that a playlist names as %s",
    async (_what, playlist, headers, status) => {
      const canary = await startCanary();
      camera.answers["bad.m3u8"] = sends(playlist(`tcp://127.0.0.1:${canary.port}/`), headers, status);
      expect(await read("bad.m3u8")).toEqual(["UNSUPPORTED", "UNSUPPORTED"]);
      expect(canary.connections).toBe(0);
      expect(pathsOf(camera)).toEqual(["/bad.m3u8"]);
    },
  );

  it("what ffmpeg would find behind a tag of ID3, or between a radio's titles, is no playlist", async () => {
    const canary = await startCanary();
    const playlist = variantPlaylist(`tcp://127.0.0.1:${canary.port}/`);
    const tag = Buffer.from("ID3\x04\0\0\0\0\0\x0aTXXX\0\0\0\0\0\0", "latin1");
    camera.answers.tagged = sends(Buffer.concat([tag, Buffer.from(playlist)]));
    expect(await read("tagged")).toEqual(["NO_VIDEO", "NO_VIDEO"]);
    camera.answers.radio = sends(playlist.replace(/./gs, "$&\0"), { "icy-metaint": "1" });
    expect(await read("radio")).toEqual(["NO_VIDEO", "NO_VIDEO"]);
    expect(canary.connections).toBe(0);
  });

  it("a segment that is a playlist opens nothing", async () => {
    other.answers["2.m3u8"] = sends(variantPlaylist("large/live.m3u8"));
    camera.answers["nested.m3u8"] = sends(segmentPlaylist("#EXTINF:1,", other.url("2.m3u8")));
    expect(await read("nested.m3u8")).not.toContainEqual(expect.objectContaining({ width: 320 }));
  });

  it("one of many variants is opened: the largest of those that are kept as they come", async () => {
    const variants = listOf(12, (index) => [
      `#EXT-X-STREAM-INF:CODECS="avc1.4d401f,mp4a.40.2",RESOLUTION=${index === 6 ? "1920x1080" : "640x360"},AUDIO="sound"`,
      `${index}.m3u8`,
    ]);
    const lines = [
      '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="sound",NAME="a",DEFAULT=YES,URI="sound.m3u8"',
      '#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS="mp4a.40.2"',
      "sound.m3u8",
      "#EXT-X-STREAM-INF:BANDWIDTH=9900000,RESOLUTION=3840x2160",
      "4k.m3u8",
      ...variants.flat(),
    ];
    camera.answers["master.m3u8"] = sends(masterPlaylist(...lines));
    camera.answers["6.m3u8"] = sends(segmentPlaylist());
    expect(await read("master.m3u8")).toEqual(video(320, 180));
    expect(pathsOf(camera)).toEqual(["/master.m3u8", "/6.m3u8", "/large/live0.ts"]);
  });

  it("a variant that is gone, whose server is, or that leads nowhere is replaced by another", async () => {
    const gone = `http://${cameraAddress}:1/live.m3u8`;
    camera.answers["moved.m3u8"] = sends("", { location: "missing.m3u8" }, 302);
    const variants = variantPlaylist(gone, "missing.m3u8", "moved.m3u8", "large/live.m3u8");
    camera.answers["master.m3u8"] = sends(variants);
    expect(await read("master.m3u8")).toEqual(video(320, 180));
  });

  it("cookies of a redirect and of a playlist come back, and reach no other host", async () => {
    const needs =
      (cookie: string, then: RequestListener): RequestListener =>
      (request, response) =>
        request.headers.cookie === cookie ? then(request, response) : response.writeHead(403).end();
    const cookie = "id=1; Path=/; Domain=127.0.0.3";
    camera.answers["live.m3u8"] = (_request, response) =>
      response.writeHead(302, { location: "/session/live.m3u8", "set-cookie": cookie }).end();
    const playlist = segmentPlaylist("#EXTINF:1,", "1.ts", "#EXTINF:1,", other.url("large/live1.ts"));
    camera.answers["session/live.m3u8"] = needs("id=1", sends(playlist, { "set-cookie": "token=2" }));
    const content = await readFile(path.join(directory, "large/live0.ts"));
    camera.answers["session/1.ts"] = needs("token=2; id=1", sends(content));
    expect(await read("live.m3u8")).toEqual(video(320, 180));
    expect(other.asked.flatMap(({ headers }) => headers.cookie ?? [])).toEqual([]);
  });
});
