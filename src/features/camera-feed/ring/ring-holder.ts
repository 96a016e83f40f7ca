import { LRUCache } from "lru-cache";
import type { Registry } from "prom-client";
import { claimInTurn } from "../../../engine/leases/due-rows.js";
import type { StepOutcome, Worker } from "../../../engine/leases/worker.js";
import { WorkspaceTurns } from "../../../engine/leases/workspace-turns.js";
import type { GatewayServices } from "../../../engine/operation/gateway-services.js";
import { groupBy } from "../../../platform/group-by.js";
import { type Backoff, retryDelay } from "../../../platform/network/retry-delay.js";
import { addGauge } from "../../../platform/telemetry/gauge.js";
import { later } from "../../../platform/time.js";
import { FeedError, isOccupied } from "../feed-error.js";
import type { LiveStream } from "../live/live-readers.js";
import type { CameraRing, RingLimits } from "./camera-ring.js";
import {
  claimRing,
  freeCameras,
  type RingCamera,
  type RingLease,
  releaseRing,
  renewRings,
  ringLeaseMs,
} from "./ring-leases.js";

/** How often to look which rings are wanted, in milliseconds, and how often at most where events ask for it. */
const [lookMs, minLookMs] = [5_000, 500];
/** The time until a ring that has ended is opened again. */
const reopening: Backoff = { firstMs: 1_000, maxMs: 5 * 60_000 };
/** A ring that lasted as long works. */
const steadyMs = 60_000;

interface RingStreams {
  openRing(stream: RingLease, limits: RingLimits, signal: AbortSignal): Promise<CameraRing>;
  readFrames(stream: LiveStream, signal: AbortSignal): AsyncIterable<Buffer>;
}

interface RingHolderOptions {
  services: GatewayServices;
  streams: RingStreams;
  limits: RingLimits;
  /** The number of rings, at most. */
  max: number;
  registry: Registry;
}

/** A camera that this instance has for itself. */
interface HeldCamera extends RingLease {
  controller: AbortController;
  ring?: CameraRing;
  /** Resolves once the ring is open, with undefined if it could not be opened. */
  opened: Promise<CameraRing | undefined>;
  /** Resolves once the ring has ended, and others may have the camera. */
  released: Promise<void>;
}

/** A live view that reads a camera's stream itself. */
interface Reading {
  key: string;
  leave: () => void;
  left: Promise<void>;
}

const keyOf = ({ workspaceId, cameraId }: RingCamera) => `${workspaceId} ${cameraId}`;

/**
 * Keeps the rings of the cameras that are wanted, of which each is one instance's. The cameras of workspaces are claimed
 * in turns, and their leases renewed.
 */
export class RingHolder {
  readonly #options: RingHolderOptions;
  readonly #turns: WorkspaceTurns;
  readonly #held = new Map<string, HeldCamera>();
  readonly #readings = new Set<Reading>();
  /** How often rings have ended soon, and when they may be opened again by `performance.now()`. */
  readonly #ended = new LRUCache<string, { cameraId: string; times: number; until: number }>({ max: 10_000 });
  #claiming: Promise<unknown> = Promise.resolve();
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** Ends the rings of leases that could not be renewed in time. */
  #expiry: NodeJS.Timeout | undefined;

  constructor(options: RingHolderOptions) {
    this.#options = options;
    this.#turns = new WorkspaceTurns(options.services.database.listWorkspaces);
    const count = () => this.held.filter(({ ring }) => ring).length;
    addGauge(options.registry, "gateway_feed_rings", "Cameras whose last seconds this instance keeps", count);
  }

  /** The cameras that this instance has for itself. */
  get held(): HeldCamera[] {
    return [...this.#held.values()];
  }

  /** The ring of a camera, if this instance has it. */
  find(camera: RingCamera): CameraRing | undefined {
    return this.#held.get(keyOf(camera))?.ring;
  }

  /**
   * The ring of a stream, once it is open; undefined if this instance has none. Then nothing is connected to the
   * camera for one, also not for an earlier URL.
   */
  async ringOf(stream: RingCamera & { url: string }): Promise<CameraRing | undefined> {
    await this.#claiming;
    const held = this.#held.get(keyOf(stream));
    if (held?.url === stream.url) return held.opened;
    if (held) await this.#close(held);
    return undefined;
  }

  /** The frames of a stream for a live view, from its ring whenever there is one. */
  async *readFrames(stream: LiveStream, signal: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
    for (;;) {
      const ring = await this.ringOf(stream);
      const leaving = new AbortController();
      const hasChanged = () => (ring ? this.find(stream) !== ring : leaving.signal.aborted);
      try {
        return yield* ring ? ring.readFrames(signal) : this.#readAlone(stream, signal, leaving);
      } catch (error) {
        if (signal.aborted || !hasChanged()) throw error;
      }
    }
  }

  /** Reads a stream by a connection of its own, which ends when a ring begins. */
  async *#readAlone(
    stream: LiveStream,
    signal: AbortSignal,
    leaving: AbortController,
  ): AsyncGenerator<Buffer, void, undefined> {
    let end = () => {};
    const left = new Promise<void>((resolve) => {
      end = resolve;
    });
    const reading = { key: keyOf(stream), leave: () => leaving.abort(), left };
    this.#readings.add(reading);
    try {
      yield* this.#options.streams.readFrames(stream, AbortSignal.any([signal, leaving.signal]));
    } finally {
      this.#readings.delete(reading);
      end();
    }
  }

