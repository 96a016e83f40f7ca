import type { Database } from "../database/client.js";
import type { AuditEntryKey } from "../database/commit-outcome.js";
import type { RawTransaction } from "../database/raw-transaction.js";
import type { ReadStatement } from "../database/statement-text.js";
import type { EventHub } from "../events/event-hub.js";
import type { GatewayEvent } from "../events/gateway-event.js";
import { Prisma } from "../generated/prisma/client.js";
import { isAbortedTransaction, isConnectionLost } from "../platform/database-errors.js";
import { ServiceError, UnsafeRetryError } from "../platform/errors.js";
import { type AuditActor, type AuditRecord, auditEntries } from "./audit-entries.js";

/**
 * How long a write may wait for a connection, and how long it may take before its commit
 * is sent; in milliseconds. The commit waits for the statements that were sent before it,
 * each of which is bounded by the database's own time-out.
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
  /**
   * Runs a raw statement without waiting for its result. If it fails, the transaction
   * does, with its error.
   */
  send(statement: Prisma.Sql): void;
  /**
   * Adds entries to the audit log, by which the transaction is recognized should its
   * COMMIT not be answered.
   */
  audit(actor: AuditActor, records: readonly AuditRecord[]): void;
}

/** What transactions need of the gateway. */
interface TransactionServices {
  database: Pick<Database, "findCommitOutcome">;
  events: EventHub;
}

/**
 * It is not known whether a write was committed: the connection was lost before COMMIT
 * was answered, and the database could not tell since.
 */
export class UnknownCommitError extends UnsafeRetryError {
  constructor(cause: unknown) {
    super(
      "It is not known whether the change was made: the connection to the database was lost during its commit. With the Idempotency-Key of this request it is safe to retry; without one, look first",
      { cause },
    );
  }
}

/** Fails with the cause alone if a write that may be repeated has an unknown outcome. */
export function failRepeatable(error: unknown): never {
  throw error instanceof UnknownCommitError ? error.cause : error;
}

/** Work of a transaction; it is rolled back if the work fails. */
type TransactionWork<Transaction, Result> = (
  transaction: Transaction,
  effects: TransactionEffects,
) => Promise<Result>;

/**
 * Runs a write in a transaction. The events that it emits are sent if it is committed,
 * before the result is returned. What is sent at its end goes together with the commit,
 * which the database turns into a rollback if a statement has failed. If the connection
 * is lost before the commit is answered, it is found out what became of it.
 */
export function runInTransaction<Result>(
  services: TransactionServices & { database: Pick<Database, "prisma"> },
  work: TransactionWork<Prisma.TransactionClient, Result>,
): Promise<Result> {
  return withEffects(
    (withTransaction) => services.database.prisma.$transaction(withTransaction, transactionLimits),
    services,
    work,
  );
}

/** The same for a write by raw statements alone, without Prisma. */
export function runInRawTransaction<Result>(
  services: TransactionServices & { database: Pick<Database, "transact"> },
  work: TransactionWork<RawTransaction, Result>,
): Promise<Result> {
  return withEffects(
    (withTransaction) => services.database.transact(withTransaction, transactionLimits),
    services,
    work,
  );
}

async function withEffects<Transaction extends RawTransaction, Result>(
  transact: (work: (transaction: Transaction) => Promise<void>) => Promise<void>,
  { database, events }: TransactionServices,
  work: TransactionWork<Transaction, Result>,
): Promise<Result> {
  const emitted: GatewayEvent[] = [];
  const sent: Promise<unknown>[] = [];
  let entry: AuditEntryKey | undefined;
  let finished: { result: Result; processId: number | undefined } | undefined;
  const transacting = transact(async (transaction) => {
    const send = (statement: Prisma.Sql) => {
      const running = transaction.$executeRaw(statement);
      // It is waited for in the end.
      running.catch(() => {});
      sent.push(running);
    };
    const audit: TransactionEffects["audit"] = (actor, records) => {
      if (records.length === 0) return;
      const { statement, first } = auditEntries(actor, records);
      entry ??= first;
      send(statement);
    };
    const result = await work(transaction, {
      emit: (...occurred) => void emitted.push(...occurred),
      send,
      audit,
    });
    const publication = events.publication(emitted);
    if (publication) send(publication);
    finished = { result, processId: transaction.processId };
  });
  const [outcome] = await Promise.allSettled([transacting]);
  // What the work refuses is no consequence of a statement.
  if (outcome.status === "rejected" && outcome.reason instanceof ServiceError) throw outcome.reason;
  const failures = (await Promise.allSettled(sent)).flatMap((each) =>
    each.status === "rejected" ? [each.reason] : [],
  );
  if (outcome.status === "rejected") failures.push(outcome.reason);
  if (!finished) throw causeOf(failures);
  if (outcome.status === "rejected" || failures.length > 0) {
    const cause = causeOf(failures);
    // Without an entry nothing was changed, or nothing that would not be the same after a
    // repetition.
    if (!entry || !isConnectionLost(cause)) throw cause;
    const found = await database
      .findCommitOutcome(finished.processId, entry)
      .catch((failure) => Promise.reject(new UnknownCommitError(failure)));
    if (found === "rolled back") throw cause;
    if (found === "unknown") throw new UnknownCommitError(cause);
  }
  await events.publish(emitted);
  return finished.result;
}

/**
 * The first failure that is not the consequence of another: after one, the database
 * refuses all other statements of the transaction.
 */
const causeOf = (failures: readonly unknown[]): unknown =>
  failures.find((failure) => !isAbortedTransaction(failure)) ?? failures[0];
