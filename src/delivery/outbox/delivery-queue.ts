// The outbox of notifications. Its rows are written with the event (see alert-deliveries.ts), so that nothing is owed for what was
// rolled back, and nothing is forgotten that was not. The workers of the gateway share their mechanism: a Worker that sleeps until
// something is due, and WorkspaceTurns. A job queue from the registry would have to serve both databases, keep an order per target
// with pauses that belong to the target, give workspaces turns in statements that name one of them, and still leave these rows to
// be listed through the API; none does.
//
// What has to be sent is what is pending, and nothing else says so: no counter or flag can get out of step with it. Queues are
// found by skipping from the first delivery of one to that of the next. DeliveryQueue and DeliveryTarget hold only what must wait, and
// until when; they are written by those who send, and whoever asks to send again clears a target. A queue is claimed by an upsert,
// which either takes it or finds that another instance has: nobody waits for a lock, and no transaction is open while a target is slow.
import type { ReadStatement } from "../../database/statement-text.js";
import { type Delivery, Prisma, type PrismaClient } from "../../generated/prisma/client.js";
import { groupBy } from "../../platform/group-by.js";
import type { FollowingWorkspaces } from "../../platform/queues/workspace-turns.js";

const maxParkedAtOnce = 1_000;

/** A queue, by the delivery that comes next. */
export interface DueQueue
  extends Pick<Delivery, "workspaceId" | "channel" | "kind" | "target" | "targetId" | "host"> {
  id: string;
  /** How many attempts on the target have failed in a row. */
  failures: number;
}

/** A claim on a queue: others leave it alone until then. */
export interface ClaimedQueue extends DueQueue {
  claimedUntil: Date;
}

/** How long it is tried to deliver. */
export const lifetimeMs = 24 * 3_600_000;

