import type { Database } from "../../../engine/database/client.js";
import type { Transaction } from "../../../engine/database/transaction.js";
import type { Delivery, Prisma, PrismaClient } from "../../../generated/prisma/client.js";
import { defined } from "../../../platform/defined.js";

/** What an attempt changes in the rows of its deliveries. */
interface Outcome extends Prisma.DeliveryUpdateManyMutationInput {
  state?: "SENT" | "PARKED";
  lastError: string | null;
  sentAt?: Date;
}

/**
 * Records the outcome of pending deliveries of a workspace, and deletes those that nobody wants any more. Stream
 * requests keep their outcome, with the time of the next attempt, so their deliveries are deleted when they end.
 * Requests are written before deliveries, in the order in which purging a camera deletes them.
 */
export async function recordOutcome(
  { prisma, transact }: Pick<Database, "prisma" | "transact">,
  deliveries: readonly Delivery[],
  outcome: Outcome | "unwanted",
  retryAt: Date | null = null,
): Promise<void> {
  const [first] = deliveries;
  if (!first) return;
  const { workspaceId, streamRequestId } = first;
  const where = { workspaceId, id: { in: deliveries.map(({ id }) => id) }, state: "PENDING" };
  const update = ({ delivery }: Pick<Transaction, "delivery">) =>
    outcome === "unwanted" || (outcome.state && streamRequestId !== null)
      ? delivery.deleteMany({ where })
      : delivery.updateMany({ where, data: outcome });
  if (streamRequestId === null) {
    // Otherwise instances of version 0.3 would queue the mail again, as lost.
    if (outcome === "unwanted" && deliveries.some(({ invitationId }) => invitationId !== null))
      await prisma.invitation.updateMany({
        where: { workspaceId, mailId: { in: deliveries.map(({ id }) => id) } },
        data: { mailId: null },
      });
    await update(prisma);
    return;
  }
  const { lastError, sentAt } = outcome === "unwanted" ? {} : outcome;
  await transact(async (transaction) => {
    await transaction.streamRequest.updateMany({
      // Another instance may have delivered the request after this claim ended.
      where: { ...requestsOf(deliveries), deliveredAt: null },
      data: {
        nextDeliveryAt: retryAt,
        ...(lastError !== undefined && { deliveryError: lastError }),
        ...(sentAt && { deliveredAt: sentAt }),
      },
    });
    await update(transaction);
  });
}

/**
 * Counts an attempt to post a stream request before it begins, so that the count includes attempts that a
 * crash interrupts. Returns false if the request is not to be posted any more.
 */
export async function countAttempt(prisma: PrismaClient, delivery: Delivery): Promise<boolean> {
  const { count } = await prisma.streamRequest.updateMany({
    where: { ...requestsOf([delivery]), nextDeliveryAt: { not: null } },
    data: { deliveryCount: { increment: 1 } },
  });
  return count > 0;
}

const requestsOf = (deliveries: readonly Delivery[]) => ({
  workspaceId: defined(deliveries[0]).workspaceId,
  id: { in: deliveries.flatMap(({ streamRequestId }) => streamRequestId ?? []) },
});
