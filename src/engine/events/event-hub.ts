import { EventEmitter } from "node:events";
import { Counter, type Registry } from "prom-client";
import type { Prisma } from "../../generated/prisma/client.js";
import { BoundedQueue } from "../../platform/queues/bounded-queue.js";
import { addGauge } from "../../platform/telemetry/gauge.js";
import type { ChannelEmitter, EventChannel, RequestCounts } from "./event-channel.js";
import { type EventFilter, type GatewayEvent, selectedOf, splitEvent, type Topic } from "./gateway-event.js";

/** The matching events, in order, for one reader. */
export type EventStream = AsyncGenerator<GatewayEvent, void, undefined>;

interface Listener {
  filter: EventFilter;
  onEvent: (event: GatewayEvent) => void;
}

/** The maximum number of events that wait for the reader of a feed. */
const maxQueueLength = 1_000;

/** Publishes events to all instances, and dispatches received events to listeners. */
export class EventHub {
  readonly #listeners = new Map<Topic, Set<Listener>>();
  readonly #channel: EventChannel;
  readonly #emitter: ChannelEmitter;
  #onWork: (workspaceId?: string) => void = () => {};
  readonly #published: Counter<"topic">;
  readonly #received: Counter<"topic">;

  private constructor(channel: EventChannel, emitter: ChannelEmitter, registry: Registry) {
    this.#channel = channel;
    this.#emitter = emitter.on("event", (event) => this.#dispatch(event));
    const registers = [registry];
    this.#published = new Counter({
      name: "gateway_events_published_total",
      help: "Events published",
      labelNames: ["topic"],
      registers,
    });
    this.#received = new Counter({
      name: "gateway_events_received_total",
      help: "Events received",
      labelNames: ["topic"],
      registers,
    });
    addGauge(
      registry,
      "gateway_events_connected",
      "1 while events of all instances are received, 0 while the connection that delivers them is lost",
      () => (channel.isConnected ? 1 : 0),
    );
  }

  static async open(
    openChannel: (emitter: ChannelEmitter) => Promise<EventChannel>,
    registry: Registry,
  ): Promise<EventHub> {
    const emitter: ChannelEmitter = new EventEmitter();
    return new EventHub(await openChannel(emitter), emitter, registry);
  }

  get connection(): { transport: string; isConnected: boolean } {
    const { transport, isConnected } = this.#channel;
    return { transport, isConnected };
  }

  /** The statement with which the transaction sends events; undefined without any, or over another transport. */
  publication(events: readonly GatewayEvent[]): Prisma.Sql | undefined {
    return events.length > 0 ? this.#channel.publication?.(events.flatMap(splitEvent)) : undefined;
  }

  /** Sends the same events after the commit, unless the commit has already sent them. */
  async publish(events: readonly GatewayEvent[]): Promise<void> {
    if (events.length === 0) return;
    for (const { topic } of events) this.#published.inc({ topic });
    await this.#channel.publish(events.flatMap(splitEvent));
  }

  /** Says that there may be work of background workers, in a workspace if it is known. */
  announceWork(workspaceId?: string): void {
    this.#onWork(workspaceId);
  }

  onWork(listener: (workspaceId?: string) => void): void {
    this.#onWork = listener;
  }

  /** Calls `onEvent` with each matching event until the returned function is called. */
  listen(filter: EventFilter, onEvent: (event: GatewayEvent) => void): () => void {
    const listener = { filter, onEvent };
    const listeners = this.#listeners.get(filter.topic) ?? new Set<Listener>();
    this.#listeners.set(filter.topic, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  /** Calls the listener whenever events may have been lost. */
  onResumed(listener: () => void): void {
    this.#emitter.on("resumed", listener);
  }

  /** Whether instances must send each other their request counts, because there is no shared counter. */
  get needsCountBroadcast(): boolean {
    return this.#channel.broadcastCounts !== undefined;
  }

  async broadcastCounts(counts: RequestCounts): Promise<void> {
    await this.#channel.broadcastCounts?.(counts);
  }

  onCounts(listener: (counts: RequestCounts) => void): void {
    this.#emitter.on("counts", listener);
  }

  /** The matching events from now on. The stream fails if its reader falls too far behind. */
  stream(filter: EventFilter): EventStream {
    const feed = new BoundedQueue<GatewayEvent>(maxQueueLength, () => stop());
    const stop = this.listen(filter, (event) => {
      if (!feed.push(event))
        feed.fail(new Error(`More than ${maxQueueLength} events are waiting to be read`));
    });
    return feed;
  }

  close(): Promise<void> {
    return this.#channel.close();
  }

  #dispatch(event: GatewayEvent): void {
    this.#received.inc({ topic: event.topic });
    for (const listener of this.#listeners.get(event.topic) ?? []) {
      const selected = selectedOf(event, listener.filter);
      if (selected) listener.onEvent(selected);
    }
  }
}
