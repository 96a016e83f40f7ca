import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { Aedes } from "aedes";
import { onTestFinished } from "vitest";

/** An MQTT broker that can be stopped, and started again at the same address. */
export class MqttBroker {
  #aedes: Aedes | null = null;
  #server: Server | null = null;
  readonly #sockets = new Set<Socket>();
  #port = 0;

  /** A broker that ends with the running test. */
  static async forTest(): Promise<MqttBroker> {
    const broker = new MqttBroker();
    await broker.start();
    onTestFinished(() => broker.stop());
    return broker;
  }

  get url(): string {
    return `mqtt://127.0.0.1:${this.#port}`;
  }

  /** The number of clients that have subscribed to something. */
  get subscribers(): number {
    return this.#subscribers.size;
  }
  readonly #subscribers = new Set<string>();

  async start(): Promise<void> {
    const aedes = await Aedes.createBroker();
    this.#aedes = aedes;
    aedes.on("subscribe", (_, { id }) => this.#subscribers.add(id));
    aedes.on("clientDisconnect", ({ id }) => this.#subscribers.delete(id));
    this.#server = createServer((socket) => {
      this.#sockets.add(socket.on("close", () => this.#sockets.delete(socket)));
      aedes.handle(socket);
    }).listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.#subscribers.clear();
    const [aedes, server] = [this.#aedes, this.#server];
    this.#aedes = null;
    this.#server = null;
    if (!aedes || !server) return;
    server.close();
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => aedes.close(() => resolve()));
  }

  /** Publishes a message; while the broker is stopped, nobody hears it. */
  async publish(topic: string, message: object | string, { retain = false } = {}): Promise<void> {
    const payload = typeof message === "string" ? message : JSON.stringify(message);
    const packet = { cmd: "publish" as const, topic, payload, qos: 0 as const, retain, dup: false };
    await new Promise<void>((resolve) => {
      if (this.#aedes) this.#aedes.publish(packet, () => resolve());
      else resolve();
    });
  }
}
