import type { Redis } from "ioredis";
import type { Logger } from "../../platform/telemetry/log.js";
import { type ChannelEmitter, type EventChannel, readEvent } from "./event-channel.js";
import type { GatewayEvent } from "./gateway-event.js";

/** How long a write waits for Redis to accept its events. */
const publishTimeoutMs = 500;
/** The interval between checks of an idle connection, in milliseconds. */
const checkIntervalMs = 10_000;

/** The channel of instances that share a Redis server. Events are published after the commit, before the response. */
export class RedisChannel implements EventChannel {
  readonly transport = "redis";
  readonly #commands: Redis;
  readonly #subscriber: Redis;
  readonly #channel: string;
  readonly #log: Logger;
  readonly #checks: NodeJS.Timeout;
  #isSubscribed = false;

  private constructor(commands: Redis, emitter: ChannelEmitter, log: Logger) {
    this.#commands = commands;
    this.#log = log;
    // Channels are global to a Redis server, so deployments in different databases would share events.
    this.#channel = `camera-monitoring:${commands.options.db ?? 0}:events`;
    this.#subscriber = commands.duplicate({ autoResubscribe: false });
    this.#subscriber.on("message", (_channel, text) => {
      const event = readEvent(text);
      if (event) emitter.emit("event", event);
    });
    let wasInterrupted = false;
    this.#subscriber.on("close", () => {
      this.#isSubscribed = false;
      wasInterrupted = true;
    });
    this.#subscriber.on("error", (error) =>
      log.warn({ err: error }, "the Redis connection that listens for events was lost, reconnecting"),
    );
    this.#subscriber.on("ready", () => {
      this.#subscriber.subscribe(this.#channel).then(
        () => {
          this.#isSubscribed = true;
          if (wasInterrupted) emitter.emit("resumed");
        },
        (error) => {
          log.warn({ err: error }, "could not subscribe to events in Redis");
          this.#subscriber.disconnect(true);
        },
      );
    });
    // Detect a server that vanished without closing the connection.
    this.#checks = setInterval(() => {
      if (this.#isSubscribed) this.#subscriber.ping().catch(() => this.#subscriber.disconnect(true));
    }, checkIntervalMs).unref();
  }

  /** Starts listening. Retries a failed connection in the background. */
  static async open(commands: Redis, emitter: ChannelEmitter, log: Logger): Promise<RedisChannel> {
    const opened = new RedisChannel(commands, emitter, log);
    const subscriber = opened.#subscriber;
    await new Promise<void>((resolve) => {
      subscriber.once("ready", () => subscriber.ping().then(() => resolve(), resolve));
      subscriber.once("close", () => resolve());
      subscriber.connect().catch(() => resolve());
    });
    return opened;
  }

  get isConnected(): boolean {
    return this.#isSubscribed && this.#commands.status === "ready";
  }

  async publish(events: readonly GatewayEvent[]): Promise<void> {
    const isReady = this.#commands.status === "ready";
    // The client queues commands in memory until Redis is back. Only events that may revoke access are worth the
    // memory.
    const sent = isReady ? events : events.filter(({ topic }) => topic === "accessChanged");
    if (sent.length < events.length)
      this.#log.warn(
        { events: events.length - sent.length },
        "Redis is unavailable: some events are not delivered to subscribers",
      );
    const sending = Promise.all(sent.map((event) => this.#send(event))).catch((error) => {
      this.#log.error({ err: error, events }, "events could not be published");
    });
    if (!isReady) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, publishTimeoutMs);
    });
    await Promise.race([sending, late]);
    clearTimeout(timer);
  }

  /** Sends an event without a retry, as Redis may have accepted it, except events that may revoke access. */
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
