import type { RequestContext } from "../../../engine/operation/request-context.js";
import { defined } from "../../../platform/defined.js";
import { later } from "../../../platform/time.js";
import { storeTakenPicture } from "./alert-upload.service.js";
import { hasOwnPicture } from "./awaited-pictures.js";
import type { RecordAlertInput } from "./record-alerts.input.js";

/** The maximum time between an alert and the live frame that it shows. */
const maxAgeMs = 5_000;
/** The same where a picture of that moment can be had from the camera's ring. */
const maxAgeBesideRingMs = 500;

interface LivePicture {
  jpeg: Buffer;
  takenAt: Date;
  hasRing: boolean;
}

interface StoredLivePicture extends Pick<LivePicture, "takenAt" | "hasRing"> {
  uploadId: string;
}

/** Pictures for alerts without one: live frames of their cameras, if this instance reads them. */
export class LivePictures {
  readonly #context: RequestContext;
  readonly #stored = new Map<string, StoredLivePicture>();
  /** The cameras that were looked at. */
  readonly #tried = new Set<string>();

  constructor(context: RequestContext) {
    this.#context = context;
  }

  /** The alert, with the stored live frame if it has no picture. */
  addTo(alert: RecordAlertInput): RecordAlertInput {
    const picture = this.#stored.get(alert.cameraId);
    return picture && !hasOwnPicture(alert) && isClose(picture, alert.createdAt)
      ? { ...alert, uploadId: picture.uploadId }
      : alert;
  }

  /** The cameras whose live frames alerts need, and that were not looked at. */
  neededBy(alerts: readonly RecordAlertInput[]): Map<string, LivePicture> {
    const needed = new Map<string, LivePicture>();
    for (const alert of alerts) {
      const { cameraId, createdAt } = alert;
      if (hasOwnPicture(alert) || this.#tried.has(cameraId)) continue;
      const picture = needed.get(cameraId) ?? this.#newest(cameraId);
      if (picture && isClose(picture, createdAt)) needed.set(cameraId, picture);
    }
    return needed;
  }

  /** Stores live frames. Without them, alerts are recorded anyway. */
  async store(
    needed: ReadonlyMap<string, LivePicture>,
    facilityOf: ReadonlyMap<string, string>,
  ): Promise<void> {
    for (const [cameraId, picture] of needed) {
      this.#tried.add(cameraId);
      try {
        const facilityId = defined(facilityOf.get(cameraId));
        const uploadId = await storeTakenPicture(this.#context, facilityId, picture);
        this.#stored.set(cameraId, { uploadId, takenAt: picture.takenAt, hasRing: picture.hasRing });
      } catch (error) {
        this.#context.services.log.warn(
          { err: error, cameraId },
          "the live frame of an alert could not be stored",
        );
      }
    }
  }

  #newest(cameraId: string): LivePicture | undefined {
    const { services, caller } = this.#context;
    const frame = services.newestFrame({ workspaceId: caller.workspaceId, cameraId });
    if (!frame) return undefined;
    const { jpeg, ageMs, hasRing } = frame;
    return { jpeg, takenAt: later(services.now(), -ageMs), hasRing };
  }
}

const isClose = ({ takenAt, hasRing }: Omit<LivePicture, "jpeg">, at: Date) =>
  Math.abs(at.getTime() - takenAt.getTime()) <= (hasRing ? maxAgeBesideRingMs : maxAgeMs);
