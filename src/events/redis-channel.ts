import type { Redis } from "ioredis";
import type { Logger } from "../platform/log.js";
import type { GatewayEvent } from "../platform/topics.js";
import { type ChannelListener, type EventChannel, readEvent } from "./event-channel.js";

/** Milliseconds that a write waits for Redis to take what it announces. */
const patience = 500;
/** Milliseconds between two looks at a connection that says nothing. */
const checkInterval = 10_000;

/** The channel of instances that share a Redis: what is committed is published before the write is answered. */
export class RedisChannel implements EventChannel {
  readonly transport = "redis";
  readonly #commands: Redis;
  readonly #subscriber: Redis;
  readonly #channel: string;
  readonly #log: Logger;
  readonly #checks: NodeJS.Timeout;
  #isSubscribed = false;

  private constructor(commands: Redis, listener: ChannelListener, log: Logger) {
    this.#commands = commands;
    this.#log = log;
    // Publishing knows no databases: those who keep theirs apart by number would hear each other.
    this.#channel = `camera-monitoring:${commands.options.db ?? 0}:events`;
    this.#subscriber = commands.duplicate({ autoResubscribe: false });
    this.#subscriber.on("message", (_channel, text) => {
      const event = readEvent(text);
      if (event) listener.received(event);
    });
    let wasInterrupted = false;
    this.#subscriber.on("close", () => {
      this.#isSubscribed = false;
      wasInterrupted = true;
    });
    this.#subscriber.on("error", (error) => log.warn({ err: error }, "the Redis connection that listens for events was lost, and is opened again"));
    this.#subscriber.on("ready", () => {
      this.#subscriber.subscribe(this.#channel).then(
        () => {
          this.#isSubscribed = true;
          if (wasInterrupted) listener.resumed();
        },
        (error) => {
          log.warn({ err: error }, "Redis does not let us listen for events");
          this.#subscriber.disconnect(true);
        },
      );
    });
    // A server that vanished without a word is found by what it does not answer.
    this.#checks = setInterval(() => {
      if (this.#isSubscribed) this.#subscriber.ping().catch(() => this.#subscriber.disconnect(true));
    }, checkInterval).unref();
  }

  /** Begins to listen; where that fails it is tried again, for as long as it takes. */
  static async open(commands: Redis, listener: ChannelListener, log: Logger): Promise<RedisChannel> {
    const opened = new RedisChannel(commands, listener, log);
    const subscriber = opened.#subscriber;
    await new Promise<void>((resolve) => {
      subscriber.once("ready", () => subscriber.ping().then(() => resolve(), resolve as () => void));
      subscriber.once("close", () => resolve());
      subscriber.connect().catch(() => resolve());
    });
    return opened;
  }

  /** Whether it hears the others, and they hear what is published. */
  get isConnected(): boolean {
    return this.#isSubscribed && this.#commands.status === "ready";
  }

  async enclose(): Promise<void> {}

  async publish(events: readonly GatewayEvent[]): Promise<void> {
    const isThere = this.#commands.status === "ready";
    // What cannot be sent yet waits in memory: only what must not be lost, because somebody's access may end by it.
    const sent = isThere ? events : events.filter(({ topic }) => topic === "accessChanged");
    if (sent.length < events.length)
      this.#log.warn({ events: events.length - sent.length }, "Redis is away: subscribers are not told of some events");
    const sending = Promise.all(sent.map((event) => this.#send(event))).catch((error) => {
      this.#log.error({ err: error, events }, "events could not be published");
    });
    if (!isThere) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, patience);
    });
    await Promise.race([sending, late]);
    clearTimeout(timer);
  }

  /** Sends an event, once: Redis may have taken what it has not answered. What ends access may come twice, and must come. */
  async #send(event: GatewayEvent): Promise<void> {
    const text = JSON.stringify(event);
    const publish = () => this.#commands.publish(this.#channel, text);
    await (event.topic === "accessChanged" ? publish().catch(publish) : publish());
  }

  async close(): Promise<void> {
    clearInterval(this.#checks);
    this.#subscriber.disconnect();
  }
}
