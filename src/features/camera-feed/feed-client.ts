import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { LRUCache } from "lru-cache";
import pLimit from "p-limit";
import { forkCommand } from "../../platform/fork-command.js";
import type { Logger } from "../../platform/telemetry/log.js";
import { LatestFrame } from "./capture/latest-frame.js";
import type { CapturedPicture } from "./capture/stream-capture.js";
import { ownProcessMs } from "./due-feeds.js";
import { FeedError } from "./feed-error.js";
import type { FeedSetup, FeedTask, MessageFromFeed, MessageToFeed } from "./feed-messages.js";
import { FeedProcessError } from "./feed-process-error.js";
import type { LiveStream } from "./live/live-readers.js";

/** The time that the process has to end its children and itself. */
const endingMs = 2_000;

interface FeedClientOptions extends FeedSetup {
  /** The number of streams that are opened for metadata and pictures at once, at most. */
  concurrency: number;
  variables: NodeJS.ProcessEnv;
  log: Logger;
}

interface Job {
  process: ChildProcess;
  url: string;
  succeed(result: unknown): void;
  fail(error: Error): void;
  onFrame(frame: Buffer): void;
}

interface Order {
  task: FeedTask;
  url: string;
  isAlone: boolean;
}

/**
 * Opens streams in a process of its own, which starts with the first job, and again with the next one if it has died.
 * Streams that may be why it died have a process each. Rejects with a {@link FeedError} if the stream cannot be read,
 * with a {@link FeedProcessError} if the process died meanwhile, and with other errors if that says nothing of the
 * stream.
 */
export class FeedClient {
  readonly #options: FeedClientOptions;
  readonly #slot: <Result>(run: () => Promise<Result>) => Promise<Result>;
  readonly #jobs = new Map<number, Job>();
  readonly #shown = new Set<{ url: string }>();
  /** Streams during whose jobs a process has died. */
  readonly #suspects = new LRUCache<string, true>({ max: 1_000, ttl: ownProcessMs });
  /** The process for all jobs but those that have their own. */
  #process: ChildProcess | undefined;
  readonly #processes = new Set<ChildProcess>();
  #lastId = 0;
  #isClosed = false;

  constructor(options: FeedClientOptions) {
    this.#options = options;
    this.#slot = pLimit(options.concurrency);
  }

  async probe(url: string, signal: AbortSignal, isAlone: boolean): Promise<Record<string, unknown>> {
    const probe = () => this.#run({ task: "probe", url, isAlone }, signal);
    return (await this.#slot(probe)) as Record<string, unknown>;
  }

  async takePicture(url: string, signal: AbortSignal, isAlone: boolean): Promise<CapturedPicture> {
    return (await this.#slot(() => this.#run({ task: "picture", url, isAlone }, signal))) as CapturedPicture;
  }

  /** Whether a live view of a stream is open, and has shown something. */
  isShown(url: string): boolean {
    return [...this.#shown].some((stream) => stream.url === url);
  }

  /**
   * The frames of a stream until the signal aborts, as JPEG. Those that come while the reader is busy with
   * another are left out.
   */
  async *readFrames(
    { url, isAlone }: Pick<LiveStream, "url" | "isAlone">,
    signal: AbortSignal,
  ): AsyncGenerator<Buffer, never> {
    const leaving = new AbortController();
    const stream = { url };
    const latest = new LatestFrame();
    let received = () => {};
    const onFrame = (frame: Buffer, onReceived: () => void) => {
      this.#shown.add(stream);
      received = onReceived;
      latest.put(frame);
    };
    const order: Order = { task: "frames", url, isAlone: isAlone || this.#suspects.has(url) };
    const reading = this.#run(order, AbortSignal.any([signal, leaving.signal]), onFrame).catch((error) =>
      latest.fail(error),
    );
    try {
      for (;;) {
        const frame = await latest.take();
        received();
        yield frame;
      }
    } finally {
      leaving.abort();
      await reading;
      this.#shown.delete(stream);
    }
  }

  /** Ends the processes. Their jobs fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#processes].map((each) => this.#end(each)));
  }

  async #end(ending: ChildProcess): Promise<void> {
    const exit = once(ending, "exit");
    const timer = setTimeout(() => ending.kill("SIGKILL"), endingMs);
    if (ending.connected) ending.disconnect();
    await exit;
    clearTimeout(timer);
  }

  /** Runs a job. If it is aborted, waits until the stream is closed. */
  #run(
    { task, url, isAlone }: Order,
    signal: AbortSignal,
    onFrame: (frame: Buffer, received: () => void) => void = () => {},
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      if (this.#isClosed) throw new Error("The feed is closed");
      const to = (isAlone ? undefined : this.#process) ?? this.#start();
      if (!isAlone) this.#process = to;
      this.#lastId += 1;
      const id = this.#lastId;
      const tell = (message: MessageToFeed) => send(to, message);
      const abort = () => tell({ kind: "abort", id });
      const end = () => {
        this.#jobs.delete(id);
        signal.removeEventListener("abort", abort);
        if (isAlone && this.#processes.has(to)) void this.#end(to);
      };
      this.#jobs.set(id, {
        process: to,
        url,
        succeed: (result) => {
          end();
          resolve(result);
        },
        fail: (error) => {
          end();
          reject(signal.aborted ? signal.reason : error);
        },
        onFrame: (frame) => onFrame(frame, () => tell({ kind: "received", id })),
      });
      signal.addEventListener("abort", abort);
      tell({ kind: "job", id, task, url });
    });
  }

  #start(): ChildProcess {
    const { log, variables: env, concurrency: _concurrency, ...setup } = this.#options;
    const started = forkCommand("open-streams", {
      // Names are looked up in threads: silent name servers must not hold up other names.
      env: { ...env, UV_THREADPOOL_SIZE: "32" },
      serialization: "advanced",
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.#processes.add(started);
    let isReady = false;
    const onEnd = (reason: string) => {
      this.#processes.delete(started);
      if (this.#process === started) this.#process = undefined;
      const left = [...this.#jobs.values()].filter((job) => job.process === started);
      if (left.length > 0 && !this.#isClosed)
        log.warn({ reason, jobs: left.length }, "the process that opens streams has ended");
      for (const job of left) {
        if (isReady) this.#suspects.set(job.url, true);
        job.fail(isReady ? new FeedProcessError() : new Error("The process that opens streams cannot start"));
      }
    };
    started.on("message", (message: MessageFromFeed) => {
      if (message.kind === "ready") isReady = true;
      else this.#receive(message);
    });
    started.once("exit", (code, signal) => onEnd(String(signal ?? code)));
    started.once("error", (error) => onEnd(String(error)));
    send(started, { kind: "setup", setup });
    return started;
  }

  #receive(message: Exclude<MessageFromFeed, { kind: "ready" }>): void {
    if (message.kind === "crashed") {
      this.#options.log.error({ origin: message.origin }, "the process that opens streams has failed");
      return;
    }
    const job = this.#jobs.get(message.id);
    if (!job) return;
    if (message.kind === "frame") job.onFrame(message.frame);
    else if (message.kind === "result") job.succeed(message.result);
    else if (message.kind === "refused") job.fail(new FeedError(message.code));
    else job.fail(new Error(`A stream could not be opened: ${message.origin}`));
  }
}

/** A process that has ended tells of that by an event. */
function send(to: ChildProcess, message: MessageToFeed): void {
  if (to.connected) to.send(message, () => {});
}
