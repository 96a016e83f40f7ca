import { EventEmitter, once } from "node:events";
import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Registry } from "prom-client";
import type { LiveFrame } from "../../../engine/operation/gateway-services.js";
import { ServiceError } from "../../../platform/errors/errors.js";
import { type Backoff, retryDelay } from "../../../platform/network/retry-delay.js";
import { refusal, type SharedLimit, type ShareHolder } from "../../../platform/queues/fair-queue.js";
import { addGauge } from "../../../platform/telemetry/gauge.js";
import { FeedError, type FeedErrorCode } from "../feed-error.js";

/** Reads the JPEG frames of a stream, until the signal aborts. */
type ReadFrames = (stream: LiveStream, signal: AbortSignal) => AsyncIterable<Buffer>;

export interface LiveStream {
  workspaceId: string;
  cameraId: string;
  url: string;
  /** Whether a process of its own opens it: one that opened it before has died. */
  isAlone: boolean;
}

export interface LiveLimits {
  /** The maximum number of streams that are read at a time, by who began to view them. */
  readers: SharedLimit;
  /** The maximum number of views at a time. */
  viewers: SharedLimit;
  /** Milliseconds that a stream is read on without viewers. One may come back. */
  lingerMs: number;
  /** How often a stream that has shown something is opened again once it ends, and when. */
  restarts: Restarts;
}

interface Restarts extends Backoff {
  /** The maximum number without a time in between for which the stream went on. */
  max: number;
  /** This time, in milliseconds. */
  steadyMs: number;
  /** Milliseconds without a frame after which it is not opened again. */
  outageMs: number;
}

/** Decoders for each core: live views of more cameras would all stand still. */
const readersPerCore = 8;
const maxReaders = Math.min(16, readersPerCore * availableParallelism());

const defaultLimits: LiveLimits = {
  readers: { total: maxReaders, perWorkspace: maxReaders * 0.75, perCaller: maxReaders * 0.5 },
  viewers: { total: 256, perWorkspace: 192, perCaller: 32 },
  lingerMs: 10_000,
  restarts: { max: 5, steadyMs: 30_000, outageMs: 15_000, firstMs: 250, maxMs: 5_000 },
};

/** The seconds after which it is worth trying again. */
const retryAfter = 10;
/** A view begins with the last frame, unless that is older than this. */
const maxFirstAgeMs = 2_000;

/** Failures after which a stream is not opened again: they stay, or count at the camera. */
const isFinal: ReadonlySet<FeedErrorCode> = new Set(["UNAUTHORIZED", "ADDRESS_NOT_ALLOWED", "UNSUPPORTED"]);

class LiveReader {
  readonly viewers = new Set<ShareHolder>();
  readonly ended: Promise<void>;
  readonly #controller = new AbortController();
  readonly #lingerMs: number;
  /** Emits `change` with each frame, and at the end. */
  readonly #changes = new EventEmitter().setMaxListeners(0);
  #linger: NodeJS.Timeout | undefined;
  #frame: { jpeg: Buffer; readAt: number } | undefined;
  #failure: unknown;

  constructor(
    readonly holder: ShareHolder,
    open: (signal: AbortSignal) => AsyncIterable<Buffer>,
    {
      lingerMs,
      restarts,
      onEnd,
    }: Pick<LiveLimits, "lingerMs" | "restarts"> & { onEnd: (reader: LiveReader) => void },
  ) {
    this.#lingerMs = lingerMs;
    this.ended = this.#read(open, restarts, onEnd);
  }

