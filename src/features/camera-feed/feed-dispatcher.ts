import { claimInTurn, type DueRows, untilDue } from "../../engine/leases/due-rows.js";
import type { StepOutcome, Worker } from "../../engine/leases/worker.js";
import { WorkspaceTurns } from "../../engine/leases/workspace-turns.js";
import type { GatewayServices } from "../../engine/operation/gateway-services.js";
import { ServiceError } from "../../platform/errors/errors.js";
import { errorOf } from "../../platform/thrown.js";
import { later } from "../../platform/time.js";
import {
  bringForward,
  type ClaimedFeed,
  claimFeed,
  dueFeeds,
  type FeedKind,
  hasOtherFeeds,
  openAlone,
  updateFeed,
} from "./due-feeds.js";
import type { FeedClient } from "./feed-client.js";
import { FeedError, type FeedErrorCode, isOccupied } from "./feed-error.js";
import type { FeedMetrics } from "./feed-metrics.js";
import {
  type FeedOperation,
  FeedOutcomes,
  type FeedTimes,
  maxRetryMs,
  SupersededError,
} from "./feed-outcome.js";
import { FeedProcessError } from "./feed-process-error.js";
import type { RingHolder } from "./ring/ring-holder.js";
import { isNotElsewhere } from "./ring/ring-leases.js";

/** Polling finds what another instance has no slot for. */
const pollIntervalMs = 10_000;
/** The time until another try after a failure of the gateway's own. */
const troubleMs = 30_000;

/** The share of the slots for streams that failed: each takes its full time, and must not delay cameras that work. */
const maxRetryShare = 0.5;
/**
 * The share of the slots that a workspace may take while others wait, and in any case for streams that may take their
 * full time, so that what others add need not wait for these. The last of several slots is for workspaces that have
 * none.
 */
const maxWorkspaceShare = 0.5;

interface FeedDispatcherOptions {
  services: GatewayServices;
  streams: Pick<FeedClient, "probe" | "takePicture" | "isShown">;
  /** The rings that this instance has: pictures of their cameras come from them. */
  rings: Pick<RingHolder, "ringOf">;
  metrics: FeedMetrics;
  /** The number of streams that are open at once, at most. */
  concurrency: number;
  times: FeedTimes;
}

interface Run {
  workspaceId: string;
  cameraId: string;
  isRetry: boolean;
  controller: AbortController;
  ended: Promise<unknown>;
}

/** Opens the streams of cameras when they are due, a few at once, and fairly between workspaces. */
export class FeedDispatcher {
  readonly #options: FeedDispatcherOptions;
  readonly #outcomes: FeedOutcomes;
  readonly #turns: WorkspaceTurns;
  readonly #turnsOfNew: WorkspaceTurns;
  /** When the due times were last compared with the clock, by `performance.now()`. */
  #comparedAt = Number.NEGATIVE_INFINITY;
  readonly #runs = new Set<Run>();

  constructor(options: FeedDispatcherOptions) {
    this.#options = options;
    this.#outcomes = new FeedOutcomes(options.services, options.times);
    this.#turns = new WorkspaceTurns(options.services.database.listWorkspaces);
    this.#turnsOfNew = new WorkspaceTurns(options.services.database.listWorkspaces);
  }

