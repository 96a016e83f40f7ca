import type { GatewayServices } from "../../engine/operation/gateway-services.js";
import { changedFields, isUnchanged } from "../../engine/operation/write.js";
import { scheduleRemoval } from "../../engine/storage/object-removal.js";
import { ownUploader } from "../../engine/storage/uploader.js";
import type { CameraFeed, Prisma } from "../../generated/prisma/client.js";
import { retryDelay } from "../../platform/network/retry-delay.js";
import { later } from "../../platform/time.js";
import { addAwaitedPictures } from "../alert/recording/awaited-pictures.js";
import { newFeed } from "../camera/camera-feed.js";
import { thumbnailSide } from "../camera/client/client-camera.mutation.js";
import { operationalDetail, streamError } from "../camera/status/status-detail.js";
import { StatusSource } from "../camera/status/status-source.js";
import { type FeedServerWrite, writeAsBuiltinFeed } from "../camera/stream/feed-server-write.js";
import { applyReport, errorReport, isCurrent, lost, metadataReport } from "../camera/stream-report.js";
import type { CapturedPicture } from "./capture/stream-capture.js";
import { type ClaimedFeed, maxRefusals, quietEnd, readFeed, updateFeed } from "./due-feeds.js";
import { type FeedErrorCode, feedErrorSentences } from "./feed-error.js";

const firstRetryMs = 10_000;
export const maxRetryMs = 5 * 60_000;
/** The time until another try while a live view may take the camera's only session. */
const occupiedMs = 60_000;
const retryJitter = { from: 0.8, to: 1.2 };
/** The share by which chance brings forward the next picture, so that cameras that were added together spread out. */
const refreshJitter = 0.1;
/** Fewer failures may be a moment's trouble of the network. */
const minFailures = 2;
/** A picture cannot be older when it arrives, whatever the clocks say: rings keep five minutes. */
const maxPictureAgeMs = 310_000;

export interface FeedTimes {
  /** The seconds until the next picture is taken; 0 for the first one only. */
  refresh: number;
  /** The seconds for which a stream must have failed until the camera is lost. */
  lostAfter: number;
}

/** What was tried when a stream failed. */
export type FeedOperation = "probe" | "picture";

/** The stream was requested again or is no longer claimed: nobody wants what came of it. */
export class SupersededError extends Error {}

export class FeedOutcomes {
  readonly #services: GatewayServices;
  readonly #times: FeedTimes;

  constructor(services: GatewayServices, times: FeedTimes) {
    this.#services = services;
    this.#times = times;
  }

