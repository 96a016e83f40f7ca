import { isOpenedByGateway, newFeed } from "../camera/camera-feed.js";
import { type CameraFeed, Prisma, type PrismaClient } from "../generated/prisma/client.js";
import type { FollowingWorkspaces } from "../platform/queues/workspace-turns.js";

/**
 * How long an instance has a stream for itself, in milliseconds: more than it takes to
 * read the metadata, take a picture and store it. After a crash, others open the stream
 * when this is over.
 */
const leaseMs = 120_000;

/** A stream that this instance has for itself. */
export interface ClaimedFeed extends Pick<CameraFeed, "workspaceId" | "cameraId" | "streamRequestId"> {
  url: string;
  /** Whether the metadata were read for this request. */
  isProbed: boolean;
  /** Whether the last attempt has failed. */
  isRetry: boolean;
  /** The due time by which others leave the stream alone. */
  leasedUntil: Date;
}

/** Which streams to open: all, or only those whose last attempt has not failed. */
export interface DueFeedFilter {
  withRetries: boolean;
}

const unlessRetries = ({ withRetries }: DueFeedFilter) => (withRetries ? {} : { failures: 0 });

/** When the next stream is due to be opened; undefined if none is. */
export async function nextDueTime(
  prisma: PrismaClient,
  filter: DueFeedFilter = { withRetries: true },
): Promise<Date | null | undefined> {
  const where = { dueAt: { not: null }, ...unlessRetries(filter) };
  const next = await prisma.cameraFeed.findFirst({
    where,
    orderBy: { dueAt: "asc" },
    select: { dueAt: true },
  });
  return next?.dueAt;
}

/** The next of the following workspaces with streams that are due. */
export const workspaceWithDueFeeds = (
  prisma: PrismaClient,
  following: FollowingWorkspaces,
  { now, ...filter }: DueFeedFilter & { now: Date },
): Promise<{ workspaceId: string } | null> =>
  prisma.cameraFeed.findFirst({
    where: { workspaceId: following, dueAt: { lte: now }, ...unlessRetries(filter) },
    orderBy: { workspaceId: "asc" },
    select: { workspaceId: true },
  });

/**
 * Claims the stream of a workspace that is due the longest, but those before that nobody
 * has tried yet, since somebody waits for them. The claim puts off the due time, so it
 * needs no other mark, and ends by itself.
 */
export async function claimFeed(
  prisma: PrismaClient,
  workspaceId: string,
  { now, withRetries }: DueFeedFilter & { now: Date },
): Promise<ClaimedFeed[]> {
  const leasedUntil = new Date(now.getTime() + leaseMs);
  const claimed = await prisma.$queryRaw<CameraFeed[]>(Prisma.sql`
    UPDATE "CameraFeed" SET "dueAt" = ${leasedUntil}::timestamptz
    WHERE "workspaceId" = ${workspaceId}::uuid AND "cameraId" = ANY(ARRAY(
      SELECT "cameraId" FROM "CameraFeed" WHERE "workspaceId" = ${workspaceId}::uuid AND "dueAt" <= ${now}::timestamptz
        AND ("failures" = 0 OR ${withRetries})
      ORDER BY "failures" > 0 OR "firstPictureAt" IS NOT NULL, "dueAt" LIMIT 1 FOR UPDATE SKIP LOCKED))
    RETURNING *`);
  const found = await Promise.all(claimed.map((feed) => openable(prisma, feed, leasedUntil)));
  return found.filter((feed) => feed !== undefined);
}

/**
 * The URL to open. Removes what is no longer opened: the camera is deleted, or its stream
 * is of another type now.
 */
async function openable(
  prisma: PrismaClient,
  { workspaceId, cameraId, streamRequestId, probedAt, failures }: CameraFeed,
  leasedUntil: Date,
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
  if (id === streamRequestId) return { ...claimed, url, isProbed: probedAt !== null, isRetry: failures > 0 };
  // An instance whose feed is off has changed the URL.
  const isAnew = await updateFeed(prisma, claimed, { ...newFeed, streamRequestId: id });
  return isAnew ? { ...claimed, streamRequestId: id, url, isProbed: false, isRetry: false } : undefined;
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
 * Updates the row of a claimed stream. Returns false if it is no longer claimed: the
 * stream was requested again, or the claim has ended and somebody else has it.
 */
export async function updateFeed(
  client: Pick<Prisma.TransactionClient, "cameraFeed">,
  claim: Claim,
  data: Prisma.CameraFeedUpdateManyMutationInput,
): Promise<boolean> {
  const { count } = await client.cameraFeed.updateMany({ where: stillClaimed(claim), data });
  return count > 0;
}

/** The row of a claimed stream; null if it is no longer claimed. */
export const readFeed = (transaction: Prisma.TransactionClient, claim: Claim): Promise<CameraFeed | null> =>
  transaction.cameraFeed.findFirst({ where: stillClaimed(claim) });
