import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { eventually } from "../eventually.js";
import { unusedPort } from "../unused-port.js";
import { ffmpegPath } from "./camera-programs.js";

/**
 * A camera that waits for RTMP clients on loopback, one at a time, and serves each a
 * stream of 320 × 180 pixels, ten pictures a second.
 */
export class RtmpCamera {
  readonly url: string;
  readonly #port: number;
  #child: ChildProcess | undefined;
  #isStopped = false;

  private constructor(port: number) {
    this.#port = port;
    this.url = `rtmp://127.0.0.1:${port}/live/stream`;
  }

  static async start(): Promise<RtmpCamera> {
    const camera = new RtmpCamera(await unusedPort());
    camera.#listen();
    await camera.ready();
    return camera;
  }

  /** Waits until the camera can be opened: after a client left, it starts anew. */
  async ready(): Promise<void> {
    const listening = `:${this.#port.toString(16).toUpperCase().padStart(4, "0")} 00000000:0000 0A `;
    await eventually(
      () => readFile("/proc/net/tcp", "utf8"),
      (connections) => connections.includes(listening),
    );
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    const child = this.#child;
    if (!child) return;
    const closed = once(child, "close");
    child.kill("SIGKILL");
    await closed;
  }

  #listen(): void {
    const source = ["-re", "-f", "lavfi", "-i", "testsrc=size=320x180:rate=10"];
    const codec = "-c:v libx264 -preset ultrafast -tune zerolatency -g 10 -pix_fmt yuv420p -threads 1".split(
      " ",
    );
    const target = ["-f", "flv", "-listen", "1", this.url];
    const child = spawn(ffmpegPath, ["-v", "quiet", "-nostdin", ...source, ...codec, ...target], {
      stdio: "ignore",
    });
    this.#child = child;
    child.once("close", () => {
      this.#child = undefined;
      if (!this.#isStopped) this.#listen();
    });
  }
}
