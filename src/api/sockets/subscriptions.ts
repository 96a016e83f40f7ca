import { createSourceEventStream, type ExecutionResult, type FormattedExecutionResult } from "graphql";
import type { Registry } from "prom-client";
import type { EventStream } from "../../engine/events/event-hub.js";
import type { GatewayEvent } from "../../engine/events/gateway-event.js";
import type { GatewayServices } from "../../engine/operation/gateway-services.js";
import { largeAnswer } from "../../engine/operation/operation-slots.js";
import { RequestContext } from "../../engine/operation/request-context.js";
import type { EventRoot } from "../../engine/operation/subscription.js";
import { defined } from "../../platform/defined.js";
import { ServiceError, toServiceError } from "../../platform/errors/errors.js";
import { BoundedQueue } from "../../platform/queues/bounded-queue.js";
import { FairQueue, type FairQueueLimits } from "../../platform/queues/fair-queue.js";
import { selectionReducer } from "../../platform/selection-set.js";
import { addGauge } from "../../platform/telemetry/gauge.js";
import { countRefusal } from "../../platform/telemetry/refusals.js";
import { type PreparedOperation, presentError } from "../graphql/admit.js";
import { hashOf } from "../graphql/documents.js";
import { execute } from "../graphql/execute.js";
import type { Operation } from "../graphql/operation-document.js";
import type { OpenSocket, SocketClient } from "./open-socket.js";

/**
 * The limits for starting subscriptions and executing events: few at once, because requests need database connections,
 * too. Other limits, of sockets and streams of events, bound the waiting ones.
 */
export const subscriptionLimits: Omit<FairQueueLimits, "what"> = {
  slots: { total: 4, perWorkspace: 3, perCaller: 2 },
  waiting: { total: 1_000_000, perWorkspace: 1_000_000, perCaller: 1_000_000 },
  maxWaitMs: 60_000,
};

/** The heap that all subscriptions of one caller may take together. */
const maxBytesPerCaller = 16 * 1024 * 1024;
/**
 * The heap of a group without its document and variables, and per character of variables, which are objects at least.
 */
const bytesPerGroup = 2_048;
const bytesPerCharacter = 10;
/** The heap per character of a message's text. */
const bytesPerMessageCharacter = 2;

interface SubscriptionsDependencies {
  services: GatewayServices;
  registry: Registry;
  /** The maximum number of results buffered for one subscriber. */
  backlog: number;
}

/** The results for one subscriber, in order. */
type SubscriptionResults = BoundedQueue<FormattedExecutionResult>;

interface Subscriber {
  open: OpenSocket;
  /** The heap of the message that began it. */
  bytes: number;
  results: SubscriptionResults;
}

/** Subscribers with the same credentials and the same operation. An event has the same result for all of them. */
interface SubscriptionGroup {
  key: string;
  /** The heap of the group, besides its document. */
  bytes: number;
  request: PreparedOperation;
  client: SocketClient;
  feed: EventStream;
  subscribers: Set<Subscriber>;
}

/** The heap of groups. They share documents. */
function bytesOf(groups: readonly SubscriptionGroup[]): number {
  const documents = new Set(groups.map(({ request }) => request.document));
  const subscribers = groups.flatMap((group) => [...group.subscribers]);
  return [...groups, ...documents, ...subscribers].reduce((sum, { bytes }) => sum + bytes, 0);
}

/**
 * The running subscriptions. Each event is executed once for all subscribers with the same credentials and the same
 * operation. Each execution has its own context, with a revalidated session.
 */
export class Subscriptions {
  readonly #groups = new Map<string, SubscriptionGroup>();
  readonly #groupsByCaller = new Map<string, readonly SubscriptionGroup[]>();
  readonly #dependencies: SubscriptionsDependencies;
  readonly #executions = new FairQueue({ ...subscriptionLimits, what: "events" });

