import { throwIfCancelled } from "../../platform/queues/cancellation.js";
import { countedRead } from "../../platform/telemetry/counted-client.js";
import type { RequestOrigin, Session } from "../access/authenticator.js";
import type { Caller } from "../access/permissions.js";
import type { ReadStatement } from "../database/statement-text.js";
import { AnswerSize } from "../reading/answer-size.js";
import { LoaderStore } from "../reading/loader.js";
import { MissingRows } from "../reading/missing-rows.js";
import { OperationPlans, Selections } from "../reading/selection/selected-fields.js";
import { VisibleRecords } from "../reading/visibility.js";
import type { GatewayServices } from "./gateway-services.js";
import type { KeyedRequest } from "./idempotency.js";
import { failRepeatable, readIn, runInTransaction, type TransactionEffects } from "./transaction.js";
import { WriteAccess } from "./write.js";

/** A request as it came in, whether or not it is authenticated. The context of a public operation has no more. */
export interface GatewayRequest {
  readonly services: GatewayServices;
  readonly origin: RequestOrigin;
  readonly plans?: OperationPlans | undefined;
}

/** What a write promises. */
interface WriteOptions {
  /** What the audit log calls the write; by default the name of the mutation that makes it. */
  action?: string;
  /** Whether the write never changes anybody's access: the caller is loaded again only before another write. */
  keepsAccess?: boolean;
  /** Whether a statement of the work checks the caller ({@link WriteAccess.queryChecked}). */
  checksCaller?: boolean;
  /** Whether the write may be repeated if its outcome is unknown. */
  isRepeatable?: boolean;
}

interface Mutation {
  readonly name: string;
  /** The position among the mutations of the operation. */
  readonly position: number;
  outcome: Promise<unknown> | undefined;
  /** The result of the write, once the write is committed. */
  written?: { result: unknown };
}

const hasFailed = (outcome: Promise<unknown> | undefined): Promise<boolean> =>
  Promise.resolve(outcome).then(
    () => false,
    () => true,
  );

/** The caller at one point of a request, with the records visible to them. */
interface CallerAccess {
  session: Session;
  visible: VisibleRecords;
  /** Whether the session must be revalidated before the next write. */
  isOutdated: boolean;
}

/** The context of an operation: its caller, the records visible to them, and the data read so far. */
export class RequestContext implements GatewayRequest {
  readonly services: GatewayServices;
  readonly origin: RequestOrigin;
  readonly plans: OperationPlans;
  readonly selections: Selections;
  readonly loaders = new LoaderStore();
  readonly answerSize = new AnswerSize();
  readonly missing: MissingRows;
  /** The request's idempotency key, if it has one that counts. */
  keyedRequest: KeyedRequest | undefined;
  /** The mutations of the operation that have begun, by response name. */
  readonly #mutations: Map<string, Mutation>;
  #mutation: Mutation | undefined;
  /**
   * The only mutable reference of a context. Only writes change it: later fields of a mutation document must see the
   * effects of earlier ones, including changes of the caller's own permissions.
   */
  #access: CallerAccess;

  constructor(
    { services, origin, plans = new OperationPlans() }: GatewayRequest,
    session: Session,
    earlier?: RequestContext,
  ) {
    this.services = services;
    this.origin = origin;
    this.plans = plans;
    this.selections = new Selections(plans);
    this.missing = new MissingRows(earlier?.missing);
    this.keyedRequest = earlier?.keyedRequest;
    this.#mutations = earlier ? earlier.#mutations : new Map();
    this.#access = this.#accessOf(session);
  }

  /**
   * Returns the context for running the operation again because rows were {@link missing}. The caller is
   * loaded again, and data that refers to those rows is left out. Mutations keep their outcomes.
   */
  async again(): Promise<RequestContext> {
    const session = await this.services.authenticator.revalidate(this.session, this.origin);
    const { caller } = session;
    const removedCameraIds = [...caller.removedCameraIds, ...this.missing.idsOf("cameras")];
    const removedFacilityIds = [...caller.removedFacilityIds, ...this.missing.idsOf("facilities")];
    return new RequestContext(
      this,
      {
        ...session,
        caller: { ...caller, removedCameraIds, removedFacilityIds },
      },
      this,
    );
  }

