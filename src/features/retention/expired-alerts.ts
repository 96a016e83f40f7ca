import type { Transact, Transaction } from "../../engine/database/transaction.js";
import { type Alert, Prisma } from "../../generated/prisma/client.js";
import { later } from "../../platform/time.js";
import { scheduleAlertPictureRemoval } from "../alert/pictures/annotated-picture.service.js";
import { BatchSize } from "./batch-size.js";
import { deleteBatch } from "./delete-batch.js";
import type { PurgeBatch } from "./workspace-rounds.js";

const maxAtOnce = 1_000;
/** The maximum number of comments and deliveries deleted with the alerts of a batch, unless a single alert has more. */
const maxDependents = 5_000;
/** The limit of a batch, in milliseconds. */
const limits = { timeout: 30_000 };

/** The position of an alert in the order of times. */
type AlertPosition = Pick<Alert, "createdAt" | "id">;

type ExpiredAlert = AlertPosition & Pick<Alert, "url" | "thumbnailUrl"> & { dependents: number };

/**
 * The result of a batch: the number of purged alerts, and the alert before the next batch, if there may be
 * more.
 */
interface PurgedBatch {
  purged: number;
  end: AlertPosition | undefined;
}

/**
 * Purges a workspace's alerts after a number of days, the oldest first, with their comments, deliveries and pictures,
 * and reports how many. Bookmarked alerts stay. Subscribers get no events: one for each alert would be more than they
 * can take, and nobody watches alerts of that age.
 */
export function expiredAlerts(
  transact: Transact,
  days: number,
  onPurged: (workspaceId: string, alerts: number) => void,
): PurgeBatch {
  /** The start of the next batch of a workspace, so that bookmarked alerts are passed only once. */
  const ends = new Map<string, AlertPosition>();
  const size = new BatchSize(maxAtOnce);
  return async (workspaceId, now) => {
    const before = later(now, -days * 24 * 3_600_000);
    const from = ends.get(workspaceId);
    // If the batch fails, the next round begins at the oldest alert again.
    ends.delete(workspaceId);
    const batch = { workspaceId, before, from, size: size.rows };
    const startedAt = performance.now();
    const { purged, end } = await transact((transaction) => purgeBatch(transaction, batch, now), limits);
    size.note(purged, performance.now() - startedAt);
    if (end) ends.set(workspaceId, end);
    if (purged > 0) onPurged(workspaceId, purged);
    return end !== undefined;
  };
}

async function purgeBatch(
  transaction: Transaction,
  {
    workspaceId,
    before,
    from,
    size,
  }: { workspaceId: string; before: Date; from: AlertPosition | undefined; size: number },
  now: Date,
): Promise<PurgedBatch> {
  const follows = from
    ? Prisma.sql`AND (alert."createdAt", alert."id") > (${from.createdAt}::timestamptz, ${from.id}::uuid)`
    : Prisma.empty;
  // Leave locked rows to the next round: a writer that never waits cannot deadlock.
  const expired = await transaction.$queryRaw<ExpiredAlert[]>(Prisma.sql`
    SELECT alert."id", alert."createdAt", alert."url", alert."thumbnailUrl",
      ((SELECT count(*) FROM "AlertComment" AS comment
        WHERE comment."workspaceId" = ${workspaceId}::uuid AND comment."alertId" = alert."id")
      + (SELECT count(*) FROM "Delivery" AS delivery
        WHERE delivery."workspaceId" = ${workspaceId}::uuid AND delivery."alertId" = alert."id"))::int AS "dependents"
    FROM "Alert" AS alert
    WHERE alert."workspaceId" = ${workspaceId}::uuid AND alert."createdAt" < ${before}::timestamptz ${follows} AND NOT alert."bookmark"
    ORDER BY alert."createdAt", alert."id" LIMIT ${size}::int FOR UPDATE OF alert SKIP LOCKED`);
  const alerts = withFewDependents(expired);
  const ids = alerts.map(({ id }) => id);
  if (ids.length > 0) {
    const ofAlerts = Prisma.sql`"alertId" = ANY(${ids}::uuid[])`;
    const deliveries = {
      table: "Delivery",
      workspaceId,
      condition: ofAlerts,
      size: maxDependents,
      locked: "skip",
    } as const;
    await deleteBatch(transaction, deliveries, Prisma.sql`"id"`);
    // Deleting alerts deletes their comments. Triggers maintain the counts.
    await transaction.$executeRaw(
      Prisma.sql`DELETE FROM "Alert" WHERE "workspaceId" = ${workspaceId}::uuid AND "id" = ANY(${ids}::uuid[])`,
    );
    await scheduleAlertPictureRemoval(transaction, workspaceId, alerts, now);
  }
  const isMoreLeft = alerts.length < expired.length || expired.length === size;
  return { purged: ids.length, end: isMoreLeft ? alerts.at(-1) : undefined };
}

/** The first alerts of a list whose dependents fit into a batch; at least one. */
function withFewDependents(alerts: readonly ExpiredAlert[]): ExpiredAlert[] {
  let sum = 0;
  const tooMany = alerts.findIndex(({ dependents }, index) => {
    sum += dependents;
    return index > 0 && sum > maxDependents;
  });
  return tooMany < 0 ? [...alerts] : alerts.slice(0, tooMany);
}
