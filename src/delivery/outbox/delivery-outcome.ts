import type { Delivery, Prisma, PrismaClient } from "../../generated/prisma/client.js";

/** What changes in the rows of deliveries with an attempt. */
export interface Outcome extends Pick<Prisma.DeliveryUpdateManyMutationInput, "attempts" | "refusals"> {
  state?: "SENT" | "PARKED";
  lastError: string | null;
  sentAt?: Date;
}

/**
 * Records the outcome of pending deliveries of a workspace. Stream requests keep theirs
 * themselves, with the time of the next attempt, so their deliveries are deleted when
 * they end. Requests are written before deliveries, in the order in which purging a
 * camera deletes them.
 */
export async function recordOutcome(
  prisma: PrismaClient,
  deliveries: readonly Delivery[],
  { state, lastError, sentAt, ...counts }: Outcome,
  retryAt: Date | null = null,
): Promise<void> {
  const [first] = deliveries;
  if (!first) return;
  const { workspaceId } = first;
  const where = { workspaceId, id: { in: deliveries.map(({ id }) => id) }, state: "PENDING" };
  const data = { ...counts, lastError, ...(sentAt && { sentAt }), ...(state && { state, queueId: null }) };
  if (first.streamRequestId === null) {
    await prisma.delivery.updateMany({ where, data });
    return;
  }
  await prisma.$transaction(async ({ streamRequest, delivery }) => {
    await streamRequest.updateMany({
      // Another instance may have delivered the request after this claim ended.
      where: { ...requestsOf(deliveries), deliveredAt: null },
      data: { nextDeliveryAt: retryAt, deliveryError: lastError, ...(sentAt && { deliveredAt: sentAt }) },
    });
    if (state) await delivery.deleteMany({ where });
    else await delivery.updateMany({ where, data });
  });
}

/** Deletes pending deliveries of a workspace that nobody wants any more. */
export async function dropDeliveries(prisma: PrismaClient, deliveries: readonly Delivery[]): Promise<void> {
  const [first] = deliveries;
  if (!first) return;
  const ids = deliveries.map(({ id }) => id);
  const where = { workspaceId: first.workspaceId, id: { in: ids }, state: "PENDING" };
  if (first.streamRequestId === null) {
    await prisma.delivery.deleteMany({ where });
    return;
  }
  await prisma.$transaction(async ({ streamRequest, delivery }) => {
    await streamRequest.updateMany({ where: requestsOf(deliveries), data: { nextDeliveryAt: null } });
    await delivery.deleteMany({ where });
  });
}

/**
 * Counts an attempt to post a stream request before it begins, so that the count includes
 * attempts that a crash interrupts. Returns false if the request is not to be posted any
 * more.
 */
export async function countAttempt(prisma: PrismaClient, delivery: Delivery): Promise<boolean> {
  const { count } = await prisma.streamRequest.updateMany({
    where: { ...requestsOf([delivery]), nextDeliveryAt: { not: null } },
    data: { deliveryCount: { increment: 1 } },
  });
  return count > 0;
}

const requestsOf = (deliveries: readonly Delivery[]) => ({
  workspaceId: (deliveries[0] as Delivery).workspaceId,
  id: { in: deliveries.flatMap(({ streamRequestId }) => streamRequestId ?? []) },
});