  async recordMetadata(feed: ClaimedFeed, metadata: Record<string, unknown>): Promise<void> {
    await this.#write(feed, async (write) => {
      const { width, height } = metadata;
      // Texts, as feed servers send them.
      const reported = { ...metadata, width: String(width), height: String(height) };
      const size = { width: Number(width), height: Number(height) };
      await applyReport(write, metadataReport(reported, size));
      await update(write, feed, { probedAt: write.now });
    });
  }

  /**
   * Stores a picture with a small version, and makes it the camera's. The camera is found again if it was
   * lost. The picture before goes once the links to it have expired. Alerts that await a picture get it as well, or
   * one each that `takeAt` takes, of the camera at that time.
   */
  async recordPicture(
    feed: ClaimedFeed,
    { jpeg, takenAt }: CapturedPicture,
    takeAt?: (at: Date) => Promise<CapturedPicture>,
  ): Promise<void> {
    const { pictures, links, now } = this.#services;
    // The gateway's clock may be another than that of the pictures.
    const timeOf = (taken: Date) => {
      const age = Math.min(Math.max(Date.now() - taken.getTime(), 0), maxPictureAgeMs);
      return later(now(), -age);
    };
    const pictureAt = timeOf(takenAt);
    const { workspaceId } = feed;
    await pictures.storeTaken(
      ownUploader(workspaceId),
      jpeg,
      ["cameras", { picture: "taken", small: { maxSide: thumbnailSide } }],
      (stored) =>
        this.#write(feed, async (write, row) => {
          const { transaction, camera } = write;
          await stored.keep(transaction);
          const before = [camera.imageLink, camera.thumbnail];
          await scheduleRemoval(transaction, workspaceId, before, links.expiryOf("hour"));
          const { picture, small } = stored.pictures;
          await applyReport(write, {
            action: "recordStreamThumbnail",
            camera: (await isFound(write)) ? { statusDetail: operationalDetail } : {},
            picture: { imageLink: picture.key, thumbnail: small.key, pictureAt },
          });
          const { probedAt, firstPictureAt } = row;
          await update(write, feed, {
            ...newFeed,
            probedAt,
            firstPictureAt: firstPictureAt ?? write.now,
            dueAt: this.#nextPictureAt(write.now),
          });
        }),
    );
    await addAwaitedPictures(
      this.#services,
      feed,
      { jpeg, takenAt: pictureAt },
      takeAt &&
        (async (at) => {
          const picture = await takeAt(later(at, Date.now() - now().getTime()));
          return { jpeg: picture.jpeg, takenAt: timeOf(picture.takenAt) };
        }),
    );
  }

  /** Records why a stream failed, and whether the camera is lost by now. */
  async recordFailure(feed: ClaimedFeed, operation: FeedOperation, code: FeedErrorCode): Promise<void> {
    await this.#write(feed, async (write, row) => {
      const { now, streamRequest } = write;
      const failed = afterFailure(row, code, now);
      const { mustReport, lostAt } = this.#loss(write, failed);
      const report = errorReport(
        write,
        { operation, error: feedErrorSentences[code], code },
        mustReport ? lost : {},
      );
      const isNew = !isUnchanged(changedFields<object>(streamRequest, report.request ?? {}));
      await applyReport(write, {
        ...report,
        request: isNew ? report.request : undefined,
        isPeriodic: row.firstPictureAt !== null,
      });
      const { failures, failingSince, errorCode, refusals, quietUntil } = failed;
      const dueAt = quietUntil ? this.#wakeAt(failed, lostAt, now) : this.#retryAt(failures, now);
      await update(write, feed, { failures, failingSince, errorCode, refusals, quietUntil, lostAt, dueAt });
    });
  }

  /** Records whether a camera is lost by now that is not opened again yet. */
  async recordQuiet(feed: ClaimedFeed): Promise<void> {
    await this.#write(feed, async (write, row) => {
      const { mustReport, lostAt } = this.#loss(write, row);
      await applyReport(write, {
        action: "recordStreamError",
        camera: mustReport ? lost : {},
      });
      await update(write, feed, { lostAt, dueAt: this.#wakeAt(row, lostAt, write.now) });
    });
  }

  /** Whether a camera is lost, and since when, and whether that has to be reported. */
  #loss({ now, camera }: FeedServerWrite, row: CameraFeed): { mustReport: boolean; lostAt: Date | null } {
    const { failures, failingSince, errorCode, lostAt } = row;
    const isLost =
      errorCode !== "ADDRESS_NOT_ALLOWED" &&
      failures >= minFailures &&
      now.getTime() - (failingSince ?? now).getTime() >= this.#times.lostAfter * 1000;
    // Whoever set another status detail meant it: only what worked can be lost.
    const mustReport = isLost && lostAt === null && camera.statusDetail === operationalDetail;
    const isNow = mustReport || (isLost && camera.statusDetail === streamError);
    return { mustReport, lostAt: lostAt ?? (isNow ? now : null) };
  }

  /** When to look again at a camera that is left alone: earlier if it will be lost before. */
  #wakeAt({ failingSince, quietUntil }: CameraFeed, lostAt: Date | null, now: Date): Date | null {
    const lossAt = later(failingSince ?? now, this.#times.lostAfter * 1000);
    return lostAt === null && lossAt > now && quietUntil && lossAt < quietUntil ? lossAt : quietUntil;
  }

  /** Leaves a stream for later that somebody views live, as if it had not been opened. */
  async putOff(feed: ClaimedFeed): Promise<void> {
    await this.#write(feed, (write) => update(write, feed, { dueAt: later(write.now, occupiedMs) }));
  }

  #nextPictureAt(now: Date): Date | null {
    const { refresh } = this.#times;
    return refresh === 0 ? null : later(now, refresh * 1000 * (1 - refreshJitter * Math.random()));
  }

  #retryAt(failures: number, now: Date): Date {
    const { refresh } = this.#times;
    const maxMs = refresh === 0 ? maxRetryMs : Math.min(refresh * 1000, maxRetryMs);
    return later(now, retryDelay(failures, { firstMs: firstRetryMs, maxMs, jitter: retryJitter }));
  }

  /** Fails with {@link SupersededError}, and changes nothing, unless the report is wanted. */
  async #write(
    feed: ClaimedFeed,
    work: (write: FeedServerWrite, row: CameraFeed) => Promise<void>,
  ): Promise<void> {
    const { workspaceId, cameraId, streamRequestId: id } = feed;
    const isWritten = await writeAsBuiltinFeed(
      this.#services,
      { workspaceId, cameraId, id },
      async (write) => {
        const row = isCurrent(write) ? await readFeed(write.transaction, feed) : null;
        if (!row) return false;
        await work(write, row);
        return true;
      },
    );
    if (!isWritten) throw new SupersededError("The stream was requested again");
  }
}

/** What is known of a stream after another failure. */
function afterFailure(row: CameraFeed, code: FeedErrorCode, now: Date): CameraFeed {
  // What the gateway itself refused says nothing of the camera.
  const isFirst = row.errorCode === "ADDRESS_NOT_ALLOWED" && code !== row.errorCode;
  const isKnown = !isFirst && row.failingSince !== null && row.failingSince <= now;
  const isRefused = code === "UNAUTHORIZED";
  // Other failures in between do not make devices forget.
  const refusals = row.refusals + (isRefused ? 1 : 0);
  return {
    ...row,
    failures: isFirst ? 1 : row.failures + 1,
    failingSince: isKnown ? row.failingSince : now,
    errorCode: code,
    refusals,
    quietUntil: isRefused && refusals >= maxRefusals ? quietEnd(now) : null,
  };
}

async function update(
  { transaction }: FeedServerWrite,
  feed: ClaimedFeed,
  data: Prisma.CameraFeedUpdateManyMutationInput,
): Promise<void> {
  const isEnded = data.dueAt !== undefined;
  if (!(await updateFeed(transaction, feed, { ...data, ...(isEnded && { openedAt: null }) })))
    throw new SupersededError("The stream is no longer claimed");
}

/** Whether a picture shows that a camera works again, which does not clear an error that somebody else reported. */
async function isFound({ transaction, camera }: FeedServerWrite): Promise<boolean> {
  if (camera.statusDetail !== streamError) return false;
  const newest = await transaction.statusChange.findFirst({
    where: { workspaceId: camera.workspaceId, cameraId: camera.id },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
    select: { source: true, statusDetail: true },
  });
  return newest?.statusDetail !== streamError || newest.source === StatusSource.FEED;
}
