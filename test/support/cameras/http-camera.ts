import { execFile } from "node:child_process";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { ffmpegPath } from "./camera-programs.js";
import { cameraAccount, cameraPassword, cameraUser } from "./rtsp-server.js";

/**
 * What is served: `hls` is a video of six seconds, 320 × 180 pixels; `clock` the same
 * with times that jump back and forth.
 */
export type HttpStream =
  | "hls.m3u8"
  | "clock.m3u8"
  | "wide.m3u8"
  | "turned.mp4"
  | "silent-sound.m3u8"
  | "audio.m3u8"
  | "huge.m3u8"
  | "archive.zip"
  | "redirect.m3u8"
  | "private.m3u8"
  | "not-there.m3u8";

const run = promisify(execFile);

/** Makes the files of the streams. */
async function makeFiles(directory: string): Promise<void> {
  const make = (parameters: string) =>
    run(ffmpegPath, ["-v", "error", "-nostdin", ...parameters.split(" ")], { cwd: directory });
  const video = "-f lavfi -i testsrc=size=320x180:rate=10";
  const h264 = "-c:v libx264 -preset ultrafast -g 10 -pix_fmt yuv420p -threads 1";
  await Promise.all([
    make(`${video} -t 6 ${h264} -f hls -hls_time 2 -hls_list_size 0 hls.m3u8`),
    make(`${video} -t 2 ${h264} -output_ts_offset 36000 -f mpegts later.ts`),
    make(`-f lavfi -i testsrc=size=1600x900:rate=10 -t 1 ${h264} -f hls wide.m3u8`),
    make(`-f lavfi -i testsrc=size=352x288:rate=10 -t 1 ${h264} -aspect 16:9 unturned.mp4`).then(() =>
      make("-i unturned.mp4 -c copy -metadata:s:v:0 rotate=90 -movflags faststart turned.mp4"),
    ),
    make(`${video} -f lavfi -i sine -t 4 ${h264} -c:a aac with-sound.ts`).then(() =>
      make("-i with-sound.ts -c copy -bsf:a noise=drop=1 silent-sound.ts"),
    ),
    make("-f lavfi -i sine -t 4 -c:a aac -f hls -hls_time 2 audio.m3u8"),
    make(
      "-f lavfi -i color=size=20000x10000 -frames:v 1 -pix_fmt yuvj420p -c:v mjpeg -movflags frag_keyframe+empty_moov huge.mp4",
    ),
  ]);
}

const playlist = (...segments: string[]) =>
  [
    "#EXTM3U",
    "#EXT-X-VERSION:3",
    "#EXT-X-TARGETDURATION:2",
    ...segments.flatMap((name) => ["#EXT-X-DISCONTINUITY", "#EXTINF:2.0,", name]),
    "#EXT-X-ENDLIST",
    "",
  ].join("\n");

/** An HTTP server on loopback with HLS streams and with what is none. */
export class HttpCamera {
  /** The paths of all requests so far. */
  readonly requests: string[] = [];
  readonly #server: Server;
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  static async start(): Promise<HttpCamera> {
    const directory = await mkdtemp(path.join(tmpdir(), "http-camera-"));
    await makeFiles(directory);
    const camera = new HttpCamera(directory);
    camera.#server.listen(0, "127.0.0.1");
    await once(camera.#server, "listening");
    return camera;
  }

  url(stream: HttpStream, account?: string): string {
    const before = account === undefined ? "" : `${account}@`;
    return `http://${before}127.0.0.1:${(this.#server.address() as AddressInfo).port}/${stream}`;
  }

  /** The URL of the stream that asks for user and password, with both. */
  get privateUrl(): string {
    return this.url("private.m3u8", cameraAccount);
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
    await rm(this.#directory, { recursive: true });
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const name = (request.url ?? "").slice(1);
    this.requests.push(name);
    const special = this.#special[name as HttpStream];
    if (special) special(request, response);
    else this.#sendFile(name, response);
  }

  #sendFile(name: string, response: ServerResponse): void {
    const file = createReadStream(path.join(this.#directory, path.basename(name)));
    file.once("error", () => response.writeHead(404).end());
    file.once("open", () => file.pipe(response));
    response.once("close", () => file.destroy());
  }

  readonly #special: Partial<
    Record<HttpStream, (request: IncomingMessage, response: ServerResponse) => void>
  > = {
    "clock.m3u8": (_request, response) => response.end(playlist("hls0.ts", "later.ts", "hls1.ts")),
    // More is announced, as by a camera, and never comes.
    "silent-sound.m3u8": (_request, response) =>
      response.end(playlist("silent-sound.ts").replace("#EXT-X-ENDLIST", "")),
    "huge.m3u8": (_request, response) => response.end(playlist("huge.mp4")),
    "archive.zip": (_request, response) =>
      // The same bytes each time: others may look like something that ffmpeg knows.
      response.end(Buffer.alloc(1024 * 1024, Buffer.from("PK\x03\x04".padEnd(64, "compressed")))),
    "redirect.m3u8": (_request, response) => response.writeHead(302, { location: "/hls.m3u8" }).end(),
    "private.m3u8": (request, response) => {
      const expected = `Basic ${Buffer.from(`${cameraUser}:${cameraPassword}`).toString("base64")}`;
      if (request.headers.authorization === expected) this.#sendFile("hls.m3u8", response);
      else response.writeHead(401, { "www-authenticate": 'Basic realm="camera"' }).end();
    },
  };
}
