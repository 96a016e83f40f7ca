import type { Database } from "../database/client.js";
import type { EventHub } from "../events/event-hub.js";
import type { GatewayEvent } from "../events/gateway-event.js";
import type { Prisma } from "../generated/prisma/client.js";

/** How long a write may wait for a connection, and how long it may take; in milliseconds. */
const transactionLimits = { maxWait: 10_000, timeout: 20_000 };

/** Emits events once the transaction is committed. */
export type Emit = (...events: GatewayEvent[]) => void;

/** Runs a write in a transaction. The events that it emits are sent if it is committed, before the result is returned. */
export async function runInTransaction<Result>(
  { database, events }: { database: Pick<Database, "prisma">; events: EventHub },
  work: (transaction: Prisma.TransactionClient, emit: Emit) => Promise<Result>,
): Promise<Result> {
  const emitted: GatewayEvent[] = [];
  const result = await database.prisma.$transaction(async (transaction) => {
    const outcome = await work(transaction, (...occurred) => void emitted.push(...occurred));
    await events.publishInTransaction(transaction, emitted);
    return outcome;
  }, transactionLimits);
  await events.publish(emitted);
  return result;
}
