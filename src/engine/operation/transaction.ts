import { Prisma } from "../../generated/prisma/client.js";
import { isAbortedTransaction, isConnectionLost } from "../../platform/errors/database-errors.js";
import { ServiceError, UnsafeRetryError } from "../../platform/errors/errors.js";
import { countedTransact } from "../../platform/telemetry/counted-client.js";
import type { RequestOrigin } from "../access/authenticator.js";
import type { Database } from "../database/client.js";
import type { AuditEntryKey } from "../database/commit-outcome.js";
import type { ReadStatement } from "../database/statement-text.js";
import type { RawStatements, Transaction } from "../database/transaction.js";
import type { EventHub } from "../events/event-hub.js";
import { type DomainEvent, type GatewayEvent, type Reaction, sharedEvent } from "../events/gateway-event.js";
import { type AuditActor, type AuditRecord, auditEntries } from "./audit-entries.js";

export const readIn =
  (transaction: RawStatements): ReadStatement =>
  ({ strings, values }) =>
    transaction.$queryRaw(new Prisma.Sql(strings, values));

/** The effects of a transaction besides statements whose results the work awaits. */
export interface TransactionEffects {
  /** Emits an event once the transaction is committed, and adds to the transaction what follows from it. */
  emit(domainEvent: DomainEvent & { traceparent?: string }, at: { workspaceId: string; now: Date }): void;
  /** Runs a statement without waiting for its result. If it fails, the transaction fails with its error. */
  send(statement: Prisma.Sql): void;
  /** Adds entries to the audit log. If COMMIT gets no answer, they identify the transaction. */
  audit(actor: AuditActor, records: readonly AuditRecord[]): void;
}

interface TransactionServices {
  database: Pick<Database, "transact" | "findCommitOutcome">;
  events: EventHub;
  react?: Reaction;
}

/** The connection was lost before COMMIT was answered, and the database could not tell the outcome since. */
class UnknownCommitError extends UnsafeRetryError {
  constructor(cause: unknown) {
    super(
      "It is not known whether the change was made: the connection to the database was lost during its commit. With the Idempotency-Key of this request it is safe to retry; without one, look first",
      { cause },
    );
  }
}

/** Rethrows an error. For a repeatable write whose outcome is unknown, throws only the cause. */
export function failRepeatable(error: unknown): never {
  throw error instanceof UnknownCommitError ? error.cause : error;
}

/**
 * Runs a write in a transaction, which is rolled back if the work fails. If the transaction commits, its events are
 * sent before the result is returned. Statements sent at the end travel with the commit, which the database turns into
 * a rollback if one of them fails. If the connection is lost before the commit is answered, the outcome is looked up.
 * Without an origin, the gateway makes the changes by itself.
 */
export async function runInTransaction<Result>(
  { database, events, react = () => [] }: TransactionServices,
  work: (transaction: Transaction, effects: TransactionEffects) => Promise<Result>,
  origin?: RequestOrigin,
): Promise<Result> {
  const emitted: GatewayEvent[] = [];
  /** The workspaces with work for background workers. */
  const withWork = new Set<string>();
  const sent: Promise<unknown>[] = [];
  let entry: AuditEntryKey | undefined;
  let finished: { result: Result; processId: number | undefined } | undefined;
  const transact = origin ? countedTransact(database.transact, origin.logEntry) : database.transact;
  const transacting = transact(async (transaction) => {
    const send = (statement: Prisma.Sql) => {
      const running = transaction.$executeRaw(statement);
      running.catch(() => {});
      sent.push(running);
    };
    const audit: TransactionEffects["audit"] = (actor, records) => {
      if (records.length === 0) return;
      const { statement, first } = auditEntries(actor, records, origin ?? { via: "GATEWAY" });
      entry ??= first;
      send(statement);
    };
    const emit: TransactionEffects["emit"] = (domainEvent, at) => {
      const { workspaceId } = at;
      const event = sharedEvent(domainEvent, workspaceId);
      if (event) emitted.push(event);
      else withWork.add(workspaceId);
      for (const statement of react(domainEvent, at)) send(statement);
    };
    const result = await work(transaction, { emit, send, audit });
    const publication = events.publication(emitted);
    if (publication) send(publication);
    finished = { result, processId: transaction.processId };
  });
  const [outcome] = await Promise.allSettled([transacting]);
  // A refusal by the work itself is no consequence of a failed statement.
  if (outcome.status === "rejected" && outcome.reason instanceof ServiceError) throw outcome.reason;
  const failures = (await Promise.allSettled(sent)).flatMap((each) =>
    each.status === "rejected" ? [each.reason] : [],
  );
  if (outcome.status === "rejected") failures.push(outcome.reason);
  if (!finished) throw causeOf(failures);
  if (outcome.status === "rejected" || failures.length > 0) {
    const cause = causeOf(failures);
    // Without an audit entry, nothing was changed, or repeating the write has the same result.
    if (!entry || !isConnectionLost(cause)) throw cause;
    const found = await database
      .findCommitOutcome(finished.processId, entry)
      .catch((failure) => Promise.reject(new UnknownCommitError(failure)));
    if (found === "rolled back") throw cause;
    if (found === "unknown") throw new UnknownCommitError(cause);
  }
  await events.publish(emitted);
  for (const workspaceId of withWork) events.announceWork(workspaceId);
  return finished.result;
}

/** The first original failure. After a failure, the database refuses all other statements of the transaction. */
const causeOf = (failures: readonly unknown[]): unknown =>
  failures.find((failure) => !isAbortedTransaction(failure)) ?? failures[0];
