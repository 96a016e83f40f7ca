import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { ffmpegPath, missingCameraPackages } from "../support/cameras/camera-programs.js";
import { eventually } from "../support/eventually.js";

/** Whether ffmpeg is there, without which the gateway opens no streams. */
export const hasFfmpeg = !missingCameraPackages.includes("ffmpeg");

/** The settings by which a gateway opens the streams of cameras on this machine. */
export const feedSettings = {
  CAMERA_FEED: "builtin",
  FFMPEG_PATH: ffmpegPath,
  CAMERA_ALLOWED_NETWORKS: "127.0.0.0/8",
};

/** What a camera sends: its stream, a status, or nothing at all. */
export type CameraMode = "working" | "silent" | 401 | 404;

/**
 * A camera of 320 × 180 pixels with any number of HLS streams, which it sends, refuses or
 * keeps back. Each opening of a stream asks for its playlist once, after it was asked for
 * the password.
 */
export class SwitchedCamera {
  #mode: CameraMode = "working";
  /** The playlists that were asked for. */
  readonly opened: string[] = [];
  readonly #server: Server;
  readonly #directory: string;
  readonly #silent = new Set<{ name: string; response: ServerResponse }>();
  #open = 0;
  #mostOpen = 0;

  private constructor(directory: string) {
    this.#directory = directory;
    this.#server = createServer((request, response) => {
      const name = path.basename(request.url ?? "");
      if (name.endsWith(".ts")) void this.#send("stream0.ts", response);
      else if (this.#mode === 401 && !request.headers.authorization) this.#answer(name, response);
      else this.#openStream(name, response);
    });
  }

  static async start(): Promise<SwitchedCamera> {
    const directory = await mkdtemp(path.join(tmpdir(), "switched-camera-"));
    const source = "-f lavfi -i testsrc=size=320x180:rate=10 -t 2 -c:v libx264 -preset ultrafast -g 10";
    const target = "-pix_fmt yuv420p -threads 1 -f hls -hls_time 2 -hls_list_size 0 stream.m3u8";
    await promisify(execFile)(ffmpegPath, ["-v", "error", "-nostdin", ...`${source} ${target}`.split(" ")], {
      cwd: directory,
    });
    const camera = new SwitchedCamera(directory);
    await once(camera.#server.listen(0, "127.0.0.1"), "listening");
    return camera;
  }

  get mode(): CameraMode {
    return this.#mode;
  }

  /** Requests that were kept back are answered when the camera is no longer silent. */
  set mode(mode: CameraMode) {
    this.#mode = mode;
    if (mode === "silent") return;
    const keptBack = [...this.#silent];
    this.#silent.clear();
    for (const { name, response } of keptBack) this.#answer(name, response);
  }

  /** The URL of a stream. No log may contain its password. */
  url(name: string): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://operator:hidden-word@127.0.0.1:${port}/${name}.m3u8`;
  }

  /** How often a stream was opened. */
  openings(name: string): number {
    return this.opened.filter((each) => each === `${name}.m3u8`).length;
  }

  /** Waits until a stream was opened a number of times. */
  async untilOpened(name: string, times = 1): Promise<void> {
    await eventually(
      async () => this.openings(name),
      (count) => count >= times,
    );
  }

  /** How many streams were being opened at once, at most. */
  get mostOpen(): number {
    return this.#mostOpen;
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
    await rm(this.#directory, { recursive: true });
  }

  #openStream(name: string, response: ServerResponse): void {
    this.opened.push(name);
    this.#open += 1;
    this.#mostOpen = Math.max(this.#mostOpen, this.#open);
    response.once("close", () => {
      this.#open -= 1;
    });
    this.#answer(name, response);
  }

  #answer(name: string, response: ServerResponse): void {
    if (this.#mode === "working") void this.#send("stream.m3u8", response);
    else if (this.#mode === "silent") this.#silent.add({ name, response });
    else response.writeHead(this.#mode, this.#mode === 401 ? { "www-authenticate": "Basic" } : {}).end();
  }

  async #send(file: string, response: ServerResponse): Promise<void> {
    response.end(await readFile(path.join(this.#directory, file)));
  }
}
