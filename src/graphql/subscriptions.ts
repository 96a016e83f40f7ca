import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionResult,
  type FormattedExecutionResult,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type SelectionSetNode,
} from "graphql";
import pLimit from "p-limit";
import { Gauge, type Registry } from "prom-client";
import { type GatewayServices, RequestContext } from "../access/request-context.js";
import type { EventFeed } from "../events/event-hub.js";
import { BoundedQueue } from "../platform/bounded-queue.js";
import { ServiceError, toServiceError } from "../platform/errors.js";
import type { GatewayEvent } from "../platform/topics.js";
import { presentError } from "./admit.js";
import type { ExecuteOperation } from "./execute.js";
import type { OpenSocket, SocketSession } from "./open-socket.js";
import type { OperationRequest } from "./prepare.js";

/** Events are read so many at a time: requests need connections to the database, too. */
const mostAtOnce = 4;

/** What {@link Subscriptions} need of the gateway. */
export interface SubscriptionSources {
  schema: GraphQLSchema;
  execute: ExecuteOperation;
  services: GatewayServices;
  registry: Registry;
  /** How many results may wait for one subscriber. */
  backlog: number;
}

/** What one subscriber is sent, in order. */
export type SubscriptionResults = BoundedQueue<FormattedExecutionResult>;

interface Subscriber {
  open: OpenSocket;
  results: SubscriptionResults;
}

/** Subscribers with the same credentials and the same operation: what an event is to one, it is to all. */
interface Audience {
  key: string;
  request: OperationRequest;
  session: SocketSession;
  feed: EventFeed;
  subscribers: Set<Subscriber>;
}

/**
 * The running subscriptions. Each event is run once for all who have the same credentials and the same operation, with a
 * context of its own: who asks, and what they may see, is found out anew each time.
 */
export class Subscriptions {
  readonly #audiences = new Map<string, Audience>();
  readonly #sources: SubscriptionSources;
  readonly #inTurn = pLimit(mostAtOnce);

  constructor(sources: SubscriptionSources) {
    this.#sources = sources;
    const audiences = this.#audiences;
    new Gauge({
      name: "gateway_subscriptions_open",
      help: "Subscriptions that are running",
      registers: [sources.registry],
      collect() {
        this.set([...audiences.values()].reduce((sum, { subscribers }) => sum + subscribers.size, 0));
      },
    });
  }

  /** Starts a subscription that was admitted. Throws when the caller does not see what it is about. */
  async start(open: OpenSocket, context: RequestContext, query: string, request: OperationRequest): Promise<SubscriptionResults> {
    const session = open.session as SocketSession;
    assertUnconditional(request);
    const feed = await this.#openFeed(context, request);
    const key = JSON.stringify([session.credentials, query, request.operationName ?? null, request.variables ?? null]);
    const known = this.#audiences.get(key);
    if (known) {
      const results = this.#join(known, open);
      await feed.return();
      return results;
    }
    const audience: Audience = { key, request, session, feed, subscribers: new Set() };
    this.#audiences.set(key, audience);
    void this.#run(audience);
    return this.#join(audience, open);
  }

  /** Looks again whether a caller still sees what their subscriptions are about, and ends those of which that is not so. */
  async check(context: RequestContext, credentials: string): Promise<void> {
    const theirs = [...this.#audiences.values()].filter(({ session }) => session.credentials === credentials);
    for (const audience of theirs) {
      try {
        await (await this.#openFeed(context, audience.request)).return();
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        this.#end(audience, error);
      }
    }
  }

  #join(audience: Audience, open: OpenSocket): SubscriptionResults {
    const { subscribers } = audience;
    const subscriber: Subscriber = {
      open,
      results: new BoundedQueue(this.#sources.backlog, () => {
        open.subscriptions.delete(subscriber.results);
        subscribers.delete(subscriber);
        if (subscribers.size === 0) this.#end(audience);
      }),
    };
    subscribers.add(subscriber);
    open.subscriptions.add(subscriber.results);
    // It may have closed while the subscription was started.
    if (!open.isOpen) open.endSubscriptions();
    return subscriber.results;
  }