  /** Renews the leases, closes what is no longer wanted, and opens what is. */
  async step(worker: Worker): Promise<StepOutcome> {
    if (this.#options.max === 0) return "nothing";
    const next = this.#lookedAt + minLookMs - performance.now();
    if (next > 0) return { dueInMs: next };
    this.#lookedAt = performance.now();
    await this.#renew();
    const claiming = this.#claimFree(worker);
    this.#claiming = claiming.catch(() => {});
    await claiming;
    return { dueInMs: lookMs };
  }

  /** Ends all rings, so that others may have the cameras. */
  async close(): Promise<void> {
    clearTimeout(this.#expiry);
    await Promise.all(this.held.map((held) => this.#close(held)));
  }

  async #renew(): Promise<void> {
    const { database, instanceId, now: clock } = this.#options.services;
    const all = this.held;
    const startedAt = performance.now();
    for (const [workspaceId, ofWorkspace] of groupBy(all, (held) => held.workspaceId)) {
      const now = clock();
      const rings = ofWorkspace.map(({ cameraId, ring }) => {
        const from = ring?.span && later(ring.span.startsAt, now.getTime() - Date.now());
        return { cameraId, from: from ?? null, codec: ring?.codec ?? null };
      });
      const kept = await renewRings(database.prisma, workspaceId, { instanceId, now, rings });
      for (const held of ofWorkspace)
        if (!kept.some(({ cameraId, url }) => cameraId === held.cameraId && url === held.url))
          void this.#close(held);
    }
    clearTimeout(this.#expiry);
    const leftMs = startedAt + ringLeaseMs - performance.now();
    this.#expiry = setTimeout(() => void this.close(), leftMs).unref();
  }

  /** Claims free cameras. If there is no room, workspaces without any have the place of one that has several. */
  async #claimFree(worker: Worker): Promise<void> {
    const { services, max } = this.#options;
    const { database, instanceId, now: clock } = services;
    const { prisma } = database;
    for (;;) {
      const held = this.held;
      const isFull = held.length >= max;
      const largest = [...groupBy(held, ({ workspaceId }) => workspaceId).values()]
        .sort((one, other) => one.length - other.length)
        .at(-1);
      const given = isFull ? largest?.at(-1) : undefined;
      if (isFull && (largest?.length ?? 0) < 2) return;
      const now = clock();
      const except = [...this.#ended.values()].flatMap(({ cameraId, until }) =>
        until > performance.now() ? [cameraId] : [],
      );
      const [lease] = await claimInTurn(
        prisma,
        this.#turns,
        freeCameras(now, except),
        now,
        (workspaceId) => claimRing(prisma, workspaceId, { instanceId, now, except }),
        isFull ? held.map(({ workspaceId }) => workspaceId) : [],
      );
      if (!lease) return;
      if (given) await this.#close(given);
      this.#open(lease, worker);
    }
  }

  #open(lease: RingLease, worker: Worker): void {
    const controller = new AbortController();
    const openedAt = performance.now();
    const opening = this.#connect(lease, controller.signal);
    const held: HeldCamera = {
      ...lease,
      controller,
      opened: opening.catch(() => undefined),
      released: opening
        .then((ring) => {
          held.ring = ring;
          // Tells since when its frames are kept.
          worker.wake();
          return ring.ended;
        })
        .catch((error) => error)
        .then((reason) => this.#release(held, reason, openedAt)),
    };
    this.#held.set(keyOf(lease), held);
  }

  /** Opens a ring once no live view is connected to its camera. */
  async #connect(lease: RingLease, signal: AbortSignal): Promise<CameraRing> {
    const readings = [...this.#readings].filter(({ key }) => key === keyOf(lease));
    for (const { leave } of readings) leave();
    await Promise.all(readings.map(({ left }) => left));
    signal.throwIfAborted();
    const { streams, limits } = this.#options;
    return streams.openRing(lease, limits, signal);
  }

  async #close({ controller, ring, released }: HeldCamera): Promise<void> {
    controller.abort();
    await ring?.close();
    await released;
  }

  async #release(held: HeldCamera, reason: unknown, openedAt: number): Promise<void> {
    const { database, instanceId, now: clock, log } = this.#options.services;
    const { workspaceId, cameraId, controller } = held;
    const key = keyOf(held);
    const hasFailed = !controller.signal.aborted;
    this.#held.delete(key);
    const now = clock();
    if (hasFailed) {
      const lasted = performance.now() - openedAt >= steadyMs;
      const times = lasted ? 1 : (this.#ended.get(key)?.times ?? 0) + 1;
      const until = performance.now() + retryDelay(times, reopening);
      this.#ended.set(key, { cameraId, times, until });
      if (!(reason instanceof FeedError))
        log.warn(
          { err: reason, workspaceId, cameraId },
          "a camera's ring has ended, and will be opened again",
        );
    }
    // Where another instance has the camera's only session, its live view ends when it sees the lease.
    const isBusy = reason instanceof FeedError && isOccupied.has(reason.code) && !held.ring;
    const until = hasFailed && isBusy ? later(now, ringLeaseMs) : null;
    await releaseRing(database.prisma, held, { instanceId, now, hasFailed, until }).catch((error) =>
      // The lease ends by itself.
      log.warn({ err: error, workspaceId, cameraId }, "a camera will be free for others later"),
    );
  }
}