  /** Runs a mutation, unless an earlier run did: one that failed after its write only reads its result again. */
  async runOnce(
    { name, responseName }: { name: string; responseName: string },
    mutate: () => unknown,
  ): Promise<unknown> {
    const known = this.#mutations.get(responseName);
    if (known && !(known.written && (await hasFailed(known.outcome)))) return known.outcome;
    const mutation: Mutation = known ?? { name, position: this.#mutations.size, outcome: undefined };
    this.#mutations.set(responseName, mutation);
    this.#mutation = mutation;
    mutation.outcome = (async () => mutate())();
    return mutation.outcome;
  }

  /** Discards the data read for an abandoned answer. The executor reads it again in another form. */
  discardRead(): void {
    this.loaders.clear();
    this.answerSize.clear();
  }

  /** Whether the mutation with this response name has written. Without a name, whether any mutation has. */
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

  /** The database as visible to the caller. */
  get visible(): VisibleRecords {
    return this.#access.visible;
  }

  /**
   * Runs one write in a transaction of its own. A mutation has at most one write. If this request, or one with the same
   * idempotency key, has already committed the write, returns that result instead. Later parts of the request see the
   * changes. A cached caller is checked in the transaction, which rolls back if the caller has changed.
   */
  write<Result>(
    work: (write: WriteAccess) => Promise<Result>,
    { action, keepsAccess = false, checksCaller = false, isRepeatable = false }: WriteOptions = {},
  ): Promise<Result> {
    const { services, origin } = this;
    const { now, settings } = services;
    return this.#followed(keepsAccess, (session) =>
      runInTransaction(
        services,
        async (transaction, effects) => {
          // The client may have left while the request waited for a connection. Transactions that have begun are
          // completed.
          throwIfCancelled(origin);
          const verify = async () => session.check?.verify(readIn(transaction));
          const verified = checksCaller ? undefined : verify();
          // The promise is awaited after the work, but may reject earlier.
          verified?.catch(() => {});
          const write = new WriteAccess(
            transaction,
            session,
            {
              now: now(),
              heartbeatTimeout: settings.heartbeatTimeout,
              action: action ?? this.#mutation?.name,
            },
            this.#withTrace(effects),
          );
          const outcome = await this.#withKey(write, work);
          await (verified ?? verify());
          return outcome;
        },
        origin,
      ).catch(isRepeatable ? failRepeatable : undefined),
    );
  }

  /** Runs a write with the current session, and lets the rest of the request see the changes. */
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

  /** Runs the work of a write, or returns its result if a request with the same key has committed it. */
  async #withKey<Result>(write: WriteAccess, work: (write: WriteAccess) => Promise<Result>): Promise<Result> {
    const { keyedRequest } = this;
    if (!keyedRequest || !this.#mutation) return work(write);
    const { caller, now } = write;
    const { position } = this.#mutation;
    const earlier = await keyedRequest.find(readIn(write.transaction), caller, position, now);
    if (earlier) return earlier.result as Result;
    const result = await work(write);
    write.send(keyedRequest.keep(result, caller, position, now));
    return result;
  }

  #withTrace(effects: TransactionEffects): TransactionEffects {
    const traceparent = this.origin.logEntry.trace?.traceparent;
    return traceparent === undefined
      ? effects
      : {
          ...effects,
          emit: (domainEvent, at) => effects.emit({ ...domainEvent, traceparent }, at),
        };
  }

  /**
   * Never fails: the write is committed. The client must learn so, even if the write ended the caller's own access or
   * the database has gone away.
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
    const { database, statements, now, settings } = this.services;
    const { origin } = this;
    // Read nothing more for a client that has left.
    const readQueued: ReadStatement = (statement) =>
      statements.run(caller, () => database.read(statement), origin);
    const read = countedRead(readQueued, origin.logEntry);
    const { heartbeatTimeout, pictureFreshness } = settings;
    const surroundings = { read, now, heartbeatTimeout, pictureFreshness };
    const visible = new VisibleRecords(surroundings, caller, check);
    return { session, visible, isOutdated: false };
  }
}