  /** Has the field's own `subscribe` check the arguments and answer the events. */
  async #openFeed(context: RequestContext, { document, operationName, variables }: OperationRequest): Promise<EventFeed> {
    const { schema } = this.#sources;
    const stream = await createSourceEventStream({ schema, document, operationName, variableValues: variables, contextValue: context });
    if (Symbol.asyncIterator in stream) return stream as EventFeed;
    throw stream.errors?.[0]?.originalError ?? stream.errors?.[0];
  }

  async #run(audience: Audience): Promise<void> {
    const { log } = this.#sources.services;
    try {
      for await (const event of audience.feed) {
        for (const result of await this.#inTurn(() => this.#resultsOf(audience, event))) this.#hand(audience, result);
      }
    } catch (error) {
      log.warn({ err: error, callerId: audience.session.callerId }, "subscribers cannot be kept up with events, and are dropped");
      this.#forget(audience);
      for (const { open } of audience.subscribers) open.drop();
    }
  }

  /** Runs the operation for all that an event names, as one caller who sees it: what is not seen gives nothing. */
  async #resultsOf({ request, session, subscribers }: Audience, event: GatewayEvent): Promise<FormattedExecutionResult[]> {
    const { services, execute } = this.#sources;
    const context = new RequestContext(services, session.origin);
    try {
      await context.recall(session.claim);
      const results = await Promise.all(event.ids.map((id) => execute({ ...request, root: { id } }, context)));
      return results.filter((result) => !isOutOfSight(result)).map((result) => this.#format(result));
    } catch (error) {
      const shown = toServiceError(error, (cause) => services.log.error({ err: cause }, "an event could not be read for its subscribers"));
      if (shown.code !== "UNAUTHENTICATED") return [{ errors: [presentError(shown, services.log)] }];
      for (const { open } of subscribers) open.endAccess();
      return [];
    }
  }

  #format({ data, errors }: ExecutionResult): FormattedExecutionResult {
    const { log } = this.#sources.services;
    return { ...(data !== undefined && { data }), ...(errors && { errors: errors.map((error) => presentError(error, log)) }) };
  }

  #hand({ subscribers }: Audience, result: FormattedExecutionResult): void {
    const moment = this.#sources.services.now().getTime();
    for (const { open, results } of subscribers) {
      // The socket is closed within a second; nothing more is said to it meanwhile.
      if ((open.session as SocketSession).expiresAt <= moment) continue;
      if (!results.push(result)) open.drop();
    }
  }

  #end(audience: Audience, error?: ServiceError): void {
    this.#forget(audience);
    void audience.feed.return();
    for (const { results } of audience.subscribers) results.fail(error);
  }

  /** Nobody joins it any more. */
  #forget(audience: Audience): void {
    if (this.#audiences.get(audience.key) === audience) this.#audiences.delete(audience.key);
  }
}

/** Whether it is about something that the caller does not see: they are told nothing of it. */
function isOutOfSight({ data, errors }: ExecutionResult): boolean {
  if (data || !errors) return false;
  return errors.every(({ path, originalError }) => path?.length === 1 && originalError instanceof ServiceError && originalError.code === "NOT_FOUND");
}

/** A subscription is to one field, come what may: with @skip or @include it might be to none. */
function assertUnconditional({ document, operationName }: { document: DocumentNode; operationName?: string | null | undefined }): void {
  const isConditional = ({ selections }: SelectionSetNode): boolean =>
    selections.some((selection) => {
      if (selection.directives?.length) return true;
      if (selection.kind === Kind.FIELD) return false;
      if (selection.kind === Kind.INLINE_FRAGMENT) return isConditional(selection.selectionSet);
      return document.definitions.some(
        (each) => each.kind === Kind.FRAGMENT_DEFINITION && each.name.value === selection.name.value && isConditional(each.selectionSet),
      );
    });
  const operation = getOperationAST(document, operationName);
  if (operation && isConditional(operation.selectionSet)) {
    throw new ServiceError("BAD_REQUEST", "The field that is subscribed to takes no directives");
  }
}
