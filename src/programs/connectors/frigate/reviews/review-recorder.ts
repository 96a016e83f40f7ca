import { setTimeout as sleep } from "node:timers/promises";
import pLimit from "p-limit";
import type { Logger } from "../../../../platform/telemetry/log.js";
import type { Cameras, GatewayCamera } from "../../connector/cameras.js";
import { GatewayError } from "../../connector/gateway-client.js";
import { untilDone } from "../../connector/retries.js";
import type { UnmappedSources } from "../../connector/unmapped-sources.js";
import type { CameraRules } from "../camera-rules.js";
import { type FrigateClient, FrigateError } from "../frigate-client.js";
import type { Review } from "../frigate-messages.js";
import type { SiteConfiguration } from "../site-configuration.js";
import { type AlertRecorder, UploadError } from "./alert-recorder.js";
import type { Journal } from "./journal.js";
import { pictureOf } from "./pictures.js";
import { alertOf, meaningOf } from "./review-alert.js";
import type { ReviewClips } from "./review-clips.js";
import type { SeenObjects } from "./seen-objects.js";

export type Outcome = "recorded" | "known" | "outside_window" | "unmapped" | "refused";

interface RecorderParts {
  /** The name of the connector, of which the ids of alerts are made. */
  connector: string;
  client: FrigateClient;
  site: SiteConfiguration;
  objects: SeenObjects;
  cameras: Cameras;
  rules: CameraRules;
  unmapped: UnmappedSources;
  alerts: AlertRecorder;
  /** Brings the clips of what became an alert; null for none. */
  clips: ReviewClips | null;
  journal: Journal;
  log: Logger;
  stopped: AbortSignal;
  /** How long to wait for a picture that Frigate does not have yet. */
  pictureWaitMs: number;
  onOutcome: (outcome: Outcome | "put_off") => void;
}

/** The reviews under way; further ones are found again by the next look at what was missed. */
const maxUnderWay = 500;
/** The tries of what is answered by an error of this very alert. */
const maxAttempts = 5;
const firstPictureWaitMs = 1000;
/** The least time between two lists of cameras because of a name that is not known. */
const reloadMs = 10_000;

/** Makes alerts of reviews, each once. */
export class ReviewRecorder {
  readonly #parts: RecorderParts;
  readonly #underWay = new Map<string, Promise<void>>();
  /** What happens now does not wait for what was missed. */
  readonly #slots = { live: pLimit(8), missed: pLimit(16) };

  #reloadedAt = Number.NEGATIVE_INFINITY;
  #reloading: Promise<void> | null = null;
  /** Whether pictures could be uploaded when that was last tried. */
  #canUpload = true;

  constructor(parts: RecorderParts) {
    this.#parts = parts;
  }

