import type { RequestContext } from "../../engine/operation/request-context.js";
import { defined } from "../../platform/defined.js";
import { storeTakenPicture } from "../alert/recording/alert-upload.service.js";
import type { RaisedAlert } from "./frame-evaluation.js";

/** The maximum time between a frame of detections and the live frame that its alerts show. */
const maxAgeMs = 5_000;

interface LivePicture {
  jpeg: Buffer;
  takenAt: number;
}

interface StoredLivePicture {
  uploadId: string;
  takenAt: number;
}

/** Pictures for alerts whose frames have none: live frames of their cameras, if this instance reads them. */
export class LivePictures {
  readonly #context: RequestContext;
  readonly #stored = new Map<string, StoredLivePicture>();
  /** The cameras that were looked at. */
  readonly #tried = new Set<string>();

  constructor(context: RequestContext) {
    this.#context = context;
  }

  /** The alerts, with the stored live frames of those that have no picture. */
  addTo(raised: readonly RaisedAlert[]): RaisedAlert[] {
    return raised.map((each) => {
      const { alert } = each;
      const picture = this.#stored.get(alert.cameraId);
      return alert.uploadId == null && picture && isClose(picture, alert.createdAt)
        ? { ...each, alert: { ...alert, uploadId: picture.uploadId } }
        : each;
    });
  }

  /** The cameras whose live frames alerts need, and that were not looked at. */
  neededBy(raised: readonly RaisedAlert[]): Map<string, LivePicture> {
    const needed = new Map<string, LivePicture>();
    for (const { alert } of raised) {
      if (alert.uploadId != null || this.#tried.has(alert.cameraId)) continue;
      const picture = needed.get(alert.cameraId) ?? this.#newest(alert.cameraId);
      if (picture && isClose(picture, alert.createdAt)) needed.set(alert.cameraId, picture);
    }
    return needed;
  }

  /** Stores live frames. Without them, alerts have no picture: they are raised anyway. */
  async store(
    needed: ReadonlyMap<string, LivePicture>,
    facilityOf: ReadonlyMap<string, string>,
  ): Promise<void> {
    for (const [cameraId, { jpeg, takenAt }] of needed) {
      this.#tried.add(cameraId);
      try {
        const facilityId = defined(facilityOf.get(cameraId));
        const uploadId = await storeTakenPicture(this.#context, facilityId, jpeg);
        this.#stored.set(cameraId, { uploadId, takenAt });
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
    return frame && { jpeg: frame.jpeg, takenAt: services.now().getTime() - frame.ageMs };
  }
}

const isClose = ({ takenAt }: Pick<LivePicture, "takenAt">, at: Date) =>
  Math.abs(at.getTime() - takenAt) <= maxAgeMs;
