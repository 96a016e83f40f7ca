import type { RequestOrigin, Session } from "../access/authenticator.js";
import type { Caller } from "../access/permissions.js";
import type { RawTransaction, RunRawTransaction } from "../database/raw-transaction.js";
import type { ReadStatement } from "../database/statement-text.js";
import { throwIfCancelled } from "../platform/queues/cancellation.js";
import { countedClient, countedRead } from "../platform/telemetry/counted-client.js";
import { AnswerSize } from "../reading/answer-size.js";
import { LoaderStore } from "../reading/loader.js";
import { MissingRows } from "../reading/missing-rows.js";
import { VisibleRecords } from "../reading/visibility.js";
import type { GatewayServices } from "./gateway-services.js";
import type { KeyedRequest } from "./idempotency.js";
import {
  failRepeatable,
  readIn,
  runInRawTransaction,
  runInTransaction,
  type TransactionEffects,
} from "./transaction.js";
import { RawWriteAccess, WriteAccess } from "./write.js";

/**
 * A request without a caller: not authenticated yet, or for a public operation, whose
 * context it is.
 */
export interface AnonymousRequest {
  readonly services: GatewayServices;
  readonly origin: RequestOrigin;
}

/** A mutation of an operation. */
interface Mutation {
  /** Its place among the mutations of the operation. */
  readonly position: number;
  outcome: Promise<unknown> | undefined;
  /** The result of its write, once that is committed. */
  written?: { result: unknown };
}

const hasFailed = (outcome: Promise<unknown> | undefined): Promise<boolean> =>
  Promise.resolve(outcome).then(
    () => false,
    () => true,
  );

/** The caller at one point of a request, and what they may see. */
interface CallerAccess {
  session: Session;
  visible: VisibleRecords;
  /** Whether the session has to be revalidated before the next write. */
  isOutdated: boolean;
}

/**
 * The context of an operation: who calls it, what they may see, and what has been read
 * for them so far.
 */
export class RequestContext implements AnonymousRequest {
  readonly services: GatewayServices;
  readonly origin: RequestOrigin;
  readonly loaders = new LoaderStore();
  readonly answerSize = new AnswerSize();
  readonly missing: MissingRows;
  /** The request with its idempotency key, if it has one that counts. */
  keyedRequest: KeyedRequest | undefined;
  /** The mutations of the operation that have begun, by their names in the response. */
  readonly #mutations: Map<string, Mutation>;
  /** The one that runs. */
  #mutation: Mutation | undefined;
  /**
   * The only reference of a context that changes, and only in a write: the later fields
   * of a mutation document must see what the earlier ones wrote, including changes of the
   * caller's own permissions.
   */
  #access: CallerAccess;

  constructor({ services, origin }: AnonymousRequest, session: Session, earlier?: RequestContext) {
    this.services = services;
    this.origin = origin;
    this.missing = new MissingRows(earlier?.missing);
    this.keyedRequest = earlier?.keyedRequest;
    this.#mutations = earlier ? earlier.#mutations : new Map();
    this.#access = this.#accessOf(session);
  }

  /**
   * The context in which the operation runs again because rows were {@link missing}: for
   * its caller as stored now, and without what refers to those rows. Mutations keep their
   * outcomes.
   */
  async again(): Promise<RequestContext> {
    const session = await this.services.authenticator.revalidate(this.session, this.origin);
    const { caller } = session;
    const removedCameraIds = [...caller.removedCameraIds, ...this.missing.idsOf("cameras")];
    return new RequestContext(
      this,
      {
        ...session,
        caller: { ...caller, removedCameraIds, missingFacilityIds: this.missing.idsOf("facilities") },
      },
      this,
    );
  }

  /**
   * Runs a mutation, unless an earlier run of its operation has. One that failed after
   * its write only reads again what it returns.
   */
  async runOnce(responseName: string, mutate: () => unknown): Promise<unknown> {
    const known = this.#mutations.get(responseName);
    if (known && !(known.written && (await hasFailed(known.outcome)))) return known.outcome;
    const mutation: Mutation = known ?? { position: this.#mutations.size, outcome: undefined };
    this.#mutations.set(responseName, mutation);
    this.#mutation = mutation;
    mutation.outcome = (async () => mutate())();
    return mutation.outcome;
  }

  /**
   * Discards what was read for an answer that is abandoned: the executor reads it in
   * another form.
   */
  discardRead(): void {
    this.loaders.clear();
    this.answerSize.clear();
  }

  /**
   * Whether a mutation, by its name in the response, has written, or without a name,
   * whether any has.
   */
  hasWritten(responseName?: string): boolean {
    const mutations = [...this.#mutations].filter(
      ([name]) => responseName === undefined || name === responseName,
    );
    return mutations.some(([, { written }]) => written !== undefined);
  }

  get session(): Session {
    return this.#access.session;
  }

  get caller(): Caller {
    return this.#access.session.caller;
  }

  /** The database as the caller may see it. */
  get visible(): VisibleRecords {
    return this.#access.visible;
  }

  /**
   * Runs one write in a transaction of its own, unless it has been committed: earlier in
   * this request, or in one with the same idempotency key, whose result it returns then.
   * A mutation has at most one. Whatever follows in the same request sees what it
   * changed. With `keepsAccess`, it never changes what anybody may see or do, and the
   * caller is not loaded again before another write follows. A cached caller is checked
   * in the transaction, which ends without a commit if they have changed.
   */
  write<Result>(
    work: (write: WriteAccess) => Promise<Result>,
    { keepsAccess = false } = {},
  ): Promise<Result> {
    const { services, origin } = this;
    const { findCommitOutcome } = services.database;
    const prisma = countedClient(services.database.prisma, origin.logEntry);
    return this.#followed(keepsAccess, (session) =>
      runInTransaction(
        { database: { prisma, findCommitOutcome }, events: services.events },
        async (transaction, effects) => {
          // The client may have gone while this waited for a connection. What has begun
          // is brought to its end.
          throwIfCancelled(origin);
          const verified = session.check?.verify(readIn(transaction));
          // It is waited for after the work, and may fail before.
          verified?.catch(() => {});
          const write = new WriteAccess(
            transaction,
            session.caller,
            services.now(),
            this.#withTrace(effects),
          );
          const outcome = await this.#withKey(transaction, write, work);
          await verified;
          return outcome;
        },
      ),
    );
  }

