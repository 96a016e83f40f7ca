import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { pythonPath } from "./camera-programs.js";

/** The account of the test cameras: a password with every character that is awkward. */
export const cameraUser = "operator";
export const cameraPassword = "Uni@corn#7'%/:x";
export const cameraAccount = `${cameraUser}:${encodeURIComponent(cameraPassword)}`;

export type RtspStream =
  | "h264"
  | "h265"
  | "rare-keyframes"
  | "jpeg"
  | "with-audio"
  | "audio-first"
  | "wide-pixels"
  | "ten-bits"
  | "audio-only"
  | "without-keyframe"
  | "not-there";

/** How a server asks who is there; `single` asks nobody, and allows one session. */
export type RtspAuthentication = "open" | "basic" | "digest" | "single";

/**
 * An RTSP server on loopback in a process of its own, with pictures of 320 × 180 pixels
 * (`ten-bits`: 322 × 182, `jpeg`: 320 × 184), ten a second.
 */
export class RtspServer {
  readonly #child: ChildProcess;
  readonly #ports: Record<RtspAuthentication, number>;
  readonly #played: string[];

  private constructor(child: ChildProcess, ports: Record<RtspAuthentication, number>, played: string[]) {
    this.#child = child;
    this.#ports = ports;
    this.#played = played;
  }

  static async start(): Promise<RtspServer> {
    const program = fileURLToPath(new URL("rtsp-server.py", import.meta.url));
    const child = spawn(pythonPath, [program, cameraUser, cameraPassword], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const played: string[] = [];
    const lines = createInterface({ input: child.stdout });
    const ended = once(child, "close").then(() => Promise.reject(new Error("There is no RTSP server")));
    const [first] = await Promise.race([once(lines, "line"), ended]);
    ended.catch(() => {});
    lines.on("line", (path: string) => void played.push(path.slice(1)));
    return new RtspServer(child, JSON.parse(first), played);
  }

  port(authentication: RtspAuthentication): number {
    return this.#ports[authentication];
  }

  /** The URL of a stream, with user and password if the server asks for them. */
  url(
    stream: RtspStream,
    authentication: RtspAuthentication = "open",
    account: string | undefined = ["open", "single"].includes(authentication) ? undefined : cameraAccount,
  ): string {
    const before = account === undefined ? "" : `${account}@`;
    return `rtsp://${before}127.0.0.1:${this.port(authentication)}/${stream}`;
  }

  /** How often a stream was opened so far. */
  openings(stream: RtspStream): number {
    return this.#played.filter((path) => path === stream).length;
  }

  /** Stops answering and sending, with all connections open. */
  pause(): void {
    this.#child.kill("SIGSTOP");
  }

  resume(): void {
    this.#child.kill("SIGCONT");
  }

  async stop(): Promise<void> {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) return;
    const closed = once(this.#child, "close");
    this.#child.kill("SIGKILL");
    await closed;
  }
}
