import { later } from "../../../platform/time.js";
// The outbox of notifications, mails to people and stream requests. Its rows are written
// together with the event (see alert-deliveries.ts), so a rollback removes them, and a
// commit keeps them. The outbox runs on the same mechanism as the gateway's other
// workers: a Worker that sleeps until something is due, and WorkspaceTurns. A job queue
// from the registry would have to serve both databases, keep an order per target with
// pauses that belong to the target, give workspaces turns in statements that name one of
// them, and still leave these rows for the API to list. None does.
//
// Only the state of a delivery says that it is pending, so no counter or flag can get out
// of step. Queries find queues by skipping from the first delivery of one to the first of
// the next. DeliveryQueue and DeliveryTarget hold only the queues and targets that must
// wait, and until when. Senders write both, and a request to send again clears the
// target. An upsert claims a queue: it either takes the queue, or finds that another
// instance has it. Nobody waits for a lock, and no transaction stays open while a target
// is slow.

import type { ReadStatement } from "../../../engine/database/statement-text.js";
import type { Transaction } from "../../../engine/database/transaction.js";
import { Due } from "../../../engine/leases/due.js";
import { isFollowing } from "../../../engine/leases/due-rows.js";
import type { FollowingWorkspaces } from "../../../engine/leases/workspace-turns.js";
import { type Delivery, Prisma, type PrismaClient } from "../../../generated/prisma/client.js";
import { defined } from "../../../platform/defined.js";
import { groupBy } from "../../../platform/group-by.js";

const maxParkedAtOnce = 1_000;

export interface DueQueue
  extends Pick<Delivery, "workspaceId" | "channel" | "kind" | "target" | "targetId" | "host"> {
  id: string;
  /** The number of consecutive failed attempts on the target. */
  failures: number;
}

/** A claimed queue. Other instances leave the queue alone until the claim ends. */
export interface ClaimedQueue extends DueQueue {
  claimedUntil: Date;
}

/** The gateway gives up on a delivery after this time. */
export const lifetimeMs = 24 * 3_600_000;

/**
 * The key of a queue: the deliveries about one subject, such as a rule, to one target. Tests and outages have queues of
 * their own, which neither wait for alerts nor merge with them; clips follow their alerts. The subject of a mail to a person is the mail itself.
 */
