import { once } from "node:events";
import type { LiveStream } from "../../src/features/camera-feed/live/live-readers.js";
import { eventually } from "../support/eventually.js";

export const workspaceId = "workspace";
export const streamOf = (cameraId: string): LiveStream => ({
  workspaceId,
  cameraId,
  url: `rtsp://host/${cameraId}`,
  isAlone: false,
});
export const viewerOf = (id: string, of = workspaceId) => ({ workspaceId: of, id });

/** A stream that sends what the test sends, and knows who reads it. */
export class StreamSource {
  /** The streams that are being read. */
  readonly open: string[] = [];
  /** All that ever were. */
  readonly opened: string[] = [];
  readonly #waiting = new Map<string, (frame: Buffer | Error) => void>();

  readonly readFrames = async function* (this: StreamSource, { url }: LiveStream, signal: AbortSignal) {
    this.open.push(url);
    this.opened.push(url);
    const aborted = once(signal, "abort");
    try {
      for (;;) {
        const next = new Promise<Buffer | Error>((resolve) => this.#waiting.set(url, resolve));
        const frame = await Promise.race([next, aborted]);
        if (signal.aborted) return;
        if (frame instanceof Error) throw frame;
        yield frame as Buffer;
      }
    } finally {
      this.open.splice(this.open.indexOf(url), 1);
    }
  }.bind(this);

  async send(cameraId: string, frame: string | Buffer | Error): Promise<void> {
    const { url } = streamOf(cameraId);
    const send = await eventually(
      async () => this.#waiting.get(url),
      (found) => found !== undefined,
    );
    this.#waiting.delete(url);
    send?.(typeof frame === "string" ? Buffer.from(frame) : frame);
  }
}
