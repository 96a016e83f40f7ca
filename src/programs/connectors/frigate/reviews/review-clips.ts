import { setTimeout as sleep } from "node:timers/promises";
import pLimit from "p-limit";
import type { Logger } from "../../../../platform/telemetry/log.js";
import type { Cameras } from "../../connector/cameras.js";
import { GatewayError } from "../../connector/gateway-client.js";
import { untilDone } from "../../connector/retries.js";
import { AnswerTooLarge, type FrigateClient, FrigateError } from "../frigate-client.js";
import type { Review } from "../frigate-messages.js";
import { type GatewayAlerts, UploadError } from "./alert-recorder.js";
import type { AwaitedClip, Journal } from "./journal.js";
import { alertIdOf } from "./review-alert.js";

interface ClipParts {
  /** The name of the connector, of which the ids of alerts are made. */
  connector: string;
  client: FrigateClient;
  cameras: Cameras;
  alerts: GatewayAlerts;
  journal: Journal;
  log: Logger;
  stopped: AbortSignal;
}

/** What a clip has before and after its review, in milliseconds. */
const paddingMs = 5_000;
/** Frigate begins with a key frame before the time that it is asked for, and the gateway takes a minute. */
const maxMs = 50_000;
/** A clip that is too large is asked for again with half of its time, down to this. */
const minMs = 3_000;
/** Frigate stores what it records a moment later, in segments of ten seconds. */
const storedMs = 20_000;
/** How long after a review Frigate is asked for its recording, at least once. */
const givenUpMs = 300_000;
const firstWaitMs = 1_000;
const maxAttempts = 5;

/** Brings the clips of reviews once these have ended. What is left when the connector stops is in the journal. */
export class ReviewClips {
  readonly #parts: ClipParts;
  readonly #underWay = new Set<string>();
  /** A clip is held in memory as a whole. */
  readonly #oneAtATime = pLimit(1);

  /** Goes on with what an earlier run has left. */
  constructor(parts: ClipParts) {
    this.#parts = parts;
    for (const clip of parts.journal.awaitedClips()) this.#begin(clip);
  }

  /** The review has an alert, which is to have its clip. */
  expect(review: Review): void {
    this.#begin(this.#parts.journal.awaitClip(review));
  }

  /** Takes note of the end of a review whose clip is awaited. */
  see(review: Review): void {
    const awaited = this.#parts.journal.awaitedClip(review.id);
    if (awaited?.end === null && review.end !== null) this.expect(review);
  }

  #begin(clip: AwaitedClip): void {
    const { id, end } = clip;
    if (end === null || this.#underWay.has(id)) return;
    this.#underWay.add(id);
    // Rejects only when the connector stops.
    void this.#bring({ ...clip, end }).catch(() => {});
  }

  async #bring(clip: AwaitedClip & { end: number }): Promise<void> {
    const { client, journal, log, stopped } = this.#parts;
    const { id: review, camera } = clip;
    const wait = (milliseconds: number) => sleep(Math.max(1, milliseconds), undefined, { signal: stopped });
    try {
      await wait(Math.min(givenUpMs, clip.end + storedMs - client.now()));
      for (let pause = firstWaitMs; ; pause *= 2) {
        const isLast = client.now() > clip.end + givenUpMs;
        const attempt = () => this.#oneAtATime(() => this.#attempt(clip));
        if (await untilDone(attempt, { signal: stopped, log, what: "Bringing clips", mayPass })) break;
        if (isLast) throw new Error("Frigate has no recording of a review");
        await wait(pause);
      }
    } catch (error) {
      stopped.throwIfAborted();
      log.warn({ err: error, review, camera }, "The clip of a review cannot be brought");
    }
    journal.settleClip(review);
    this.#underWay.delete(review);
  }

  /** Whether there is a recording. The clip has what fits of it, from its beginning. */
  async #attempt({ id, camera, start, end }: AwaitedClip & { end: number }): Promise<boolean> {
    const { connector, client, cameras, alerts, stopped } = this.#parts;
    stopped.throwIfAborted();
    const known = cameras.find(camera);
    if (!known) throw new Error(`The gateway does not know the camera ${camera}`);
    const from = start - paddingMs;
    for (let length = Math.min(maxMs, end + paddingMs - from); length >= minMs; length /= 2) {
      try {
        const clip = await client.clip(camera, { from, until: from + length });
        if (clip === null) return false;
        if (await alerts.addClip(alertIdOf(connector, id), known.id, clip)) return true;
      } catch (error) {
        if (!(error instanceof AnswerTooLarge)) throw error;
      }
    }
    throw new Error("The gateway does not take it, not even in part");
  }
}

const mayPass = (error: unknown, attempts: number): boolean =>
  error instanceof FrigateError ||
  (error instanceof GatewayError && error.mayPass && (error.code !== "INTERNAL" || attempts < maxAttempts)) ||
  (error instanceof UploadError && attempts < maxAttempts);
