import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import { createServer } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { Aedes, type AuthenticateError } from "aedes";
import { eventually } from "../support/eventually.js";

interface BrokerOptions {
  /** The passwords by user; anybody may connect without them. */
  users?: Record<string, string>;
  /** The certificate of mqtts://. */
  tls?: { key: Buffer; cert: Buffer };
  /** The topics that nobody may subscribe to. */
  forbidden?: string[];
}

/** An MQTT broker on loopback. */
export class MqttBroker {
  /** The passwords by user, which a test may change. */
  readonly users: Record<string, string>;
  readonly #retained = new Map<string, string>();
  readonly #subscribers = new Set<string>();
  readonly #options: BrokerOptions;
  #broker: Aedes | undefined;
  #server: Server | undefined;
  #port = 0;

  private constructor(options: BrokerOptions) {
    this.#options = options;
    this.users = { ...options.users };
  }

  /** Starts a broker that ends with the running test. */
  static async forTest(options: BrokerOptions = {}): Promise<MqttBroker> {
    const broker = new MqttBroker(options);
    await broker.start();
    onTestFinished(() => broker.stop());
    return broker;
  }

  get url(): string {
    return this.#options.tls ? `mqtts://localhost:${this.#port}` : `mqtt://127.0.0.1:${this.#port}`;
  }

  /** Waits until a topic retains a text. */
  async retains(topic: string, text: string): Promise<void> {
    await eventually(
      async () => this.#retained.get(topic),
      (found) => found === text,
    );
  }

  /** Waits until somebody listens. */
  async isHeard(): Promise<void> {
    await eventually(
      async () => this.#subscribers.size,
      (count) => count > 0,
    );
  }

  /** Starts it, after a stop on the same port. */
  async start(): Promise<void> {
    const { users, tls, forbidden = [] } = this.#options;
    const isRight = (name: string | undefined, password: string | undefined) =>
      !users || (name !== undefined && this.users[name] === password);
    this.#broker = await Aedes.createBroker({
      // The test publishes faster than networks.
      queueLimit: 1_000_000,
      authenticate: (_client, username, password, done) => {
        const refused = Object.assign(new Error("refused"), { returnCode: 5 }) as AuthenticateError;
        if (isRight(username, password?.toString())) done(null, true);
        else done(refused, false);
      },
      authorizeSubscribe: (_client, subscription, done) =>
        done(null, forbidden.includes(subscription.topic) ? null : subscription),
    });
    this.#broker.on("publish", ({ topic, payload, retain }) => {
      if (retain) this.#retained.set(topic, payload.toString());
    });
    this.#broker.on("subscribe", (_, { id }) => this.#subscribers.add(id));
    this.#broker.on("clientDisconnect", ({ id }) => this.#subscribers.delete(id));
    const { handle } = this.#broker;
    this.#server = tls ? createTlsServer(tls, handle) : createServer(handle);
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    if (!this.#broker || !this.#server) return;
    const [broker, server] = [this.#broker, this.#server];
    this.#broker = undefined;
    this.#subscribers.clear();
    const closed = once(server, "close");
    server.close();
    await new Promise<void>((resolve) => broker.close(() => resolve()));
    await closed;
  }

  /**
   * Publishes a message: as it is, or as JSON. While the broker is stopped, nobody hears
   * it.
   */
  async publish(topic: string, message: unknown, { retain = false } = {}): Promise<void> {
    const broker = this.#broker;
    if (!broker) return;
    const payload =
      typeof message === "string" || Buffer.isBuffer(message) ? message : JSON.stringify(message);
    await new Promise<void>((resolve, reject) =>
      broker.publish({ cmd: "publish", topic, payload, qos: 1, dup: false, retain }, (error) =>
        error ? reject(error) : resolve(),
      ),
    );
  }
}
