import { randomUUID } from "node:crypto";
import pg from "pg";
import { Prisma } from "../generated/prisma/client.js";
import type { Logger } from "../platform/log.js";
import type { GatewayEvent } from "../platform/topics.js";
import { type ChannelListener, type EventChannel, type RequestCounts, readCounts, readEvent } from "./event-channel.js";

const channel = "gateway_events";
const countsChannel = "gateway_counts";
/** Of keys in one message: PostgreSQL sends none of 8000 bytes or more. */
const mostCounts = 80;
const firstRetry = 100;
const lastRetry = 5_000;
/** Milliseconds between two looks at a connection that says nothing, and for its answer. */
const checkInterval = 10_000;
const answerTime = 5_000;

/**
 * The channel of instances that share a PostgreSQL server: NOTIFY inside the transaction, so that what is committed is
 * announced and nothing else, and one connection that listens.
 */
export class PostgresqlChannel implements EventChannel {
  readonly transport = "postgresql";
  readonly #settings: pg.ClientConfig;
  readonly #listener: ChannelListener;
  readonly #log: Logger;
  #client: pg.Client | undefined;
  #retry = firstRetry;
  #timer: NodeJS.Timeout | undefined;
  #wasInterrupted = false;
  #isClosed = false;
  readonly #instance = randomUUID();

  private constructor(settings: pg.ClientConfig, listener: ChannelListener, log: Logger) {
    this.#settings = settings;
    this.#listener = listener;
    this.#log = log;
  }

  /** Begins to listen; where that fails it is tried again, for as long as it takes. */
  static async open(settings: pg.ClientConfig, listener: ChannelListener, log: Logger): Promise<PostgresqlChannel> {
    const opened = new PostgresqlChannel(settings, listener, log);
    await opened.#connect();
    return opened;
  }

  get isConnected(): boolean {
    return this.#client !== undefined;
  }

  async enclose(transaction: Prisma.TransactionClient, events: readonly GatewayEvent[]): Promise<void> {
    const messages = events.map((event) => JSON.stringify(event));
    await transaction.$queryRaw(Prisma.sql`SELECT count(pg_notify(${channel}, message)) FROM unnest(${messages}::text[]) AS each(message)`);
  }

  async publish(): Promise<void> {}

  async tellCounts(counts: RequestCounts): Promise<void> {
    const all = Object.entries(counts);
    for (let start = 0; start < all.length; start += mostCounts) {
      const message = JSON.stringify({ instance: this.#instance, counts: Object.fromEntries(all.slice(start, start + mostCounts)) });
      await this.#client?.query("SELECT pg_notify($1, $2)", [countsChannel, message]);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#client?.end();
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({ ...this.#settings, application_name: "camera-monitoring-gateway events", query_timeout: answerTime });
    const lose = (error: Error) => this.#lose(client, error);
    client.on("error", lose);
    client.on("end", () => lose(new Error("The connection that listens for events has ended")));
    client.on("notification", ({ channel: name, payload = "" }) => {
      if (name === countsChannel) return this.#takeCounts(payload);
      const event = readEvent(payload);
      if (event) this.#listener.received(event);
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${channel}; LISTEN ${countsChannel}`);
    } catch (error) {
      lose(error as Error);
      return;
    }
    if (this.#isClosed) return void (await client.end());
    this.#client = client;
    this.#retry = firstRetry;
    this.#check(client);
    if (this.#wasInterrupted) this.#listener.resumed();
  }

  #takeCounts(payload: string): void {
    const message = readCounts(payload);
    if (message && message.instance !== this.#instance) this.#listener.counted(message.counts);
  }

  /** A server that vanished without a word would else be listened to for hours. */
  #check(client: pg.Client): void {
    this.#timer = setTimeout(() => {
      client.query("SELECT 1").then(
        () => this.#client === client && this.#check(client),
        (error) => this.#lose(client, error),
      );
    }, checkInterval).unref();
  }

  #lose(client: pg.Client, error: Error): void {
    client.removeAllListeners();
    // Whatever it still has to say was said.
    client.on("error", () => {});
    if (this.#isClosed) return;
    this.#client = undefined;
    this.#wasInterrupted = true;
    clearTimeout(this.#timer);
    this.#log.warn({ err: error }, "the database connection that listens for events was lost, and is opened again");
    client.end().catch((fault) => this.#log.debug({ err: fault }, "a lost connection could not be ended"));
    this.#timer = setTimeout(() => void this.#connect(), this.#retry * (0.5 + Math.random() / 2)).unref();
    this.#retry = Math.min(this.#retry * 2, lastRetry);
  }
}
