import type { Transaction } from "../../engine/database/transaction.js";
import { type DueRows, lockedDueRows } from "../../engine/leases/due-rows.js";
import { type CameraFeed, Prisma, type PrismaClient } from "../../generated/prisma/client.js";
import { later } from "../../platform/time.js";
import { isOpenedByGateway, newFeed } from "../camera/camera-feed.js";
import type { FeedErrorCode } from "./feed-error.js";

/**
 * How long an instance has a stream for itself, in milliseconds: more than it takes to read the metadata, take a
 * picture and store it. After a crash, others open the stream when this is over.
 */
const leaseMs = 120_000;
/** Refusals of the password after which a camera is left alone for longer. */
export const maxRefusals = 3;
/** How long a camera that keeps refusing the password is left alone, in milliseconds: devices lock accounts. */
const quietMs = 30 * 60_000;
export const quietEnd = (now: Date): Date => later(now, quietMs);
/** How long a stream is opened in a process of its own after one that opened it died. */
export const ownProcessMs = 24 * 3_600_000;

/** A stream that this instance has for itself. */
export interface ClaimedFeed extends Pick<CameraFeed, "workspaceId" | "cameraId" | "streamRequestId"> {
  url: string;
  /** Whether the metadata were read for this request. */
  isProbed: boolean;
  /** Whether the last attempt has failed. */
  isRetry: boolean;
  /** Whether a process of its own opens it: one that opened it before has died. */
  isAlone: boolean;
  /** Whether it is not to be opened yet, as the camera refuses the password. */
  isQuiet: boolean;
  /** The due time by which others leave the stream alone. */
  leasedUntil: Date;
}

/** Which streams to open: all, those that have not failed, of these those nobody has tried yet, or those that work. */
export type FeedKind = "ANY" | "UNFAILED" | "NEW" | "WORKING";

const isOfKind: Readonly<Record<FeedKind, Prisma.Sql>> = {
  ANY: Prisma.sql`TRUE`,
  UNFAILED: Prisma.sql`"failures" = 0`,
  NEW: Prisma.sql`"failures" = 0 AND "firstPictureAt" IS NULL`,
  WORKING: Prisma.sql`"failures" = 0 AND "firstPictureAt" IS NOT NULL`,
};

/** The rows of streams of a kind. {@link bringForward} sees to times too far ahead. */
export const dueFeeds = (kind: FeedKind, where = Prisma.sql`TRUE`): DueRows => ({
  table: "CameraFeed",
  key: "cameraId",
  dueAt: "dueAt",
  maxAheadMs: Number.POSITIVE_INFINITY,
  where: Prisma.sql`${isOfKind[kind]} AND ${where}`,
});

/** Whether workspaces but some have streams that are opened again and again. */
export const hasOtherFeeds = async (prisma: PrismaClient, except: readonly string[]): Promise<boolean> =>
  (await prisma.cameraFeed.findFirst({
    where: { workspaceId: { notIn: [...except] }, dueAt: { not: null } },
    select: { workspaceId: true },
  })) !== null;

/**
 * Makes the streams of a workspace due whose due time is further ahead than it can be: the clock was ahead
 * when it was set. Returns whether there are any.
 */
export async function bringForward(
  prisma: PrismaClient,
  now: Date,
  { refreshMs, retryMs }: { refreshMs: number; retryMs: number },
): Promise<boolean> {
  const isBeyond = (milliseconds: number) =>
    Prisma.sql`"dueAt" > ${later(now, Math.max(milliseconds, leaseMs))}::timestamptz`;
  const isAhead = Prisma.sql`"dueAt" IS NOT NULL AND (
    (${isOfKind.NEW} AND ${isBeyond(0)}) OR (${isOfKind.WORKING} AND ${isBeyond(refreshMs)})
    OR ("failures" > 0 AND "quietUntil" IS NULL AND ${isBeyond(retryMs)}) OR ("quietUntil" IS NOT NULL AND ${isBeyond(quietMs)}))`;
  const [first] = await prisma.$queryRaw<{ workspaceId: string }[]>(
    Prisma.sql`SELECT "workspaceId" FROM "CameraFeed" WHERE ${isAhead} LIMIT 1`,
  );
  if (!first) return false;
  await prisma.$executeRaw(Prisma.sql`
    UPDATE "CameraFeed" SET "dueAt" = ${now}::timestamptz, "quietUntil" = NULL
    WHERE "workspaceId" = ${first.workspaceId}::uuid AND ${isAhead}`);
  return true;
}

/**
 * Claims the stream of a workspace that is due the longest, but new ones before, since somebody waits for them. The
 * claim puts off the due time, so it needs no other mark, and ends by itself.
 */
