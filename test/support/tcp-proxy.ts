import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A connection of a client, and the one that continues it to the server. */
interface Flow {
  client: Socket;
  /** Absent if the connection was made while new ones vanished. */
  target?: Socket;
  hasVanished: boolean;
}

const defaultPorts: Record<string, number> = {
  "postgresql:": 5432,
  "postgres:": 5432,
  "redis:": 6379,
  "http:": 80,
};

/** A TCP proxy on loopback that fails in the ways of networks. */
export class TcpProxy {
  readonly #server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.#accept(client));
  readonly #flows = new Set<Flow>();
  readonly #target: URL;
  #port = 0;
  #newVanish = false;
  #delayMs = 0;

  private constructor(target: URL) {
    this.#target = target;
  }

  /** Opens a proxy to the server of a URL. */
  static async open(url: string): Promise<TcpProxy> {
    const proxy = new TcpProxy(new URL(url));
    await proxy.reconnect();
    proxy.#port = (proxy.#server.address() as AddressInfo).port;
    return proxy;
  }

  /** The server's URL, by way of the proxy. */
  get url(): string {
    const url = new URL(this.#target);
    url.host = `127.0.0.1:${this.#port}`;
    return url.href;
  }

  /**
   * The number of connections that clients have open, including those that have vanished.
   */
  get connections(): number {
    return [...this.#flows].filter(({ client }) => !client.readableEnded && !client.destroyed).length;
  }

  /**
   * From now on, the open connections swallow every byte and every close in both
   * directions, and never recover. With `all`, new ones are accepted, but never answered.
   */
  vanish(which: "open" | "all"): void {
    this.#newVanish = which === "all";
    for (const flow of this.#flows) flow.hasVanished = true;
  }

  /**
   * Lets new connections through again, without delay. Those that
   * vanished stay so.
   */
  restore(): void {
    this.#newVanish = false;
    this.#delayMs = 0;
  }

  /** Delays all data in both directions by a number of milliseconds. */
  delay(milliseconds: number): void {
    this.#delayMs = milliseconds;
  }

  /** Resets all connections on both sides, also those that have vanished. */
  reset(): void {
    for (const { client, target } of this.#flows) {
      client.resetAndDestroy();
      target?.resetAndDestroy();
    }
    this.#flows.clear();
  }

  /** Closes all connections and refuses new ones. */
  async disconnect(): Promise<void> {
    const closed = this.#server.listening ? once(this.#server, "close") : undefined;
    this.#server.close();
    for (const { client, target } of this.#flows) {
      client.destroy();
      target?.destroy();
    }
    this.#flows.clear();
    await closed;
  }

  /** Accepts connections again. */
  async reconnect(): Promise<void> {
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
  }

  #accept(client: Socket): void {
    const flow: Flow = { client, hasVanished: this.#newVanish };
    this.#flows.add(flow);
    // If a flow has vanished, its server side is still there.
    client.on("close", () => !flow.hasVanished && this.#flows.delete(flow));
    if (!this.#newVanish) {
      const { hostname, port, protocol } = this.#target;
      const host = hostname.replace(/^\[|\]$/g, "");
      flow.target = connect({
        host,
        port: Number(port || defaultPorts[protocol]),
        allowHalfOpen: true,
        noDelay: true,
      });
      void this.#forward(flow, flow.target, client);
    }
    void this.#forward(flow, client, flow.target);
  }

  /** Forwards what a socket receives, and its end, unless the flow has vanished. */
  async #forward(flow: Flow, source: Socket, destination: Socket | undefined): Promise<void> {
    // Also an error that occurs when nothing is read any more must not go unhandled.
    source.on("error", () => {});
    try {
      for await (const received of source.iterator({ destroyOnReturn: false })) {
        if (this.#delayMs > 0) await sleep(this.#delayMs);
        if (destination && !flow.hasVanished) await send(destination, received);
      }
      if (!flow.hasVanished) destination?.end();
    } catch {
      if (!flow.hasVanished) destination?.destroy();
    }
  }
}

/** Writes, and waits until the socket takes more or is closed. */
async function send(socket: Socket, bytes: Buffer): Promise<void> {
  if (socket.writable && !socket.write(bytes))
    await Promise.race([once(socket, "drain"), once(socket, "close")]);
}
