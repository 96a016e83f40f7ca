import { randomBytes } from "node:crypto";
import { connect, type IClientOptions, type MqttClient } from "mqtt";
import type { Logger } from "../../../platform/telemetry/log.js";
import { errorOf } from "../../../platform/thrown.js";
import type { SharedConfiguration } from "./configuration.js";
import type { Connector } from "./connector.js";
import { delayAfter } from "./retries.js";

type BrokerSettings = SharedConfiguration["broker"];

export interface BrokerMessage {
  topic: string;
  payload: Buffer;
  /** Whether the broker had kept it: it is what was last published, at any time before. */
  isRetained: boolean;
}

interface BrokerListener {
  onMessage: (message: BrokerMessage) => void;
  /** Hears of each new connection, once the topics are subscribed. */
  onConnected?: () => void;
  onLost?: () => void;
}

/** How long the client waits for the broker to respond, and for the end of a connection. */
const responseTimeoutMs = 10_000;
const closeMs = 2000;

/** Keeps a connection to an MQTT broker, and its subscriptions. */
export class BrokerConnection {
  readonly #client: MqttClient;
  readonly #log: Logger;
  readonly #topics: readonly string[];
  readonly #listener: BrokerListener;
  readonly #statusTopic: string | undefined;
  #reconnection: NodeJS.Timeout | undefined;
  #failures = 0;
  /** Why the connection is missing, as far as it was logged. */
  #loggedReason: string | undefined;
  #reason = "the broker closed the connection";
  #isClosed = false;

  constructor(settings: BrokerSettings, topics: readonly string[], log: Logger, listener: BrokerListener) {
    this.#log = log;
    this.#topics = topics;
    this.#listener = listener;
    this.#statusTopic = settings.statusTopic;
    this.#client = connect(settings.url, clientOptions(settings));
    this.#client
      .on("connect", () => void this.#connected())
      .on("message", (topic, payload, { retain }) =>
        listener.onMessage({ topic, payload, isRetained: retain }),
      )
      .on("error", (error) => {
        this.#reason = describe(error);
      })
      .on("close", () => this.#lost());
  }

  get isConnected(): boolean {
    return this.#client.connected;
  }

  /** Publishes a message, if there is a connection. */
  publish(topic: string, payload: string, retain = false): void {
    if (this.#client.connected) this.#client.publish(topic, payload, { qos: 1, retain }, () => {});
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#reconnection);
    if (this.#statusTopic && this.#client.connected) this.publish(this.#statusTopic, "offline", true);
    await ended(this.#client);
  }

  async #connected(): Promise<void> {
    try {
      await subscribe(this.#client, this.#topics);
    } catch (error) {
      this.#reason = describe(errorOf(error));
      // A broker may allow it later.
      return void this.#client.stream.destroy();
    }
    this.#failures = 0;
    this.#loggedReason = undefined;
    this.#reason = "the broker closed the connection";
    if (this.#statusTopic) this.publish(this.#statusTopic, "online", true);
    this.#log.info("Connected to the broker");
    this.#listener.onConnected?.();
  }

  #lost(): void {
    if (this.#isClosed) return;
    this.#failures += 1;
    if (this.#loggedReason !== this.#reason) {
      this.#log.warn(`There is no connection to the broker: ${this.#reason}; trying again`);
      this.#loggedReason = this.#reason;
    }
    this.#listener.onLost?.();
    clearTimeout(this.#reconnection);
    this.#reconnection = setTimeout(() => this.#client.reconnect(), delayAfter(this.#failures));
  }
}

/** Keeps a connection of a connector to its broker, until the connector stops. */
export function connectToBroker(
  { configuration, log, metrics, disposers }: Connector,
  topics: readonly string[],
  listener: BrokerListener,
): BrokerConnection {
  const broker = new BrokerConnection(configuration.broker, topics, log, listener);
  metrics.watchBroker(() => broker.isConnected);
  disposers.defer(() => broker.close());
  return broker;
}

/** Connects to a broker and subscribes, once. Throws what is wrong, in words for the author of the configuration. */
export async function tryBroker(settings: BrokerSettings, topics: readonly string[]): Promise<void> {
  const { statusTopic: _, ...others } = settings;
  const client = connect(others.url, clientOptions(others));
  try {
    await new Promise<void>((resolve, reject) => {
      client
        .once("connect", () => resolve())
        .on("error", reject)
        .once("close", () => reject(new Error("the broker closed the connection")));
    });
    await subscribe(client, topics);
  } catch (error) {
    throw new Error(describe(errorOf(error)));
  } finally {
    await ended(client);
  }
}

function clientOptions({ username, password, caFile, statusTopic }: BrokerSettings): IClientOptions {
  return {
    // Two programs with the same id would end each other's connections.
    clientId: `connector-${randomBytes(7).toString("hex")}`,
    clean: true,
    connectTimeout: responseTimeoutMs,
    // The delays here are to grow, and to differ between programs.
    reconnectPeriod: 0,
    resubscribe: false,
    queueQoSZero: false,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(caFile !== undefined && { ca: caFile }),
    ...(statusTopic !== undefined && {
      will: { topic: statusTopic, payload: Buffer.from("offline"), qos: 1 as const, retain: true },
    }),
  };
}

async function subscribe(client: MqttClient, topics: readonly string[]): Promise<void> {
  const refused: string[] = [];
  const outcomes = topics.map((topic) =>
    client.subscribeAsync(topic, { qos: 1 }).catch((error: Error) => {
      if (!client.connected) throw error;
      refused.push(topic);
    }),
  );
  await Promise.all(outcomes);
  if (refused.length > 0)
    throw new Error(`the broker does not let the user subscribe to ${refused.join(", ")}`);
}

/** The end of a client, in the ways of MQTT if the broker still responds. */
async function ended(client: MqttClient): Promise<void> {
  const forced = setTimeout(() => client.end(true), closeMs);
  await new Promise<void>((resolve) => client.end(false, () => resolve()));
  clearTimeout(forced);
}

function describe(error: Error & { code?: unknown; errors?: Error[] }): string {
  // Both addresses of a host were refused.
  const [first = error] = error.errors ?? [];
  return first.message || String(error.code ?? "unknown error");
}