export async function claimFeed(
  prisma: PrismaClient,
  workspaceId: string,
  { now, rows }: { now: Date; rows: DueRows },
): Promise<ClaimedFeed[]> {
  const leasedUntil = later(now, leaseMs);
  const order = Prisma.sql`"failures" > 0 OR "firstPictureAt" IS NOT NULL, "dueAt"`;
  const claimed = await prisma.$queryRaw<CameraFeed[]>(Prisma.sql`
    UPDATE "CameraFeed" SET "dueAt" = ${leasedUntil}::timestamptz, "openedAt" = ${now}::timestamptz,
      "aloneUntil" = CASE WHEN "openedAt" IS NULL THEN "aloneUntil" ELSE ${ownProcessEnd(now)}::timestamptz END
    WHERE ${lockedDueRows(rows, { workspaceId, now, limit: 1, order })} RETURNING *`);
  const found = await Promise.all(claimed.map((feed) => openable(prisma, feed, { leasedUntil, now })));
  return found.filter((feed) => feed !== undefined);
}

/** The URL to open; undefined, with the feed removed, if the camera is gone or its stream is of another type. */
async function openable(
  prisma: PrismaClient,
  { workspaceId, cameraId, streamRequestId, probedAt, failures, aloneUntil, quietUntil }: CameraFeed,
  { leasedUntil, now }: { leasedUntil: Date; now: Date },
): Promise<ClaimedFeed | undefined> {
  const [camera, request] = await Promise.all([
    prisma.camera.findFirst({
      where: { workspaceId, id: cameraId, removedAt: null },
      select: { url: true, streamType: true },
    }),
    // Its URL is the camera's.
    prisma.streamRequest.findFirst({
      where: { workspaceId, cameraId, supersededAt: null },
      select: { id: true, url: true },
    }),
  ]);
  const claimed = { workspaceId, cameraId, streamRequestId, leasedUntil };
  if (!camera || !request || !isOpenedByGateway(camera)) {
    await prisma.cameraFeed.deleteMany({ where: stillClaimed(claimed) });
    return undefined;
  }
  const { id, url } = request;
  const isAlone = aloneUntil !== null && aloneUntil > now;
  const isQuiet = quietUntil !== null && quietUntil > now;
  if (id === streamRequestId)
    return { ...claimed, url, isAlone, isQuiet, isProbed: probedAt !== null, isRetry: failures > 0 };
  // An instance whose feed is off has changed the URL.
  const isAnew = await updateFeed(prisma, claimed, { ...newFeed, openedAt: now, streamRequestId: id });
  const anew = { streamRequestId: id, isQuiet: false, isProbed: false, isRetry: false };
  return isAnew ? { ...claimed, ...anew, url, isAlone } : undefined;
}

type Claim = Pick<ClaimedFeed, "workspaceId" | "cameraId" | "streamRequestId" | "leasedUntil">;

/** The rows that this instance still has for itself: one, or none. */
const stillClaimed = ({ workspaceId, cameraId, streamRequestId, leasedUntil }: Claim) => ({
  workspaceId,
  cameraId,
  streamRequestId,
  dueAt: leasedUntil,
});

/**
 * Updates the row of a claimed stream. Returns false if it is no longer claimed: the stream was requested again, or the
 * claim has ended and somebody else has it.
 */
export async function updateFeed(
  client: Pick<Transaction, "cameraFeed">,
  claim: Claim,
  data: Prisma.CameraFeedUpdateManyMutationInput,
): Promise<boolean> {
  const { count } = await client.cameraFeed.updateMany({ where: stillClaimed(claim), data });
  return count > 0;
}

/** The row of a claimed stream; null if it is no longer claimed. */
export const readFeed = (transaction: Transaction, claim: Claim): Promise<CameraFeed | null> =>
  transaction.cameraFeed.findFirst({ where: stillClaimed(claim) });

const ownProcessEnd = (now: Date) => later(now, ownProcessMs);

/**
 * Lets a stream be opened in a process of its own from now on, since the process died that opened it. It may
 * have been requested again meanwhile.
 */
export async function openAlone(
  prisma: PrismaClient,
  { workspaceId, cameraId }: Pick<Claim, "workspaceId" | "cameraId">,
  now: Date,
): Promise<void> {
  const data = { aloneUntil: ownProcessEnd(now) };
  await prisma.cameraFeed.updateMany({ where: { workspaceId, cameraId }, data });
}

/**
 * Counts that a camera has refused the password to a live view. After too many, the camera is left alone as
 * after failures of its pictures, and due, so that its loss is seen to. Whoever opens it at the moment does
 * so.
 */
export async function countRefusal(
  prisma: PrismaClient,
  { workspaceId, cameraId }: Pick<Claim, "workspaceId" | "cameraId">,
  now: Date,
): Promise<void> {
  await prisma.cameraFeed.updateMany({
    where: { workspaceId, cameraId },
    data: { refusals: { increment: 1 } },
  });
  const refused: FeedErrorCode = "UNAUTHORIZED";
  await prisma.$executeRaw(Prisma.sql`
    UPDATE "CameraFeed" SET "failures" = "refusals", "failingSince" = COALESCE("failingSince", ${now}::timestamptz),
      "errorCode" = ${refused}, "quietUntil" = ${quietEnd(now)}::timestamptz, "dueAt" = ${now}::timestamptz
    WHERE "workspaceId" = ${workspaceId}::uuid AND "cameraId" = ${cameraId}::uuid AND "refusals" >= ${maxRefusals}::int
      AND "openedAt" IS NULL AND "quietUntil" IS NULL`);
}
