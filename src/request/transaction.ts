import type { Database, ReadStatement } from "../database/client.js";
import type { EventHub } from "../events/event-hub.js";
import type { GatewayEvent } from "../events/gateway-event.js";
import { Prisma } from "../generated/prisma/client.js";

/**
 * How long a write may wait for a connection, and how long it may take before its commit is sent; in milliseconds. The commit waits for the
 * statements that were sent before it, each of which is bounded by the database's own time-out.
 */
const transactionLimits = { maxWait: 10_000, timeout: 20_000 };

/** Reads in a transaction. */
export const readIn =
  (transaction: Prisma.TransactionClient): ReadStatement =>
  ({ strings, values }) =>
    transaction.$queryRaw(new Prisma.Sql(strings, values));

/** What a transaction does besides running statements whose results are waited for. */
export interface TransactionEffects {
  /** Emits events once the transaction is committed. */
  emit(...events: GatewayEvent[]): void;
  /** Runs a raw statement without waiting for its result. If it fails, the transaction does, with its error. */
  send(statement: Prisma.Sql): void;
}

/**
 * Runs a write in a transaction. The events that it emits are sent if it is committed, before the result is returned. What is sent at its end
 * goes together with the commit, which the database turns into a rollback if a statement has failed.
 */
export async function runInTransaction<Result>(
  { database, events }: { database: Pick<Database, "prisma">; events: EventHub },
  work: (transaction: Prisma.TransactionClient, effects: TransactionEffects) => Promise<Result>,
): Promise<Result> {
  const emitted: GatewayEvent[] = [];
  const sent: Promise<unknown>[] = [];
  const transacting = database.prisma.$transaction(async (transaction) => {
    const send = (statement: Prisma.Sql) => {
      const running = transaction.$executeRaw(statement);
      // It is waited for in the end.
      running.catch(() => {});
      sent.push(running);
    };
    const outcome = await work(transaction, { emit: (...occurred) => void emitted.push(...occurred), send });
    const publication = events.publication(emitted);
    if (publication) send(publication);
    return outcome;
  }, transactionLimits);
  const [outcome] = await Promise.allSettled([transacting]);
  await assertSucceeded(sent);
  if (outcome.status === "rejected") throw outcome.reason;
  await events.publish(emitted);
  return outcome.value;
}

/** Fails as the first statement that failed: those after it fail because of it. */
async function assertSucceeded(statements: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(statements)).find(({ status }) => status === "rejected");
  if (failed) throw (failed as PromiseRejectedResult).reason;
}