  /** Records a review that Frigate tells now, unless too much is under way. */
  offer(review: Review): void {
    if (!review.isAlert || this.#isSettled(review) || this.#underWay.has(review.id)) return;
    if (this.#underWay.size >= maxUnderWay) this.#parts.onOutcome("put_off");
    // Rejects only when the connector stops.
    else this.record(review, "live").catch(() => {});
  }

  /** Records a review. Resolves once it is settled, and rejects if the connector stops before. */
  record(review: Review, kind: "live" | "missed"): Promise<void> {
    if (this.#isSettled(review)) return Promise.resolve();
    let work = this.#underWay.get(review.id);
    if (!work) {
      work = this.#settle(review, kind).finally(() => this.#underWay.delete(review.id));
      this.#underWay.set(review.id, work);
    }
    return work;
  }

  #isSettled(review: Review): boolean {
    this.#parts.clips?.see(review);
    return this.#parts.journal.isSettled(review);
  }

  async #settle(review: Review, kind: "live" | "missed"): Promise<void> {
    const { client, clips, pictureWaitMs, journal, stopped, log, onOutcome } = this.#parts;
    const isYoung = review.end === null || client.now() - review.end < pictureWaitMs;
    const waitUntil = performance.now() + (isYoung ? pictureWaitMs : 0);
    const attempt = ({ withPicture = true } = {}) =>
      this.#slots[kind](async () => {
        stopped.throwIfAborted();
        return this.#attempt(review, { withPicture, mayAwaitPicture: performance.now() < waitUntil });
      });
    const tryWith = (work: typeof attempt) =>
      untilDone(work, { signal: stopped, log, what: "Recording alerts", mayPass: this.#mayPass });
    let outcome: Outcome | "awaits_picture" = "awaits_picture";
    try {
      for (let wait = firstPictureWaitMs; outcome === "awaits_picture"; wait *= 2) {
        outcome = await tryWith(() => attempt()).catch((error) => {
          if (!(error instanceof UploadError)) throw error;
          if (this.#canUpload) log.warn(`${error.message}; alerts go without pictures`);
          this.#canUpload = false;
          return tryWith(() => attempt({ withPicture: false }));
        });
        if (outcome === "awaits_picture")
          await sleep(Math.max(1, Math.min(wait, waitUntil - performance.now())), undefined, {
            signal: stopped,
          });
      }
    } catch (error) {
      stopped.throwIfAborted();
      log.error({ err: error, review: review.id, camera: review.camera }, "A review cannot be recorded");
      outcome = "refused";
    }
    if (outcome === "recorded" || outcome === "known") clips?.expect(review);
    journal.settle(review);
    onOutcome(outcome);
  }

  async #attempt(
    review: Review,
    { withPicture, mayAwaitPicture }: { withPicture: boolean; mayAwaitPicture: boolean },
  ): Promise<Outcome | "awaits_picture"> {
    const { connector, client, site, objects, rules, alerts, cameras } = this.#parts;
    const camera = await this.#camera(review.camera);
    const ruled = camera && (await rules.of(camera.id));
    if (!camera || !ruled) {
      if (camera) cameras.refreshSoon();
      return "unmapped";
    }
    const frigateCamera = await site.camera(review.camera, review.zones);
    const meaning = meaningOf(review, ruled, frigateCamera);
    this.#countZones(review, camera.id, meaning.rule !== null);
    if (meaning.isOutsideWindow) return "outside_window";
    const seen = await objects.find(review.objectIds, frigateCamera, client);
    const picture = withPicture ? await this.#picture(review, { objects: seen, zone: meaning.zone }) : null;
    if (withPicture && !picture && review.objectIds.length > 0 && mayAwaitPicture) return "awaits_picture";
    const alert = alertOf(review, meaning, {
      connector,
      cameraId: camera.id,
      site: frigateCamera,
      objects: seen,
    });
    try {
      const outcome = await alerts.record(alert, picture);
      if (picture) this.#canUpload = true;
      return outcome;
    } catch (error) {
      // The rule, the camera or the upload may be gone.
      if (error instanceof GatewayError && !error.mayPass) rules.forget(camera.id);
      throw error;
    }
  }

  /** Whether an attempt is worth another. Nothing that concerns more than this alert gives it up, be it for days. */
  readonly #mayPass = (error: unknown, attempts: number): boolean => {
    if (error instanceof UploadError) return this.#canUpload && attempts < maxAttempts;
    if (!(error instanceof GatewayError)) return false;
    const isGeneral = (error.mayPass && error.code !== "INTERNAL") || error.code === "FORBIDDEN";
    return isGeneral || attempts < maxAttempts;
  };

  /** The camera of a review. It, or its name, may be newer than the list of cameras. */
  async #camera(name: string): Promise<GatewayCamera | undefined> {
    const { cameras, stopped } = this.#parts;
    if (!cameras.lookUp(name) && performance.now() - this.#reloadedAt >= reloadMs) {
      this.#reloadedAt = performance.now();
      this.#reloading = cameras.load(stopped);
    }
    // Those that come meanwhile wait for the same list.
    if (!cameras.lookUp(name)) await this.#reloading;
    return cameras.find(name);
  }

  async #picture(review: Review, about: Parameters<typeof pictureOf>[2]): Promise<Buffer | null> {
    try {
      return await pictureOf(this.#parts.client, review.objectIds, about);
    } catch (error) {
      // Frigate being away for a moment is like a picture that is late.
      if (error instanceof FrigateError) return null;
      throw error;
    }
  }

  #countZones({ camera, zones }: Review, cameraId: string, hasRule: boolean): void {
    const { unmapped } = this.#parts;
    for (const zone of zones) {
      const name = `${camera}/${zone}`;
      if (hasRule) unmapped.remove("ZONE", name);
      else unmapped.add("ZONE", name, "no rule of the camera has an area of this name", cameraId);
    }
  }
}
