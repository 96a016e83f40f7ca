import { randomUUID } from "node:crypto";
import type pg from "pg";
import { Prisma } from "../../generated/prisma/client.js";
import { binaryArray } from "../../platform/binary-array.js";
import { type Backoff, retryDelay } from "../../platform/network/retry-delay.js";
import type { Logger } from "../../platform/telemetry/log.js";
import { errorOf } from "../../platform/thrown.js";
import {
  type ChannelEmitter,
  type EventChannel,
  type RequestCounts,
  readCounts,
  readEvent,
} from "./event-channel.js";
import type { GatewayEvent } from "./gateway-event.js";

type CreateConnection = (settings: pg.ClientConfig) => pg.Client;

const channel = "gateway_events";
const countsChannel = "gateway_counts";
/** The maximum number of keys per message: PostgreSQL limits a notification to less than 8000 bytes. */
const maxCounts = 80;
const backoff: Backoff = { firstMs: 100, maxMs: 5_000, jitter: { from: 0.5, to: 1 } };
/** The interval between checks of an idle connection, and the time limit for the response. */
const checkIntervalMs = 10_000;
const responseTimeoutMs = 5_000;

/**
 * The channel of instances that share a PostgreSQL server. NOTIFY runs within the transaction, so an event is sent if
 * and only if the transaction commits. One connection listens.
 */
export class PostgresqlChannel implements EventChannel {
  readonly transport = "postgresql";
  readonly #createConnection: CreateConnection;
  readonly #emitter: ChannelEmitter;
  readonly #log: Logger;
  #client: pg.Client | undefined;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  #wasInterrupted = false;
  #isClosed = false;
  readonly #instance = randomUUID();

  private constructor(createConnection: CreateConnection, emitter: ChannelEmitter, log: Logger) {
    this.#createConnection = createConnection;
    this.#emitter = emitter;
    this.#log = log;
  }

  /** Starts listening. Retries a failed connection in the background. */
  static async open(
    createConnection: CreateConnection,
    emitter: ChannelEmitter,
    log: Logger,
  ): Promise<PostgresqlChannel> {
    const opened = new PostgresqlChannel(createConnection, emitter, log);
    await opened.#connect();
    return opened;
  }

  get isConnected(): boolean {
    return this.#client !== undefined;
  }

  publication(events: readonly GatewayEvent[]): Prisma.Sql {
    const messages = binaryArray(
      "text",
      events.map((event) => JSON.stringify(event)),
    );
    return Prisma.sql`SELECT count(pg_notify(${channel}, message)) FROM unnest(${messages}::text[]) AS each(message)`;
  }

  async publish(): Promise<void> {}

  async broadcastCounts(counts: RequestCounts): Promise<void> {
    const all = Object.entries(counts);
    for (let start = 0; start < all.length; start += maxCounts) {
      const message = JSON.stringify({
        instance: this.#instance,
        counts: Object.fromEntries(all.slice(start, start + maxCounts)),
      });
      await this.#client?.query("SELECT pg_notify($1, $2)", [countsChannel, message]);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#client?.end();
  }

  async #connect(): Promise<void> {
    const client = this.#createConnection({
      application_name: "camera-monitoring-gateway events",
      query_timeout: responseTimeoutMs,
    });
    const lose = (error: Error) => this.#lose(client, error);
    client.on("error", lose);
    client.on("end", () => lose(new Error("The connection that listens for events was closed")));
    client.on("notification", ({ channel: name, payload = "" }) => {
      if (name === countsChannel) return this.#takeCounts(payload);
      const event = readEvent(payload);
      if (event) this.#emitter.emit("event", event);
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${channel}; LISTEN ${countsChannel}`);
    } catch (error) {
      lose(errorOf(error));
      return;
    }
    if (this.#isClosed) return void (await client.end());
    this.#client = client;
    this.#failures = 0;
    this.#check(client);
    if (this.#wasInterrupted) this.#emitter.emit("resumed");
  }

  #takeCounts(payload: string): void {
    const message = readCounts(payload);
    if (message && message.instance !== this.#instance) this.#emitter.emit("counts", message.counts);
  }

  /** Checks an idle connection: a server that vanished without closing it would otherwise go unnoticed for hours. */
  #check(client: pg.Client): void {
    this.#timer = setTimeout(() => {
      client.query("SELECT 1").then(
        () => this.#client === client && this.#check(client),
        (error) => this.#lose(client, error),
      );
    }, checkIntervalMs).unref();
  }

  #lose(client: pg.Client, error: Error): void {
    client.removeAllListeners();
    // Further errors of a lost connection would otherwise be uncaught.
    client.on("error", () => {});
    if (this.#isClosed) return;
    this.#client = undefined;
    this.#wasInterrupted = true;
    clearTimeout(this.#timer);
    this.#log.warn({ err: error }, "the database connection that listens for events was lost, reconnecting");
    client.end().catch((failure) => this.#log.debug({ err: failure }, "could not close a lost connection"));
    this.#failures += 1;
    this.#timer = setTimeout(() => void this.#connect(), retryDelay(this.#failures, backoff)).unref();
  }
}
