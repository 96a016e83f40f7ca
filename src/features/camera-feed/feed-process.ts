import { EventEmitter, once } from "node:events";
import { setPriority } from "node:os";
import { codeOf, errorOf } from "../../platform/thrown.js";
import { StreamCapture } from "./capture/stream-capture.js";
import { FeedError } from "./feed-error.js";
import type { FeedTask, MessageFromFeed, MessageToFeed } from "./feed-messages.js";
import { StreamRelays } from "./relays/stream-relay.js";
import type { RingStatus } from "./ring/camera-ring.js";
import { StreamRing } from "./ring/stream-ring.js";

/** The time that jobs have to end their children before the process ends. */
const endingMs = 1_000;

interface Job {
  controller: AbortController;
  /** Emits `received` when the gateway has the last frame. */
  receipts: EventEmitter;
  ended: Promise<void>;
}

class FeedJobs {
  readonly #jobs = new Map<number, Job>();
  readonly #rings = new Map<number, StreamRing>();
  #capture: StreamCapture | undefined;
  #isEnding = false;

  receive(message: MessageToFeed): void {
    if (message.kind === "setup") {
      const { ffmpegPath, niceness, ...connections } = message.setup;
      setPriority(niceness);
      const relays = new StreamRelays(connections);
      this.#capture = new StreamCapture({ ffmpegPath, relays });
      send({ kind: "ready" });
    } else if (message.kind === "job") {
      this.#start(message.id, message.task);
    } else if (message.kind === "abort") {
      this.#jobs.get(message.id)?.controller.abort();
    } else {
      this.#jobs.get(message.id)?.receipts.emit("received");
    }
  }

  async end(code: number): Promise<void> {
    if (this.#isEnding) return;
    this.#isEnding = true;
    setTimeout(() => process.exit(code), endingMs);
    const jobs = [...this.#jobs.values()];
    for (const { controller } of jobs) controller.abort();
    await Promise.all(jobs.map(({ ended }) => ended));
    process.exit(code);
  }

  #start(id: number, task: FeedTask): void {
    const controller = new AbortController();
    const { signal } = controller;
    const receipts = new EventEmitter();
    const sendFrame = async (frame: Buffer) => {
      const received = once(receipts, "received", { signal });
      send({ kind: "frame", id, frame });
      await received;
    };
    const ended = this.#run(id, task, sendFrame, signal).then(
      (result) => {
        this.#jobs.delete(id);
        send({ kind: "result", id, result });
      },
      (error) => {
        this.#jobs.delete(id);
        if (error instanceof FeedError && !signal.aborted) send({ kind: "refused", id, code: error.code });
        else send({ kind: "failed", id, origin: originOf(error) });
      },
    );
    this.#jobs.set(id, { controller, receipts, ended });
  }

  async #run(
    id: number,
    task: FeedTask,
    sendFrame: (frame: Buffer) => Promise<void>,
    signal: AbortSignal,
  ): Promise<unknown> {
    const capture = this.#capture;
    if (!capture) throw new Error("The process was not set up");
    if (task.task === "ring") {
      const { url, limits } = task;
      const onChange = (status: RingStatus) => send({ kind: "ring", id, status });
      const ring = new StreamRing({ capture, url, limits, onChange });
      this.#rings.set(id, ring);
      return ring.run(signal).finally(() => this.#rings.delete(id));
    }
    if ("url" in task) {
      const { url } = task;
      if (task.task === "probe") return capture.probe(url, signal);
      if (task.task === "picture") return capture.takePicture(url, signal);
      return sendAll(capture.readFrames(url, signal), sendFrame);
    }
    const ring = this.#rings.get(task.ring);
    if (!ring) throw new FeedError("UNKNOWN");
    if (task.task === "clip") return ring.recordClip(task.range, task.file, signal);
    if (task.task === "probe") return ring.probe(signal);
    if (task.task === "picture") return ring.takePicture(task.at, signal);
    return sendAll(ring.readFrames(signal), sendFrame);
  }
}

/** Sends frames as they come. While one is on its way, only the newest of the following ones is kept. */
async function sendAll(
  frames: AsyncIterable<Buffer>,
  sendFrame: (frame: Buffer) => Promise<void>,
): Promise<never> {
  for await (const frame of frames) await sendFrame(frame);
  throw new FeedError("UNKNOWN");
}

/**
 * Opens streams for the gateway that started this process, which alone knows the database. The process ends with the
 * gateway, however that ends, and its children before.
 */
export function serveFeed(): void {
  const jobs = new FeedJobs();
  process.on("message", (message: MessageToFeed) => jobs.receive(message));
  process.once("disconnect", () => void jobs.end(0));
  // A terminal and systemd send these to all processes. The gateway finishes its requests first, and ends this process
  // then.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
  process.on("uncaughtException", (error) => {
    send({ kind: "crashed", origin: originOf(error) });
    void jobs.end(1);
  });
}

/** The channel may close at any moment. Its event ends the process. */
function send(message: MessageFromFeed): void {
  if (process.connected) process.send?.(message, () => {});
}

/** The kind of an error and the lines of code that led to it. */
function originOf(error: unknown): string {
  const { name, stack = "" } = errorOf(error);
  const lines = stack.split("\n").filter((line) => /^\s+at /.test(line));
  return [`${name} ${codeOf(error)}`.trimEnd(), ...lines].join("\n");
}