export const queueIdOf = (kind: Prisma.Sql, subjectId: Prisma.Sql, targetId: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`md5(CASE WHEN ${kind} = 'CLIP' THEN 'ALERT' WHEN ${kind} IN ('ALERT', 'TEST') THEN ${kind} ELSE 'OUTAGE' END || ' ' || ${subjectId} || ' ' || ${targetId})::uuid`;

/**
 * Queues sent or parked deliveries again, after all pending ones, in their original order. They keep their
 * ids, so that receivers recognize repetitions.
 */
export async function queueAgain(
  transaction: Transaction,
  { workspaceId, ids, expiresAt }: { workspaceId: string; ids: readonly string[]; expiresAt: Date },
): Promise<void> {
  const ofWorkspace = Prisma.sql`"workspaceId" = ${workspaceId}::uuid`;
  const subjectId = Prisma.sql`coalesce(again."alertRuleId", again."cameraId", again."facilityId", again."id")`;
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
 * The next workspace with pending deliveries, without the excluded ones. Every event asks for it, hence the
 * prepared statement.
 */
export async function workspaceWithDeliveries(
  read: ReadStatement,
  following: FollowingWorkspaces,
  except: readonly string[],
): Promise<{ workspaceId: string } | null> {
  const [found] = await read<{ workspaceId: string }>(Prisma.sql`
    SELECT "workspaceId" FROM "Delivery" WHERE ${isFollowing(following)} AND "workspaceId" <> ALL(${[...except]}::uuid[]) AND "queueId" IS NOT NULL
    ORDER BY "workspaceId" LIMIT 1`);
  return found ?? null;
}

/** The queues of a workspace that may send now, the longest waiting first, without those of excluded hosts. */
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
  const due = new Due(now);
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
    WHERE (queue."availableAt" IS NULL OR ${due.of(Prisma.sql`queue."availableAt"`)})
      AND (target."retryAt" IS NULL OR ${due.of(Prisma.sql`target."retryAt"`)})
      AND head."host" <> ALL(${[...withoutHosts]}::text[])
    ORDER BY head."queuedAt" LIMIT ${limit}::int`);
}

/** Claims queues of a workspace until a time. Returns those that no other instance had claimed. */
export async function claimQueues(
  prisma: PrismaClient,
  queues: readonly DueQueue[],
  now: Date,
  endOf: (queue: DueQueue) => Date,
): Promise<ClaimedQueue[]> {
  if (queues.length === 0) return [];
  const claims = queues.map((queue) => ({ ...queue, claimedUntil: endOf(queue) }));
  // Sort, so that instances that claim the same queues cannot deadlock.
  const rows = claims
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map(({ workspaceId, id, claimedUntil }) => {
      return Prisma.sql`(${workspaceId}::uuid, ${id}::uuid, ${claimedUntil}::timestamptz)`;
    });
  const claimed = await prisma.$queryRaw<{ id: string }[]>(Prisma.sql`
    INSERT INTO "DeliveryQueue" ("workspaceId", "id", "availableAt") VALUES ${Prisma.join(rows)}
    ON CONFLICT ("workspaceId", "id") DO UPDATE SET "availableAt" = EXCLUDED."availableAt" WHERE ${new Due(now).of(Prisma.sql`"DeliveryQueue"."availableAt"`)}
    RETURNING "id"`);
  const isClaimed = new Set(claimed.map(({ id }) => id));
  return claims.filter(({ id }) => isClaimed.has(id));
}

/** The next n deliveries of each queue of a workspace, in their order. */
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
  return groupBy(deliveries, ({ queueId }) => defined(queueId));
}

/** Releases claimed queues of a workspace. The next message of each may follow at once, or at a given time. */
export async function releaseQueues(
  prisma: PrismaClient,
  queues: readonly ClaimedQueue[],
  availableAt?: Date,
): Promise<void> {
  const [first] = queues;
  if (!first) return;
  // Another instance may have claimed the queue after this claim ended.
  const where = {
    workspaceId: first.workspaceId,
    id: { in: queues.map(({ id }) => id) },
    availableAt: first.claimedUntil,
  };
  if (availableAt) await prisma.deliveryQueue.updateMany({ where, data: { availableAt } });
  else await prisma.deliveryQueue.deleteMany({ where });
}

/** Makes all deliveries to a target wait after another failure. */
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

export async function resumeTarget(prisma: PrismaClient, { workspaceId, targetId }: DueQueue): Promise<void> {
  await prisma.deliveryTarget.deleteMany({ where: { workspaceId, id: targetId } });
}

/** Forgets the failures of targets. Locks them in order, so that concurrent writers cannot deadlock. */
export async function resumeTargets(
  transaction: Transaction,
  { workspaceId, targetIds }: { workspaceId: string; targetIds: readonly string[] },
): Promise<void> {
  const ofTargets = Prisma.sql`"workspaceId" = ${workspaceId}::uuid AND "id" = ANY(${[...targetIds]}::uuid[])`;
  await transaction.$executeRaw(Prisma.sql`
    DELETE FROM "DeliveryTarget" WHERE ${ofTargets}
      AND "id" = ANY(ARRAY(SELECT "id" FROM "DeliveryTarget" WHERE ${ofTargets} ORDER BY "id" FOR UPDATE))`);
}

/** Parks expired deliveries to a target, from all of its queues. Returns their number. */
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
          AND "createdAt" <= ${later(now, -lifetimeMs)}::timestamptz AND "expiresAt" <= ${now}::timestamptz
        ORDER BY "createdAt" LIMIT ${maxParkedAtOnce}::int FOR UPDATE SKIP LOCKED))`);
  }
  return parked;
}

/** The time at which the next waiting queue or target of a workspace becomes available. */
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