  constructor(dependencies: SubscriptionsDependencies) {
    this.#dependencies = dependencies;
    addGauge(dependencies.registry, "gateway_subscriptions_open", "Subscriptions that are running", () =>
      [...this.#groups.values()].reduce((sum, { subscribers }) => sum + subscribers.size, 0),
    );
  }

  /** Starts an admitted subscription. NOT_FOUND if the arguments name records that the caller does not see. */
  async start(
    open: OpenSocket,
    context: RequestContext,
    request: PreparedOperation,
    messageLength: number,
  ): Promise<SubscriptionResults> {
    const client = defined(open.client);
    assertUnconditional(request.operation);
    const feed = await this.#openEvents(context, request);
    const variables = JSON.stringify(request.variables ?? null);
    const key = hashOf(
      JSON.stringify([
        client.credentialsKey,
        request.document.text,
        request.operationName ?? null,
        variables,
      ]),
    );
    const bytes = bytesPerGroup + bytesPerCharacter * variables.length;
    // Each event runs the plan, whose size counts.
    request.operation.plan();
    const known = this.#groups.get(key);
    const group = known ?? { key, bytes, request, client, feed, subscribers: new Set() };
    const messageBytes = bytesPerMessageCharacter * messageLength;
    const others = this.#groupsByCaller.get(client.session.caller.id) ?? [];
    const ofCaller = known ? others : [...others, group];
    if (bytesOf(ofCaller) + messageBytes > maxBytesPerCaller) {
      await feed.return();
      countRefusal("subscriptions", "caller");
      throw new ServiceError(
        "RATE_LIMITED",
        `The subscriptions of one caller may take ${maxBytesPerCaller / 1024 ** 2} MiB: use fewer, or smaller ones`,
        { retryAfter: 60 },
      );
    }
    if (!known) {
      this.#groups.set(key, group);
      this.#groupsByCaller.set(client.session.caller.id, ofCaller);
      void this.#run(group);
    }
    const results = this.#join(group, open, messageBytes);
    if (known) await feed.return();
    return results;
  }

  /** Checks again whether a caller sees the records in the arguments of their subscriptions, and ends the others. */
  async check(context: RequestContext, credentialsKey: string): Promise<void> {
    const groups = [...this.#groups.values()].filter(
      ({ client }) => client.credentialsKey === credentialsKey,
    );
    for (const group of groups) {
      try {
        await (await this.#openEvents(context, group.request)).return();
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        this.#end(group, error);
      }
    }
  }

  #join(group: SubscriptionGroup, open: OpenSocket, bytes: number): SubscriptionResults {
    const { subscribers } = group;
    const subscriber: Subscriber = {
      open,
      bytes,
      results: new BoundedQueue(this.#dependencies.backlog, () => {
        open.subscriptions.delete(subscriber.results);
        subscribers.delete(subscriber);
        if (subscribers.size === 0) this.#end(group);
      }),
    };
    subscribers.add(subscriber);
    open.subscriptions.add(subscriber.results);
    // The socket may have closed while the subscription was starting.
    if (!open.isOpen) open.endSubscriptions();
    return subscriber.results;
  }