  /** Reads the stream, also after it has ended: cameras restart, and their pictures change in size. */
  async #read(
    open: (signal: AbortSignal) => AsyncIterable<Buffer>,
    restarts: Restarts,
    onEnd: (reader: LiveReader) => void,
  ): Promise<void> {
    const { signal } = this.#controller;
    let failures = 0;
    while (this.#failure === undefined) {
      const openedAt = performance.now();
      const error = await this.#readOnce(open(signal));
      failures = performance.now() - openedAt >= restarts.steadyMs ? 1 : failures + 1;
      const lastReadAt = this.#frame?.readAt ?? Number.NEGATIVE_INFINITY;
      const isWanted = this.viewers.size > 0 && !signal.aborted;
      const isOver =
        failures > restarts.max ||
        performance.now() - lastReadAt >= restarts.outageMs ||
        (error instanceof FeedError && isFinal.has(error.code));
      if (!isWanted || isOver) this.#failure = signal.aborted ? ended() : error;
      else await sleep(retryDelay(failures, restarts), undefined, { signal }).catch(() => {});
    }
    clearTimeout(this.#linger);
    onEnd(this);
    this.#changes.emit("change");
  }

  async #readOnce(frames: AsyncIterable<Buffer>): Promise<unknown> {
    try {
      for await (const jpeg of frames) {
        this.#frame = { jpeg, readAt: performance.now() };
        this.#changes.emit("change");
      }
      return ended();
    } catch (error) {
      return error;
    }
  }

  /** The last frame, and when it was read by `performance.now()`. */
  get frame(): { jpeg: Buffer; readAt: number } | undefined {
    return this.#frame;
  }

  /** Ends the stream, and with it all views. */
  end(): Promise<void> {
    this.#controller.abort();
    return this.ended;
  }

  /** The frames for one viewer, always the newest: a busy viewer misses some. Fails when the stream ends. */
  async *framesFor({ workspaceId, id }: ShareHolder, signal: AbortSignal): AsyncGenerator<Buffer, never> {
    clearTimeout(this.#linger);
    // An object of its own, since a caller may view a camera several times.
    const viewer = { workspaceId, id };
    this.viewers.add(viewer);
    const last = this.#frame;
    let seen = last && performance.now() - last.readAt > maxFirstAgeMs ? last : undefined;
    try {
      for (;;) {
        signal.throwIfAborted();
        if (this.#failure) throw this.#failure;
        if (this.#frame && this.#frame !== seen) {
          seen = this.#frame;
          yield seen.jpeg;
        } else await once(this.#changes, "change", { signal });
      }
    } finally {
      this.viewers.delete(viewer);
      if (this.viewers.size === 0 && !this.#failure)
        this.#linger = setTimeout(() => void this.end(), this.#lingerMs).unref();
    }
  }
}

/** Reads streams for live views: each once, however many view it, and only while somebody does. */
export class LiveReaders {
  readonly #readFrames: ReadFrames;
  readonly #limits: LiveLimits;
  readonly #readers = new Map<string, LiveReader>();
  #isClosed = false;

  constructor(readFrames: ReadFrames, registry: Registry, limits: Partial<LiveLimits> = {}) {
    this.#readFrames = readFrames;
    this.#limits = { ...defaultLimits, ...limits };
    const counts = { readers: () => this.#readers.size, viewers: () => this.#viewers.length };
    for (const [what, help] of [
      ["readers", "Streams of cameras that are read for live views"],
      ["viewers", "Live views that are open"],
    ] as const) {
      addGauge(registry, `gateway_live_${what}`, help, counts[what]);
    }
  }

  /**
   * The frames of a stream for a viewer, until the signal aborts. Fails when the stream ends. Fails with
   * RATE_LIMITED if the viewer or the workspace views too much, with UNAVAILABLE if all of them together do.
   */
  async *watch(stream: LiveStream, viewer: ShareHolder, signal: AbortSignal): AsyncGenerator<Buffer, never> {
    if (this.#isClosed) throw ended();
    const full = fullScope(this.#limits.viewers, this.#viewers, viewer);
    if (full) throw refusal("live views", full.level, retryAfter, "live_viewers");
    return yield* this.#readerOf(stream, viewer).framesFor(viewer, signal);
  }

  /** The newest frame of a camera that is viewed here; undefined if there is none. */
  newestFrame({
    workspaceId,
    cameraId,
  }: Pick<LiveStream, "workspaceId" | "cameraId">): Omit<LiveFrame, "hasRing"> | undefined {
    const ofCamera = `${workspaceId} ${cameraId} `;
    const frames = [...this.#readers].flatMap(([key, reader]) =>
      key.startsWith(ofCamera) && reader.frame ? [reader.frame] : [],
    );
    const newest = frames.sort((one, other) => other.readAt - one.readAt)[0];
    return newest && { jpeg: newest.jpeg, ageMs: performance.now() - newest.readAt };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#readers.values()].map((reader) => reader.end()));
  }

  get #viewers(): ShareHolder[] {
    return [...this.#readers.values()].flatMap(({ viewers }) => [...viewers]);
  }

  /** The reader of a stream, which begins to read unless it does already. */
  #readerOf(stream: LiveStream, viewer: ShareHolder): LiveReader {
    const { workspaceId, cameraId, url } = stream;
    const key = [workspaceId, cameraId, url].join(" ");
    const known = this.#readers.get(key);
    if (known) return known;
    const ending = this.#makeRoom(viewer);
    const readFrames = this.#readFrames;
    async function* frames(signal: AbortSignal) {
      await Promise.all(ending);
      if (!signal.aborted) yield* readFrames(stream, signal);
    }
    const { lingerMs, restarts } = this.#limits;
    const reader = new LiveReader(viewer, frames, {
      lingerMs,
      restarts,
      onEnd: () => this.#forget(reader),
    });
    this.#readers.set(key, reader);
    return reader;
  }

  /** Ends readers without viewers whose slots are needed. Returns when each has ended. */
  #makeRoom(viewer: ShareHolder): Promise<void>[] {
    const ending: Promise<void>[] = [];
    for (;;) {
      const readers = [...this.#readers.values()];
      const full = fullScope(
        this.#limits.readers,
        readers.map(({ holder }) => holder),
        viewer,
      );
      if (!full) return ending;
      const idle = readers.find(({ viewers, holder }) => viewers.size === 0 && full.includes(holder));
      if (!idle) throw refusal("cameras in live view", full.level, retryAfter, "live_readers");
      ending.push(idle.end());
      this.#forget(idle);
    }
  }

  #forget(reader: LiveReader): void {
    for (const [key, each] of this.#readers) if (each === reader) this.#readers.delete(key);
  }
}

interface Scope {
  level: keyof SharedLimit;
  includes: (holder: ShareHolder) => boolean;
}

/** The narrowest scope of a caller that is full; undefined if there is room in all. */
function fullScope(
  limit: SharedLimit,
  holders: readonly ShareHolder[],
  { workspaceId, id }: ShareHolder,
): Scope | undefined {
  const scopes: Scope[] = [
    { level: "perCaller", includes: (holder) => holder.workspaceId === workspaceId && holder.id === id },
    { level: "perWorkspace", includes: (holder) => holder.workspaceId === workspaceId },
    { level: "total", includes: () => true },
  ];
  return scopes.find(({ level, includes }) => holders.filter(includes).length >= limit[level]);
}

const ended = () => new ServiceError("UNAVAILABLE", "The live view has ended", { retryAfter });
