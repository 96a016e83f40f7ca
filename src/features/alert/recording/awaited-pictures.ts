// Alerts without a picture: the feed of their camera takes one. The insertion notes until when it is awaited, the same
// transaction makes the feed due, and whichever instance takes the picture adds it. Nothing is left to do after a
// crash: whoever waits for the picture waits no longer than that.

import { randomUUID } from "node:crypto";
import type { GatewayServices } from "../../../engine/operation/gateway-services.js";
import { runInTransaction } from "../../../engine/operation/transaction.js";
import { ownUploader } from "../../../engine/storage/uploader.js";
import { type Alert, Prisma } from "../../../generated/prisma/client.js";
import { later } from "../../../platform/time.js";
import { shownColumns, takenPicture } from "./alert-upload.service.js";
import type { RecordAlertInput } from "./record-alerts.input.js";

/** The maximum age of an alert for which the feed takes a picture, in milliseconds. */
const maxAgeMs = 10_000;
/** No ring keeps more, in milliseconds. Older alerts than those above get what it has of their time alone. */
export const maxRingAgeMs = 300_000;
/** How far such a picture may be from its alert, in milliseconds. */
const maxOffMs = 5_000;
/** How far ahead the clocks of detectors may be. */
const maxAheadMs = 5 * 60_000;
/** How long a picture is awaited, in milliseconds. */
const waitMs = 10_000;
/** How long before the recording a picture may have been taken, as of a feed that was just open. */
const maxEarlyMs = 5_000;

export const hasOwnPicture = ({ uploadId, url, thumbnailUrl }: RecordAlertInput): boolean =>
  (uploadId ?? url ?? thumbnailUrl) != null;

/** Joins the feed of a given alert's camera, if it opens the camera and the last attempt has not failed. */
export const awaitableFeed = Prisma.sql`
  LEFT JOIN "CameraFeed" AS feed ON feed."workspaceId" = camera."workspaceId" AND feed."cameraId" = camera."id"
    AND feed."failures" = 0 AND feed."quietUntil" IS NULL`;

/** Until when the picture of a given alert is awaited, with its {@link awaitableFeed}; null if none is. */
export const awaitedUntil = (now: Date) => Prisma.sql`
  CASE WHEN feed."cameraId" IS NOT NULL AND coalesce(given."uploadId"::text, given."url", given."thumbnailUrl") IS NULL
    AND (given."createdAt" BETWEEN ${later(now, -maxAgeMs)}::timestamptz AND ${later(now, maxAheadMs)}::timestamptz
      OR (feed."ringUntil" > ${now}::timestamptz AND given."createdAt" BETWEEN feed."ringFrom" AND ${now}::timestamptz))
  THEN ${later(now, waitMs)}::timestamptz END`;

/** Whether the picture of a recorded alert may still come. */
export const isPictureAwaited = (
  { url, pictureAwaitedUntil }: Pick<Alert, "url" | "pictureAwaitedUntil">,
  now: Date,
): boolean =>
  url === null &&
  pictureAwaitedUntil !== null &&
  pictureAwaitedUntil > now &&
  pictureAwaitedUntil <= later(now, waitMs);

interface TakenPicture {
  jpeg: Buffer;
  takenAt: Date;
}

interface PicturedCamera {
  workspaceId: string;
  cameraId: string;
}

/**
 * Adds a picture that the feed took to all alerts of the camera that await one. If `takeAt` takes pictures of the camera
 * as it was, those of each second get one of that time.
 */
export async function addAwaitedPictures(
  services: GatewayServices,
  camera: PicturedCamera,
  picture: TakenPicture,
  takeAt?: (at: Date) => Promise<TakenPicture>,
): Promise<void> {
  const { workspaceId, cameraId } = camera;
  const time = takeAt ? services.now() : picture.takenAt;
  const areAwaiting = Prisma.sql`"workspaceId" = ${workspaceId}::uuid AND "cameraId" = ${cameraId}::uuid
    AND "createdAt" >= ${later(time, -maxRingAgeMs - waitMs)}::timestamptz AND "url" IS NULL
    AND "pictureAwaitedUntil" BETWEEN ${time}::timestamptz AND ${later(time, waitMs + maxEarlyMs)}::timestamptz`;
  const second = Prisma.sql`date_trunc('second', least("createdAt", ${time}::timestamptz))`;
  const { prisma } = services.database;
  const seconds = await prisma.$queryRaw<{ at: Date }[]>(
    Prisma.sql`SELECT DISTINCT ${second} AS "at" FROM "Alert" WHERE ${areAwaiting}`,
  );
  if (seconds.length === 0) return;
  if (!takeAt) return addPicture(services, camera, picture, areAwaiting);
  for (const { at } of seconds) {
    if (services.now() >= later(time, waitMs)) return;
    const taken = await takeAt(later(at, 500)).catch((error) => {
      services.log.warn(
        { err: error, workspaceId, cameraId },
        "alerts get a newer picture than that of their time",
      );
      return picture;
    });
    await addPicture(services, camera, taken, Prisma.sql`${areAwaiting} AND ${second} = ${at}::timestamptz`);
  }
}

async function addPicture(
  services: GatewayServices,
  { workspaceId, cameraId }: PicturedCamera,
  { jpeg, takenAt }: TakenPicture,
  areAwaiting: Prisma.Sql,
): Promise<void> {
  // Older ones have no use for a later picture.
  const areShown = Prisma.sql`${areAwaiting} AND ("createdAt" >= "pictureAwaitedUntil" - ${`${maxAgeMs + waitMs} milliseconds`}::interval
    OR "createdAt" BETWEEN ${later(takenAt, -maxOffMs)}::timestamptz AND ${later(takenAt, maxOffMs)}::timestamptz)`;
  await services.pictures.storeTaken(ownUploader(workspaceId), jpeg, takenPicture(randomUUID()), (stored) =>
    runInTransaction(services, async (transaction, effects) => {
      const { url, thumbnailUrl, imageDimensions } = shownColumns(stored.pictures);
      const alerts = await transaction.$queryRaw<Pick<Alert, "id" | "facilityId">[]>(Prisma.sql`
        UPDATE "Alert" SET "url" = ${url}, "thumbnailUrl" = ${thumbnailUrl}, "pictureAt" = ${takenAt}::timestamptz,
          "imageDimensions" = coalesce("imageDimensions", ${JSON.stringify(imageDimensions)}::jsonb)
        WHERE ${areShown} AND "id" = ANY(ARRAY(SELECT "id" FROM "Alert" WHERE ${areShown} ORDER BY "id" FOR UPDATE))
        RETURNING "id", "facilityId"`);
      const [alert] = alerts;
      if (!alert) return;
      await stored.keep(transaction);
      if (alerts.length > 1)
        await transaction.sharedPicture.createMany({
          data: [url, thumbnailUrl].map((key) => ({ workspaceId, key, alerts: alerts.length })),
        });
      const ids = alerts.map(({ id }) => id);
      effects.emit(
        { topic: "alertChanged", facilityId: alert.facilityId, cameraId, ids, change: "PICTURE" },
        { workspaceId, now: services.now() },
      );
    }),
  );
}
