import type { Database } from "../database/client.js";
import type { RawTransaction } from "../database/raw-transaction.js";
import type { ReadStatement } from "../database/statement-text.js";
import type { EventHub } from "../events/event-hub.js";
import type { GatewayEvent } from "../events/gateway-event.js";
import { Prisma } from "../generated/prisma/client.js";
import { isAbortedTransaction } from "../platform/database-errors.js";
import { ServiceError } from "../platform/errors.js";

/**
 * How long a write may wait for a connection, and how long it may take before its commit is sent; in milliseconds. The commit waits for the
 * statements that were sent before it, each of which is bounded by the database's own time-out.
 */
const transactionLimits = { maxWait: 10_000, timeout: 20_000 };

/** Reads in a transaction. */
export const readIn =
  (transaction: RawTransaction): ReadStatement =>
  ({ strings, values }) =>
    transaction.$queryRaw(new Prisma.Sql(strings, values));

/** What a transaction does besides running statements whose results are waited for. */
export interface TransactionEffects {
  /** Emits events once the transaction is committed. */
  emit(...events: GatewayEvent[]): void;
  /** Runs a raw statement without waiting for its result. If it fails, the transaction does, with its error. */
  send(statement: Prisma.Sql): void;
}

/** Work of a transaction; it is rolled back if the work fails. */
type TransactionWork<Transaction, Result> = (transaction: Transaction, effects: TransactionEffects) => Promise<Result>;

/**
 * Runs a write in a transaction. The events that it emits are sent if it is committed, before the result is returned. What is sent at its end
 * goes together with the commit, which the database turns into a rollback if a statement has failed.
 */
export function runInTransaction<Result>(
  { database, events }: { database: Pick<Database, "prisma">; events: EventHub },
  work: TransactionWork<Prisma.TransactionClient, Result>,
): Promise<Result> {
  return withEffects((withTransaction) => database.prisma.$transaction(withTransaction, transactionLimits), events, work);
}

/** The same for a write by raw statements alone, without Prisma. */
export function runInRawTransaction<Result>(
  { database, events }: { database: Pick<Database, "transact">; events: EventHub },
  work: TransactionWork<RawTransaction, Result>,
): Promise<Result> {
  return withEffects((withTransaction) => database.transact(withTransaction, transactionLimits), events, work);
}

async function withEffects<Transaction extends RawTransaction, Result>(
  transact: (work: (transaction: Transaction) => Promise<Result>) => Promise<Result>,
  events: EventHub,
  work: TransactionWork<Transaction, Result>,
): Promise<Result> {
  const emitted: GatewayEvent[] = [];
  const sent: Promise<unknown>[] = [];
  const transacting = transact(async (transaction) => {
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
  });
  const [outcome] = await Promise.allSettled([transacting]);
  // What the work refuses is no consequence of a statement.
  if (outcome.status === "rejected" && outcome.reason instanceof ServiceError) throw outcome.reason;
  const failures = (await Promise.allSettled(sent)).flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  if (outcome.status === "rejected") failures.push(outcome.reason);
  if (outcome.status === "rejected" || failures.length > 0) throw causeOf(failures);
  await events.publish(emitted);
  return outcome.value;
}

/** The first failure that is not the consequence of another: after one, the database refuses all other statements of the transaction. */
const causeOf = (failures: readonly unknown[]): unknown => failures.find((failure) => !isAbortedTransaction(failure)) ?? failures[0];
