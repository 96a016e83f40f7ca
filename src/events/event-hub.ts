import { Counter, Gauge, type Registry } from "prom-client";
import type { Prisma } from "../generated/prisma/client.js";
import { BoundedQueue } from "../platform/bounded-queue.js";
import { type GatewayEvent, inPieces, isOnRoute, type Route, type Topic } from "../platform/topics.js";
import type { ChannelListener, EventChannel, RequestCounts } from "./event-channel.js";

/** Events of a route in their order, to be read by one reader. */
export type EventFeed = AsyncGenerator<GatewayEvent, void, undefined>;

interface Listener {
  route: Route;
  take: (event: GatewayEvent) => void;
}

/** How many events may wait for whoever reads a feed. */
const mostWaiting = 1_000;

/** Sends what happens here to all instances, and hands what arrives to who wants to know. */
export class EventHub {
  readonly #listeners = new Map<Topic, Set<Listener>>();
  readonly #resumeListeners = new Set<() => void>();
  readonly #countListeners = new Set<(counts: RequestCounts) => void>();
  readonly #channel: EventChannel;
  readonly #published: Counter<"topic">;
  readonly #received: Counter<"topic">;

  private constructor(channel: EventChannel, registry: Registry) {
    this.#channel = channel;
    const registers = [registry];
    this.#published = new Counter({ name: "gateway_events_published_total", help: "Events that were sent", labelNames: ["topic"], registers });
    this.#received = new Counter({ name: "gateway_events_received_total", help: "Events that arrived", labelNames: ["topic"], registers });
    new Gauge({
      name: "gateway_events_connected",
      help: "1 when events of all instances arrive, 0 while the connection that brings them is lost",
      registers,
      collect() {
        this.set(channel.isConnected ? 1 : 0);
      },
    });
  }

  /** Opens the channel and listens to it. */
  static async open(openChannel: (listener: ChannelListener) => Promise<EventChannel>, registry: Registry): Promise<EventHub> {
    // What arrives before anybody can listen is for nobody.
    let listener: ChannelListener = { received: () => {}, counted: () => {}, resumed: () => {} };
    const channel = await openChannel({
      received: (event) => listener.received(event),
      counted: (counts) => listener.counted(counts),
      resumed: () => listener.resumed(),
    });
    const hub = new EventHub(channel, registry);
    listener = { received: (event) => hub.#hand(event), counted: (counts) => hub.#takeCounts(counts), resumed: () => hub.#resume() };
    return hub;
  }

  /** How events travel, and whether they arrive at the moment. */
  get connection(): { transport: string; isConnected: boolean } {
    const { transport, isConnected } = this.#channel;
    return { transport, isConnected };
  }

  /** Has events sent with the commit of a transaction, where that is how they travel. */
  async enclose(transaction: Prisma.TransactionClient, events: readonly GatewayEvent[]): Promise<void> {
    if (events.length > 0) await this.#channel.enclose(transaction, events.flatMap(inPieces));
  }

  /** To be called with the same events once the transaction is committed. */
  async publish(events: readonly GatewayEvent[]): Promise<void> {
    if (events.length === 0) return;
    for (const { topic } of events) this.#published.inc({ topic });
    await this.#channel.publish(events.flatMap(inPieces));
  }

  /** Calls `take` with each event of a route until the answered function is called. */
  listen(route: Route, take: (event: GatewayEvent) => void): () => void {
    const listener = { route, take };
    const listeners = this.#listeners.get(route.topic) ?? new Set<Listener>();
    this.#listeners.set(route.topic, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  /** Calls a function whenever events may have been missed. */
  onResumed(listener: () => void): void {
    this.#resumeListeners.add(listener);
  }

  /** Whether instances have to tell each other what they count. */
  get sharesCounts(): boolean {
    return this.#channel.tellCounts !== undefined;
  }

  /** Tells the other instances how many requests were counted here. */
  async tellCounts(counts: RequestCounts): Promise<void> {
    await this.#channel.tellCounts?.(counts);
  }

  /** Calls a function with what the other instances count. */
  onCounted(listener: (counts: RequestCounts) => void): void {
    this.#countListeners.add(listener);
  }

  /** The events of a route from now on. It fails when its reader falls too far behind. */
  feed(route: Route): EventFeed {
    const feed = new BoundedQueue<GatewayEvent>(mostWaiting, () => stop());
    const stop = this.listen(route, (event) => {
      if (!feed.push(event)) feed.fail(new Error(`More than ${mostWaiting} events wait to be read`));
    });
    return feed;
  }

  close(): Promise<void> {
    return this.#channel.close();
  }

  #hand(event: GatewayEvent): void {
    this.#received.inc({ topic: event.topic });
    for (const listener of this.#listeners.get(event.topic) ?? []) if (isOnRoute(event, listener.route)) listener.take(event);
  }

  #takeCounts(counts: RequestCounts): void {
    for (const listener of this.#countListeners) listener(counts);
  }

  #resume(): void {
    for (const listener of this.#resumeListeners) listener();
  }
}
