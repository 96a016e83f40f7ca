import type { ChildProcess } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import path from "node:path";
import { crc32 } from "node:zlib";
import { LRUCache } from "lru-cache";
import pLimit, { type LimitFunction } from "p-limit";
import { forkCommand } from "../../platform/fork-command.js";
import type { Logger } from "../../platform/telemetry/log.js";
import { LatestFrame } from "./capture/latest-frame.js";
import { type CapturedPicture, copyNiceness } from "./capture/stream-capture.js";
import { ownProcessMs } from "./due-feeds.js";
import { FeedError } from "./feed-error.js";
import type { FeedSetup, FeedTask, MessageFromFeed, MessageToFeed } from "./feed-messages.js";
import { FeedProcessError } from "./feed-process-error.js";
import type { LiveStream } from "./live/live-readers.js";
import type { CameraRing, RingLimits, RingStatus } from "./ring/camera-ring.js";

/** The time that the process has to end its children and itself. */
const endingMs = 2_000;
/** After each death of its process, a ring shares the next one with half as many others, this often at most. */
const maxHalvings = 4;

interface FeedClientOptions extends Omit<FeedSetup, "niceness"> {
  /** The number of streams that are opened for metadata and pictures at once, at most. */
  concurrency: number;
  variables: NodeJS.ProcessEnv;
  log: Logger;
}

interface Job {
  process: ChildProcess;
  task: FeedTask;
  succeed(result: unknown): void;
  fail(error: Error): void;
  onFrame(frame: Buffer): void;
  onRing(status: RingStatus): void;
}

/** Where a job runs: in the shared process of a name, in that of another job, or else in one of its own. */
type JobPlace = string | ChildProcess | undefined;

const placeOf = (isAlone: boolean): JobPlace => (isAlone ? undefined : "streams");

/** A job that keeps a ring. */
interface RingJob {
  id: number;
  process: ChildProcess;
  status: RingStatus;
}

interface Reports {
  onFrame?: (frame: Buffer, received: () => void) => void;
  onRing?: (ring: RingJob) => void;
}

/**
 * Opens streams in a process of its own, which starts with the first job, and again with the next one if it has died.
 * Streams that may be why it died have a process each. Rings have another process. Rejects with a {@link FeedError} if
 * the stream cannot be read, with a {@link FeedProcessError} if the process died meanwhile, and with other errors if
 * that says nothing of the stream.
 */
export class FeedClient {
  readonly #options: FeedClientOptions;
  readonly #slot: LimitFunction;
  /** What rings hold need not wait for cameras. */
  readonly #ringSlot: LimitFunction;
  /** A program takes most of its time to begin with a stream: all at once would be late. */
  readonly #opening: LimitFunction;
  readonly #jobs = new Map<number, Job>();
  readonly #shown = new Set<{ url: string }>();
  /** How often a process has died during jobs of a stream. */
  readonly #suspects = new LRUCache<string, number>({ max: 1_000, ttl: ownProcessMs });
  readonly #shared = new Map<string, ChildProcess>();
  readonly #processes = new Set<ChildProcess>();
  /** The directories of rings, which are emptied before the first ring. */
  readonly #directories = new Map<string, Promise<unknown>>();
  #lastId = 0;
  #isClosed = false;

  constructor(options: FeedClientOptions) {
    this.#options = options;
    this.#slot = pLimit(options.concurrency);
    this.#ringSlot = pLimit(options.concurrency);
    this.#opening = pLimit(options.concurrency);
  }

  probe(url: string, signal: AbortSignal, isAlone: boolean): Promise<Record<string, unknown>> {
    return this.#slot(() => this.#run({ task: "probe", url }, placeOf(isAlone), signal));
  }

  takePicture(url: string, signal: AbortSignal, isAlone: boolean): Promise<CapturedPicture> {
    return this.#slot(() => this.#run({ task: "picture", url }, placeOf(isAlone), signal));
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
    const stream = { url };
    const place = placeOf(isAlone || this.#suspects.has(url));
    try {
      return yield* this.#frames({ task: "frames", url }, place, signal, () => this.#shown.add(stream));
    } finally {
      this.#shown.delete(stream);
    }
  }

  /** Keeps the last seconds of a stream until the signal is aborted. Resolves once it has begun. */
  openRing(
    stream: { url: string; isAlone?: boolean },
    limits: RingLimits,
    signal: AbortSignal,
  ): Promise<CameraRing> {
    return this.#opening(() => this.#openRing(stream, limits, signal));
  }

  async #openRing(
    { url, isAlone = false }: { url: string; isAlone?: boolean },
    limits: RingLimits,
    signal: AbortSignal,
  ): Promise<CameraRing> {
    const directory = await this.#makeDirectory(limits.directory);
    const halvings = this.#suspects.get(url) ?? 0;
    const place = isAlone ? undefined : `rings ${halvings} ${crc32(url) % 2 ** halvings}`;
    const closing = new AbortController();
    const changes = new EventEmitter();
    let ring: RingJob | undefined;
    const onRing = (told: RingJob) => {
      ring = told;
      changes.emit("change");
    };
    const task: FeedTask = { task: "ring", url, limits: { ...limits, directory } };
    const ending = AbortSignal.any([signal, closing.signal]);
    const failed: Promise<Error> = this.#run(task, place, ending, { onRing })
      .then(() => new FeedError("UNKNOWN"))
      .catch((error) => error)
      .finally(() => rm(directory, { recursive: true, force: true }));
    await Promise.race([once(changes, "change"), failed]);
    const opened = ring as RingJob | undefined;
    if (!opened) throw await failed;
    const { id, process } = opened;
    const ask = <Result>(asked: FeedTask, its: AbortSignal) =>
      this.#ringSlot(() => this.#run<Result>(asked, process, its));
    return {
      get codec() {
        return opened.status.codec;
      },
      get span() {
        return ring?.status.span;
      },
      takePicture: (at, its) => ask({ task: "picture", ring: id, at }, its),
      probe: (its) => ask({ task: "probe", ring: id }, its),
      readFrames: (its) => this.#frames({ task: "frames", ring: id }, process, its),
      recordClip: (range, file, its) => this.#run({ task: "clip", ring: id, range, file }, process, its),
      ended: failed.then((error) => {
        ring = undefined;
        return error instanceof FeedError ? error : new FeedError("UNKNOWN");
      }),
      async close() {
        closing.abort();
        await failed;
      },
    };
  }