/** The key of a target. Mail addresses are the same in any case. */
export const targetIdOf = (channel: Prisma.Sql, target: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`md5(${channel} || ' ' || CASE WHEN ${channel} = 'EMAIL' THEN lower(${target} COLLATE "C") ELSE ${target} END)::uuid`;

/** The host and port of a webhook, and the name of any other channel. */
export const hostOf = (channel: Prisma.Sql, target: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`CASE WHEN ${channel} = 'WEBHOOK' THEN coalesce(lower(substring(${target} from '^[^:]+://([^/?#]+)') COLLATE "C"), ${target}) ELSE ${channel} END`;

/**
 * The key of the queue of deliveries about one subject, such as a rule, to one target.
 * Tests and outages have queues of their own: they neither wait for alerts nor are summed
 * up with them.
 */
export const queueIdOf = (kind: Prisma.Sql, subjectId: Prisma.Sql, targetId: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`md5(CASE WHEN ${kind} IN ('ALERT', 'TEST') THEN ${kind} ELSE 'OUTAGE' END || ' ' || ${subjectId} || ' ' || ${targetId})::uuid`;

/**
 * Queues deliveries that were sent or given up again, behind what is pending, in the
 * order in which they were queued before. They keep their ids, by which receivers tell
 * repetitions.
 */
export async function queueAgain(
  transaction: Prisma.TransactionClient,
  { workspaceId, ids, expiresAt }: { workspaceId: string; ids: readonly string[]; expiresAt: Date },
): Promise<void> {
  const ofWorkspace = Prisma.sql`"workspaceId" = ${workspaceId}::uuid`;
  const subjectId = Prisma.sql`coalesce(again."alertRuleId", again."cameraId", again."facilityId")`;
  await transaction.$executeRaw(Prisma.sql`
    UPDATE "Delivery" AS again SET "state" = 'PENDING', "queueId" = ${queueIdOf(Prisma.sql`again."kind"`, subjectId, Prisma.sql`again."targetId"`)},
      "queuedAt" = (SELECT clock_timestamp()), "position" = ended."position", "expiresAt" = ${expiresAt}::timestamptz,
      "attempts" = 0, "refusals" = 0, "lastError" = NULL, "sentAt" = NULL
    FROM (
      SELECT "id", row_number() OVER (ORDER BY "queuedAt", "position", "id") AS "position" FROM "Delivery"
      WHERE ${ofWorkspace} AND "id" = ANY(${[...ids]}::uuid[])
    ) AS ended
    WHERE again.${ofWorkspace} AND again."id" = ended."id"`);
}

/**
 * The next workspace with pending deliveries, but for some. It is asked with each event,
 * and so by a prepared statement.
 */
export async function workspaceWithDeliveries(
  read: ReadStatement,
  following: FollowingWorkspaces,
  except: readonly string[],
): Promise<{ workspaceId: string } | null> {
  const isFollowing =
    "gt" in following ? Prisma.sql`> ${following.gt}::uuid` : Prisma.sql`>= ${following.gte}::uuid`;
  const [found] = await read<{ workspaceId: string }>(Prisma.sql`
    SELECT "workspaceId" FROM "Delivery" WHERE "workspaceId" ${isFollowing} AND "workspaceId" <> ALL(${[...except]}::uuid[]) AND "queueId" IS NOT NULL
    ORDER BY "workspaceId" LIMIT 1`);
  return found ?? null;
}

/**
 * The queues of a workspace from which may be sent now, the longest waiting first,
 * without those of certain hosts.
 */
export function dueQueues(
  prisma: PrismaClient,
  {
    workspaceId,
    now,
    withoutHosts,
    limit,
  }: { workspaceId: string; now: Date; withoutHosts: readonly string[]; limit: number },
): Promise<DueQueue[]> {
  const columns = Prisma.sql`"queueId", "channel", "kind", "target", "targetId", "host", "queuedAt"`;
  const ofWorkspace = Prisma.sql`"workspaceId" = ${workspaceId}::uuid`;
  const order = Prisma.sql`"queueId", "queuedAt", "position"`;
  return prisma.$queryRaw<DueQueue[]>(Prisma.sql`
    WITH RECURSIVE head AS (
      (SELECT ${columns} FROM "Delivery" WHERE ${ofWorkspace} AND "queueId" IS NOT NULL ORDER BY ${order} LIMIT 1)
      UNION ALL
      SELECT following.* FROM head CROSS JOIN LATERAL
        (SELECT ${columns} FROM "Delivery" WHERE ${ofWorkspace} AND "queueId" > head."queueId" ORDER BY ${order} LIMIT 1) AS following
    )
    SELECT ${workspaceId} AS "workspaceId", head."queueId" AS "id", head."channel", head."kind", head."target", head."targetId", head."host",
      coalesce(target."failures", 0) AS "failures"
    FROM head
    LEFT JOIN "DeliveryQueue" AS queue ON queue.${ofWorkspace} AND queue."id" = head."queueId"
    LEFT JOIN "DeliveryTarget" AS target ON target.${ofWorkspace} AND target."id" = head."targetId"
    WHERE (queue."availableAt" IS NULL OR queue."availableAt" <= ${now}::timestamptz)
      AND (target."retryAt" IS NULL OR target."retryAt" <= ${now}::timestamptz)
      AND head."host" <> ALL(${[...withoutHosts]}::text[])
    ORDER BY head."queuedAt" LIMIT ${limit}::int`);
}

/**
 * Claims queues of a workspace until a time, and returns those that no other instance has
 * claimed before.
 */
export async function claimQueues(
  prisma: PrismaClient,
  queues: readonly DueQueue[],
  now: Date,
  endOf: (queue: DueQueue) => Date,
): Promise<ClaimedQueue[]> {
  if (queues.length === 0) return [];
  const claims = queues.map((queue) => ({ ...queue, claimedUntil: endOf(queue) }));
  // Ordered, so that instances that claim the same queues do not deadlock.
  const rows = claims
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map(({ workspaceId, id, claimedUntil }) => {
      return Prisma.sql`(${workspaceId}::uuid, ${id}::uuid, ${claimedUntil}::timestamptz)`;
    });
  const claimed = await prisma.$queryRaw<{ id: string }[]>(Prisma.sql`
    INSERT INTO "DeliveryQueue" ("workspaceId", "id", "availableAt") VALUES ${Prisma.join(rows)}
    ON CONFLICT ("workspaceId", "id") DO UPDATE SET "availableAt" = EXCLUDED."availableAt" WHERE "DeliveryQueue"."availableAt" <= ${now}::timestamptz
    RETURNING "id"`);
  const isClaimed = new Set(claimed.map(({ id }) => id));
  return claims.filter(({ id }) => isClaimed.has(id));
}

/** The next deliveries of queues of a workspace, so many of each, in their order. */
export async function nextDeliveries(
  prisma: PrismaClient,
  queues: readonly ClaimedQueue[],
  limit: number,
): Promise<Map<string, Delivery[]>> {
  const [first] = queues;
  if (!first) return new Map();
  const ids = queues.map(({ id }) => id);
  const deliveries = await prisma.$queryRaw<Delivery[]>(Prisma.sql`
    SELECT delivery.* FROM unnest(${ids}::uuid[]) AS queue("id") CROSS JOIN LATERAL
      (SELECT * FROM "Delivery" WHERE "workspaceId" = ${first.workspaceId}::uuid AND "queueId" = queue."id"
        ORDER BY "queuedAt", "position" LIMIT ${limit}::int) AS delivery`);
  return groupBy(deliveries, ({ queueId }) => queueId as string);
}

/**
 * Gives claimed queues of a workspace back; the next message of each may follow at once,
 * or at a time.
 */
export async function releaseQueues(
  prisma: PrismaClient,
  queues: readonly ClaimedQueue[],
  availableAt?: Date,
): Promise<void> {
  const [first] = queues;
  if (!first) return;
  // If the claim has run out, another instance may have claimed the queue.
  const where = {
    workspaceId: first.workspaceId,
    id: { in: queues.map(({ id }) => id) },
    availableAt: first.claimedUntil,
  };
  if (availableAt) await prisma.deliveryQueue.updateMany({ where, data: { availableAt } });
  else await prisma.deliveryQueue.deleteMany({ where });
}

/** Has all deliveries to a target wait after another failure. */
export async function pauseTarget(
  prisma: PrismaClient,
  { workspaceId, targetId }: DueQueue,
  failures: number,
  retryAt: Date,
): Promise<void> {
  const where = { workspaceId_id: { workspaceId, id: targetId } };
  await prisma.deliveryTarget.upsert({
    where,
    create: { workspaceId, id: targetId, failures, retryAt },
    update: { failures, retryAt },
  });
}

/** Forgets the failures of a target. */
export async function resumeTarget(prisma: PrismaClient, { workspaceId, targetId }: DueQueue): Promise<void> {
  await prisma.deliveryTarget.deleteMany({ where: { workspaceId, id: targetId } });
}

/**
 * Forgets the failures of targets, which are locked in their order, so that nobody
 * deadlocks.
 */
export async function resumeTargets(
  transaction: Prisma.TransactionClient,
  { workspaceId, targetIds }: { workspaceId: string; targetIds: readonly string[] },
): Promise<void> {
  const ofTargets = Prisma.sql`"workspaceId" = ${workspaceId}::uuid AND "id" = ANY(${[...targetIds]}::uuid[])`;
  await transaction.$executeRaw(Prisma.sql`
    DELETE FROM "DeliveryTarget" WHERE ${ofTargets}
      AND "id" = ANY(ARRAY(SELECT "id" FROM "DeliveryTarget" WHERE ${ofTargets} ORDER BY "id" FOR UPDATE))`);
}

/**
 * Gives up what has been tried for too long to deliver to a target, of whichever queue;
 * returns how many deliveries these were.
 */
export async function parkExpired(
  prisma: PrismaClient,
  { workspaceId, targetId }: DueQueue,
  now: Date,
  reason: string,
): Promise<number> {
  let parked = 0;
  for (let batch = maxParkedAtOnce; batch === maxParkedAtOnce; parked += batch) {
    batch = await prisma.$executeRaw(Prisma.sql`
      UPDATE "Delivery" SET "state" = 'PARKED', "queueId" = NULL, "lastError" = ${reason}
      WHERE "workspaceId" = ${workspaceId}::uuid AND "id" = ANY(ARRAY(
        SELECT "id" FROM "Delivery"
        WHERE "workspaceId" = ${workspaceId}::uuid AND "state" = 'PENDING' AND "targetId" = ${targetId}::uuid
          AND "createdAt" <= ${new Date(now.getTime() - lifetimeMs)}::timestamptz AND "expiresAt" <= ${now}::timestamptz
        ORDER BY "createdAt" LIMIT ${maxParkedAtOnce}::int FOR UPDATE SKIP LOCKED))`);
  }
  return parked;
}

/**
 * When the next queue or target of a workspace has waited long enough, of all that wait.
 */
export async function nextAvailability(
  prisma: PrismaClient,
  workspaceId: string,
  now: Date,
): Promise<Date | undefined> {
  const later = { gt: now };
  const [queue, target] = await Promise.all([
    prisma.deliveryQueue.findFirst({
      where: { workspaceId, availableAt: later },
      orderBy: { availableAt: "asc" },
      select: { availableAt: true },
    }),
    prisma.deliveryTarget.findFirst({
      where: { workspaceId, retryAt: later },
      orderBy: { retryAt: "asc" },
      select: { retryAt: true },
    }),
  ]);
  const times = [queue?.availableAt, target?.retryAt].filter((time) => time !== undefined).map(Number);
  return times.length > 0 ? new Date(Math.min(...times)) : undefined;
}