  /**
   * The same for a write by raw statements that never changes what anybody may see or do,
   * which may itself check the caller, and may be repeated.
   */
  writeRaw<Result>(work: (write: RawWriteAccess) => Promise<Result>): Promise<Result> {
    const { services, origin } = this;
    const { findCommitOutcome } = services.database;
    const transact: RunRawTransaction = (inTransaction, limits) =>
      services.database.transact(
        (transaction) => inTransaction(countedClient(transaction, origin.logEntry)),
        limits,
      );
    return this.#followed(true, (session) =>
      runInRawTransaction(
        { database: { transact, findCommitOutcome }, events: services.events },
        async (transaction, effects) => {
          throwIfCancelled(origin);
          const write = new RawWriteAccess(
            transaction,
            session.caller,
            services.now(),
            this.#withTrace(effects),
            session.check,
          );
          const outcome = await this.#withKey(transaction, write, work);
          await session.check?.verify(readIn(transaction));
          return outcome;
        },
      ).catch(failRepeatable),
    );
  }

  /**
   * Runs a write with the current session, and has the rest of the request see what it
   * changed.
   */
  async #followed<Result>(
    keepsAccess: boolean,
    write: (session: Session) => Promise<Result>,
  ): Promise<Result> {
    const mutation = this.#mutation;
    if (mutation?.written) return mutation.written.result as Result;
    const session = this.#access.isOutdated
      ? await this.services.authenticator.revalidate(this.session)
      : this.session;
    const result = await write(session);
    if (mutation) mutation.written = { result };
    this.loaders.clear();
    this.#access = keepsAccess
      ? { ...this.#accessOf(session), isOutdated: true }
      : await this.#accessAfterWrite(session);
    return result;
  }

  /**
   * Runs the work of a write, unless it was committed by a request with the same key;
   * then its result is returned.
   */
  async #withKey<Write extends RawWriteAccess, Result>(
    transaction: RawTransaction,
    write: Write,
    work: (write: Write) => Promise<Result>,
  ): Promise<Result> {
    const { keyedRequest } = this;
    if (!keyedRequest || !this.#mutation) return work(write);
    const { caller, now } = write;
    const { position } = this.#mutation;
    const earlier = await keyedRequest.find(readIn(transaction), caller, position, now);
    if (earlier) return earlier.result as Result;
    const result = await work(write);
    write.send(keyedRequest.keep(result, caller, position, now));
    return result;
  }

  /** Emits events with the trace of this request, if there is one. */
  #withTrace(effects: TransactionEffects): TransactionEffects {
    const traceparent = this.origin.logEntry.trace?.traceparent;
    return traceparent === undefined
      ? effects
      : {
          ...effects,
          emit: (...events) => effects.emit(...events.map((event) => ({ ...event, traceparent }))),
        };
  }

  /**
   * Never fails: the write is committed, and is reported even if it ended the caller's
   * own access or the database has gone away.
   */
  async #accessAfterWrite(session: Session): Promise<CallerAccess> {
    const { authenticator, log } = this.services;
    try {
      return this.#accessOf(await authenticator.revalidate(session, this.origin));
    } catch (error) {
      log.debug({ err: error }, "the caller could not be revalidated after a write");
      return { ...this.#access, isOutdated: true };
    }
  }

  #accessOf(session: Session): CallerAccess {
    const { caller, check } = session;
    const { database, statements, now } = this.services;
    const { origin } = this;
    // Nothing more is read for a client that has gone.
    const readInTurn: ReadStatement = (statement) =>
      statements.run(caller, () => database.read(statement), origin);
    const read = countedRead(readInTurn, origin.logEntry);
    return { session, visible: new VisibleRecords({ read, now }, caller, check), isOutdated: false };
  }
}