  /** Begins to open the stream that is due in the next workspace. */
  async step(worker: Worker): Promise<StepOutcome> {
    const { services, concurrency } = this.#options;
    const { database, now } = services;
    if (this.#runs.size >= concurrency) return "nothing";
    if (await this.#hasBroughtForward()) return "more";
    const kind = this.#hasSlotForRetry ? "ANY" : "UNFAILED";
    const outcome = await untilDue(database.prisma, this.#due(kind), now());
    if (outcome === "nothing") return { dueInMs: pollIntervalMs };
    if (typeof outcome === "object") return { dueInMs: Math.min(outcome.dueInMs, pollIntervalMs) };
    const claimed = await this.#claim(kind);
    for (const feed of claimed) this.#start(feed, worker);
    return claimed.length > 0 ? "more" : outcome;
  }

  /** Compares the due times with the clock now and then. Returns whether some are due now. */
  async #hasBroughtForward(): Promise<boolean> {
    const { services, times } = this.#options;
    if (performance.now() < this.#comparedAt + pollIntervalMs) return false;
    const limits = { refreshMs: times.refresh * 1000, retryMs: maxRetryMs };
    const isMoreLeft = await bringForward(services.database.prisma, services.now(), limits);
    if (!isMoreLeft) this.#comparedAt = performance.now();
    return isMoreLeft;
  }

  /** Claims streams of a kind: new ones first, and of workspaces that have their share last. */
  async #claim(kind: FeedKind): Promise<ClaimedFeed[]> {
    const { prisma } = this.#options.services.database;
    const now = this.#options.services.now();
    const claim = (turns: WorkspaceTurns, wanted: FeedKind, except: readonly string[]) =>
      claimInTurn(
        prisma,
        turns,
        this.#due(wanted),
        now,
        (workspaceId) => claimFeed(prisma, workspaceId, { now, rows: this.#due(wanted) }),
        except,
      );
    for (const share of this.#shares) {
      const atLimit = this.#workspacesWith(share);
      const added = await claim(this.#turnsOfNew, "NEW", atLimit);
      if (added.length > 0) return added;
      const claimed = await claim(this.#turns, kind, atLimit);
      if (claimed.length > 0 || atLimit.length === 0) return claimed;
      if (await hasOtherFeeds(prisma, atLimit)) return claim(this.#turns, "WORKING", []);
    }
    return claim(this.#turns, kind, []);
  }

  /** What is due of a kind, but for cameras that another instance has for itself. */
  #due(kind: FeedKind): DueRows {
    const { instanceId, now } = this.#options.services;
    return dueFeeds(kind, isNotElsewhere(instanceId, now()));
  }

  /** A single slot is for all streams, also for those that have failed. */
  get #hasSlotForRetry(): boolean {
    const retries = [...this.#runs].filter(({ isRetry }) => isRetry).length;
    return retries < Math.max(1, Math.floor(this.#options.concurrency * maxRetryShare));
  }

  /** The numbers of slots that a workspace may take: while others have none, and while others wait. */
  get #shares(): number[] {
    const { concurrency } = this.#options;
    const share = Math.max(1, Math.floor(concurrency * maxWorkspaceShare));
    return this.#runs.size === concurrency - 1 ? [1, share] : [share];
  }

  /** The workspaces that have a number of slots. */
  #workspacesWith(share: number): string[] {
    const runs = [...this.#runs];
    const workspaces = new Set(runs.map(({ workspaceId }) => workspaceId));
    return [...workspaces].filter((id) => runs.filter((run) => run.workspaceId === id).length >= share);
  }

  #start(feed: ClaimedFeed, worker: Worker): void {
    const { workspaceId, cameraId, isRetry } = feed;
    const controller = new AbortController();
    const earlier = [...this.#runs].filter(
      (run) => run.workspaceId === workspaceId && run.cameraId === cameraId,
    );
    worker.start((signal) => {
      const either = AbortSignal.any([signal, controller.signal]);
      const ended = this.#afterThese(earlier)
        .then(() => this.#open(feed, either))
        .catch((error) => this.#recordTrouble(feed, error))
        .finally(() => this.#runs.delete(run));
      const run: Run = { workspaceId, cameraId, isRetry, controller, ended };
      this.#runs.add(run);
      return ended;
    });
  }

  /** Waits for the ends of runs for earlier requests of the same camera, which may allow one connection alone. */
  async #afterThese(earlier: readonly Run[]): Promise<void> {
    for (const { controller } of earlier)
      controller.abort(new SupersededError("The stream was requested again"));
    await Promise.all(earlier.map(({ ended }) => ended));
  }

  async #open(feed: ClaimedFeed, signal: AbortSignal): Promise<void> {
    const { streams, metrics, rings } = this.#options;
    const { url, isAlone } = feed;
    if (feed.isQuiet) return this.#outcomes.recordQuiet(feed);
    const ring = await rings.ringOf(feed);
    let operation: FeedOperation = "probe";
    try {
      if (!feed.isProbed) {
        signal.throwIfAborted();
        const metadata = ring ? ring.probe(signal) : streams.probe(url, signal, isAlone);
        await this.#outcomes.recordMetadata(feed, await metadata);
      }
      operation = "picture";
      const takeAt = ring && ((at?: Date) => ring.takePicture(at, signal));
      const picture = await (takeAt ? takeAt() : streams.takePicture(url, signal, isAlone));
      await this.#outcomes.recordPicture(feed, picture, takeAt).catch(unlessBroken);
      metrics.recordTaken();
    } catch (error) {
      const code = await this.#codeOf(feed, error);
      if (isOccupied.has(code) && streams.isShown(url)) await this.#outcomes.putOff(feed);
      else await this.#outcomes.recordFailure(feed, operation, code);
      metrics.recordFailure(code);
    }
  }

  /** The kind of a failure of the camera; throws any other, as a process may have died of another stream. */
  async #codeOf(feed: ClaimedFeed, error: unknown): Promise<FeedErrorCode> {
    if (error instanceof FeedError) return error.code;
    if (!(error instanceof FeedProcessError)) throw error;
    const { database, now } = this.#options.services;
    await openAlone(database.prisma, feed, now());
    if (feed.isAlone) return "UNKNOWN";
    throw error;
  }

  /** A failure that says nothing of the camera: its stream is opened again soon. */
  async #recordTrouble(feed: ClaimedFeed, error: unknown): Promise<void> {
    if (error instanceof SupersededError) return;
    const { database, now, log } = this.#options.services;
    const { cameraId, workspaceId } = feed;
    const isEnded = errorOf(error).name === "AbortError";
    if (!isEnded)
      log.warn({ err: error, cameraId, workspaceId }, "a camera's stream was not opened and will be retried");
    const isSoon = isEnded || error instanceof FeedProcessError;
    const dueAt = later(now(), isSoon ? 0 : troubleMs);
    await updateFeed(database.prisma, feed, { dueAt, openedAt: null }).catch((failure) =>
      // The claim ends by itself.
      log.warn({ err: failure, cameraId, workspaceId }, "a camera's stream will be opened later"),
    );
  }
}

/** A picture that cannot be decoded is the camera's failure. */
function unlessBroken(error: unknown): never {
  if (error instanceof ServiceError && error.code === "PAYLOAD_TOO_LARGE") throw new FeedError("TOO_LARGE");
  if (error instanceof ServiceError && error.code === "UNSUPPORTED_MEDIA_TYPE")
    throw new FeedError("UNKNOWN");
  throw error;
}
