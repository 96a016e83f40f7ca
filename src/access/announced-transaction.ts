import type { Database } from "../database/client.js";
import type { EventHub } from "../events/event-hub.js";
import type { Prisma } from "../generated/prisma/client.js";
import type { GatewayEvent } from "../platform/topics.js";

/** Milliseconds that a write may wait for its turn, and may take. */
const transactionLimits = { maxWait: 10_000, timeout: 20_000 };

/** Says that something happened, once the transaction is committed. */
export type Announce = (...events: GatewayEvent[]) => void;

/** Runs a write in a transaction; what it announces is sent if it is committed, and before it is answered. */
export async function runAnnounced<Result>(
  { database, events }: { database: Database; events: EventHub },
  work: (transaction: Prisma.TransactionClient, announce: Announce) => Promise<Result>,
): Promise<Result> {
  const announced: GatewayEvent[] = [];
  const result = await database.prisma.$transaction(async (transaction) => {
    const outcome = await work(transaction, (...happened) => void announced.push(...happened));
    await events.enclose(transaction, announced);
    return outcome;
  }, transactionLimits);
  await events.publish(announced);
  return result;
}
