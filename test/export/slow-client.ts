import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { authorizationOf, type Gateway, type Sender } from "../support/harness.js";

/**
 * The body that was received: complete, or up to the point where the connection was lost.
 */
export interface ReceivedBody {
  whole: boolean;
  bytes: Buffer;
}

/**
 * A client that has received the headers of a response and does not read its body until
 * {@link read} is called.
 */
export class SlowClient {
  readonly #response: IncomingMessage;

  constructor(response: IncomingMessage) {
    this.#response = response;
    // A disconnect is reported where the body is read.
    response.on("error", () => {});
  }

  get status(): number | undefined {
    return this.#response.statusCode;
  }

  /** Reads the rest of the body. */
  async read(): Promise<ReceivedBody> {
    const chunks: Buffer[] = [];
    this.#response.on("data", (chunk) => chunks.push(chunk));
    if (!this.#response.closed) await new Promise((resolve) => this.#response.once("close", resolve));
    return { whole: this.#response.complete, bytes: Buffer.concat(chunks) };
  }

  /** Closes the connection. */
  disconnect(): void {
    this.#response.destroy();
  }
}

/**
 * Sends a request on a separate connection, and waits for the headers of the response.
 */
export async function requestSlowly(
  gateway: Gateway,
  path: string,
  as: Sender,
  requestId: string,
): Promise<SlowClient> {
  const authorization = await authorizationOf(as);
  const headers = { "x-request-id": requestId, ...(authorization && { authorization }) };
  const outgoing = request(new URL(path, gateway.url), { agent: false, headers });
  outgoing.on("error", () => {});
  outgoing.end();
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  return new SlowClient(response);
}

/** Sends a request and disconnects as soon as it has been written. */
export async function requestAndDisconnect(gateway: Gateway, path: string, as: Sender): Promise<void> {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  const head = [
    `GET ${path} HTTP/1.1`,
    `host: ${hostname}:${port}`,
    `authorization: ${await authorizationOf(as)}`,
    "",
    "",
  ];
  socket.end(head.join("\r\n"), () => socket.destroy());
  await new Promise((resolve) => socket.once("close", resolve));
}

/** Waits until a value has been unchanged for a number of checks. */
export async function waitUntilStable<Value>(read: () => Value, checks = 15): Promise<Value> {
  let last = read();
  for (let unchanged = 0; unchanged < checks; ) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    const next = read();
    unchanged = next === last ? unchanged + 1 : 0;
    last = next;
  }
  return last;
}