  /** Calls the field's `subscribe` function, which checks its arguments and returns the events. */
  async #openEvents(
    context: RequestContext,
    { document, operationName, variables }: PreparedOperation,
  ): Promise<EventStream> {
    const stream = await createSourceEventStream({
      schema: document.schema,
      document: document.ast,
      operationName,
      variableValues: variables,
      contextValue: context,
    });
    if (Symbol.asyncIterator in stream) return stream as EventStream;
    throw stream.errors?.[0]?.originalError ?? stream.errors?.[0];
  }

  async #run(group: SubscriptionGroup): Promise<void> {
    const { log } = this.#dependencies.services;
    try {
      for await (const event of group.feed) {
        for (const result of await this.#executions.run(group.client.session.caller, () =>
          this.#resultsOf(group, event),
        ))
          this.#deliver(group, result);
      }
    } catch (error) {
      log.warn(
        { err: error, callerId: group.client.session.caller.id },
        "the events of a subscription failed; its subscribers are disconnected",
      );
      this.#forget(group);
      for (const { open } of group.subscribers) open.closeAsTooSlow();
    }
  }

  /** Executes the operation for each record of an event. Records that the caller does not see yield no result. */
  async #resultsOf(
    { request, client, subscribers }: SubscriptionGroup,
    event: GatewayEvent,
  ): Promise<FormattedExecutionResult[]> {
    const { services } = this.#dependencies;
    const { operation, size } = request;
    try {
      const session = await services.authenticator.revalidate(client.session);
      const { origin } = client;
      const context = new RequestContext({ services, origin, plans: operation.plans }, session);
      const { ids, places, ...common } = event;
      const roots = ids.map((id, index): EventRoot => {
        const place = places?.[index];
        return { ...common, ...(place && { facilityId: place.facilityId, cameraId: place.cameraId }), id };
      });
      const execution = () =>
        Promise.all(roots.map((root) => execute({ ...request, root, asValues: true }, context)));
      const objects = size.objects * roots.length;
      // Small ones have slots here alone: they are not lost behind requests of the caller.
      const results = await (objects < largeAnswer
        ? execution()
        : services.operations.run(context, execution, objects));
      return results.filter((result) => !isNotVisible(result)).map((result) => this.#format(result));
    } catch (error) {
      const shown = toServiceError(error, (cause) =>
        services.log.error({ err: cause }, "an event could not be executed for its subscribers"),
      );
      if (shown.code !== "UNAUTHENTICATED") return [{ errors: [presentError(shown, services.log)] }];
      for (const { open } of subscribers) open.endAccess(shown.reason);
      return [];
    }
  }

  #format({ data, errors }: ExecutionResult): FormattedExecutionResult {
    const { log } = this.#dependencies.services;
    return {
      ...(data !== undefined && { data }),
      ...(errors && { errors: errors.map((error) => presentError(error, log)) }),
    };
  }

  #deliver({ subscribers }: SubscriptionGroup, result: FormattedExecutionResult): void {
    const now = this.#dependencies.services.now().getTime();
    for (const { open, results } of subscribers) {
      // OpenSockets closes this socket within a second. Send nothing more until then.
      if (defined(open.client).session.expiresAt <= now) continue;
      if (open.isCongested || !results.push(result)) open.closeAsTooSlow();
    }
  }

  #end(group: SubscriptionGroup, error?: ServiceError): void {
    this.#forget(group);
    void group.feed.return();
    for (const { results } of group.subscribers) results.fail(error);
  }

  /** Removes the group, so that no further subscriber joins. */
  #forget(group: SubscriptionGroup): void {
    if (this.#groups.get(group.key) !== group) return;
    this.#groups.delete(group.key);
    const callerId = group.client.session.caller.id;
    const others = (this.#groupsByCaller.get(callerId) ?? []).filter((each) => each !== group);
    if (others.length > 0) this.#groupsByCaller.set(callerId, others);
    else this.#groupsByCaller.delete(callerId);
  }
}

/** Whether the caller cannot see the subscribed record. The caller must not learn of it. */
function isNotVisible({ data, errors }: ExecutionResult): boolean {
  if (data || !errors) return false;
  return errors.every(
    ({ path, originalError }) =>
      path?.length === 1 && originalError instanceof ServiceError && originalError.code === "NOT_FOUND",
  );
}

/** Rejects directives: a subscription has exactly one field, and @skip or @include could leave none. */
function assertUnconditional({ definition, document }: Operation): void {
  const isConditional = selectionReducer(
    document.fragments,
    () => false,
    (found, { directives }, inner = false) => found || Boolean(directives?.length) || inner,
  );
  if (isConditional(definition.selectionSet))
    throw new ServiceError("BAD_REQUEST", "The subscribed field must not have directives");
}
