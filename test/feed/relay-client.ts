import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import type { RelayedStream } from "../../src/features/camera-feed/relays/relayed-stream.js";
import { StreamRelays } from "../../src/features/camera-feed/relays/stream-relay.js";
import { cameraNetworks } from "./scripted-server.js";

/** A connection to a relay, as ffmpeg opens one. */
export class RelayClient {
  #received = Buffer.alloc(0);
  readonly #closed: Promise<void>;

  private constructor(readonly socket: Socket) {
    this.#closed = new Promise((resolve) => void socket.once("close", () => resolve()));
    socket
      .on("error", () => {})
      .on("data", (bytes) => {
        this.#received = Buffer.concat([this.#received, bytes]);
      });
  }

  /** Connects to the relay of a stream, until the running test ends. */
  static async connect(stream: RelayedStream): Promise<RelayClient> {
    const { port } = new URL(stream.url);
    const socket = connect(Number(port), "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    const client = new RelayClient(socket);
    await once(socket, "connect");
    return client;
  }

  get text(): string {
    return this.#received.toString("latin1");
  }

  get bytes(): Buffer {
    return this.#received;
  }

  /** Waits until a text has arrived. Returns all that did. */
  async until(wanted: string | RegExp): Promise<string> {
    await Promise.race([
      this.#until(wanted),
      this.#closed.then(() => Promise.reject(new Error("The relay hung up"))),
    ]);
    return this.text;
  }

  /** Waits for the end of the connection. Returns all that arrived. */
  async ended(): Promise<string> {
    await this.#closed;
    return this.text;
  }

  async #until(wanted: string | RegExp): Promise<void> {
    const isThere = () => (typeof wanted === "string" ? this.text.includes(wanted) : wanted.test(this.text));
    while (!isThere()) await new Promise((resolve) => void this.socket.once("data", resolve));
  }
}

/** Opens a stream whose relay closes when the running test ends. */
export async function openStream(
  url: string,
  options: Partial<ConstructorParameters<typeof StreamRelays>[0]> = {},
): Promise<RelayedStream> {
  const stream = await new StreamRelays({ allowedNetworks: cameraNetworks, ...options }).open(url);
  onTestFinished(() => stream.close());
  return stream;
}

/** An answer of a proxy. */
export interface ProxyAnswer {
  status: number;
  headers: IncomingMessage["headers"];
  text: string;
}

/** Asks as ffmpeg does: by the proxy, which it tells the password of the proxy's URL. */
export async function askProxy(
  stream: RelayedStream,
  url: string = stream.url,
  headers: Record<string, string> = {},
): Promise<ProxyAnswer> {
  const proxy = new URL(stream.options.http_proxy as string);
  const password = Buffer.from(`${proxy.username}:${proxy.password}`).toString("base64");
  const asked = request({
    host: proxy.hostname,
    port: proxy.port,
    // The proxy is not told the user of the URL.
    path: (url.startsWith("/") ? new URL(url, stream.url).href : url).replace(/\/\/[^/]*@/, "//"),
    headers: { host: "camera", "proxy-authorization": `Basic ${password}`, ...headers },
  });
  onTestFinished(() => void asked.destroy());
  asked.end();
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  const text = (await buffer(response)).toString("latin1");
  return { status: response.statusCode as number, headers: response.headers, text };
}