  /** Makes a directory for a ring, and removes first what an earlier gateway has left. */
  async #makeDirectory(parent: string): Promise<string> {
    const making =
      this.#directories.get(parent) ??
      rm(parent, { recursive: true, force: true }).then(() =>
        mkdir(parent, { recursive: true, mode: 0o700 }),
      );
    this.#directories.set(parent, making);
    await making.catch((error) => {
      this.#directories.delete(parent);
      throw error;
    });
    return mkdtemp(path.join(parent, "ring-"));
  }

  async *#frames(
    task: FeedTask,
    place: JobPlace,
    signal: AbortSignal,
    onFirst: () => void = () => {},
  ): AsyncGenerator<Buffer, never> {
    const leaving = new AbortController();
    const latest = new LatestFrame();
    let received = () => {};
    const onFrame = (frame: Buffer, onReceived: () => void) => {
      onFirst();
      received = onReceived;
      latest.put(frame);
    };
    const reading = this.#run(task, place, AbortSignal.any([signal, leaving.signal]), { onFrame }).catch(
      (error) => latest.fail(error),
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
  #run<Result>(
    task: FeedTask,
    place: JobPlace,
    signal: AbortSignal,
    { onFrame, onRing }: Reports = {},
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      if (this.#isClosed) throw new Error("The feed is closed");
      const known = typeof place === "string" ? this.#shared.get(place) : place;
      const isRunning = known !== undefined && this.#processes.has(known);
      if (typeof place === "object" && !isRunning) throw new FeedProcessError();
      const to = isRunning ? known : this.#start(task.task === "ring" ? copyNiceness : 0);
      if (typeof place === "string") this.#shared.set(place, to);
      this.#lastId += 1;
      const id = this.#lastId;
      const tell = (message: MessageToFeed) => send(to, message);
      const abort = () => tell({ kind: "abort", id });
      const end = () => {
        this.#jobs.delete(id);
        signal.removeEventListener("abort", abort);
        if (place === undefined && this.#processes.has(to)) void this.#end(to);
      };
      this.#jobs.set(id, {
        process: to,
        task,
        succeed: (result) => {
          end();
          resolve(result as Result);
        },
        fail: (error) => {
          end();
          reject(signal.aborted ? signal.reason : error);
        },
        onFrame: (frame) => onFrame?.(frame, () => tell({ kind: "received", id })),
        onRing: (status) => onRing?.({ id, process: to, status }),
      });
      signal.addEventListener("abort", abort);
      tell({ kind: "job", id, task });
    });
  }

  #start(niceness: number): ChildProcess {
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
      const left = [...this.#jobs.values()].filter((job) => job.process === started);
      if (left.length > 0 && !this.#isClosed)
        log.warn({ reason, jobs: left.length }, "the process that opens streams has ended");
      for (const job of left) {
        if (isReady) this.#suspect(job);
        job.fail(isReady ? new FeedProcessError() : new Error("The process that opens streams cannot start"));
      }
    };
    started.on("message", (message: MessageFromFeed) => {
      if (message.kind === "ready") isReady = true;
      else this.#receive(message);
    });
    started.once("exit", (code, signal) => onEnd(String(signal ?? code)));
    started.once("error", (error) => onEnd(String(error)));
    send(started, { kind: "setup", setup: { ...setup, niceness } });
    return started;
  }

  #suspect({ task }: Job): void {
    if (!("url" in task)) return;
    const deaths = this.#suspects.get(task.url) ?? 0;
    this.#suspects.set(task.url, Math.min(maxHalvings, deaths + 1));
  }

  #receive(message: Exclude<MessageFromFeed, { kind: "ready" }>): void {
    if (message.kind === "crashed") {
      this.#options.log.error({ origin: message.origin }, "the process that opens streams has failed");
      return;
    }
    const job = this.#jobs.get(message.id);
    if (!job) return;
    if (message.kind === "frame") job.onFrame(message.frame);
    else if (message.kind === "ring") job.onRing(message.status);
    else if (message.kind === "result") job.succeed(message.result);
    else if (message.kind === "refused") job.fail(new FeedError(message.code));
    else job.fail(new Error(`A stream could not be opened: ${message.origin}`));
  }
}

/** A process that has ended tells of that by an event. */
function send(to: ChildProcess, message: MessageToFeed): void {
  if (to.connected) to.send(message, () => {});
}
