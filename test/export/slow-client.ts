import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { authorizationOf, type Gateway, type Sender } from "../support/harness.js";

/** What came of a body: all of it, or what there was when the connection broke. */
export interface Arrived {
  whole: boolean;
  bytes: Buffer;
}

/** A client that has seen the head of an answer, and takes nothing more until it is told to. */
export class SlowClient {
  readonly #response: IncomingMessage;

  constructor(response: IncomingMessage) {
    this.#response = response;
    // Who hangs up, or is hung up on, is told so where the body is read.
    response.on("error", () => {});
  }

  get status(): number | undefined {
    return this.#response.statusCode;
  }

  /** Takes the rest, to the end. */
  async read(): Promise<Arrived> {
    const chunks: Buffer[] = [];
    this.#response.on("data", (chunk) => chunks.push(chunk));
    if (!this.#response.closed) await new Promise((resolve) => this.#response.once("close", resolve));
    return { whole: this.#response.complete, bytes: Buffer.concat(chunks) };
  }

  /** Goes away without a word. */
  hangUp(): void {
    this.#response.destroy();
  }
}

/** Asks for something on a connection of its own, and waits for the head of the answer. */
export async function askSlowly(gateway: Gateway, path: string, as: Sender, requestId: string): Promise<SlowClient> {
  const authorization = await authorizationOf(as);
  const headers = { "x-request-id": requestId, ...(authorization && { authorization }) };
  const outgoing = request(new URL(path, gateway.url), { agent: false, headers });
  outgoing.on("error", () => {});
  outgoing.end();
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  return new SlowClient(response);
}

/** Asks for something, and hangs up as soon as the request is on its way. */
export async function askAndGo(gateway: Gateway, path: string, as: Sender): Promise<void> {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  const head = [`GET ${path} HTTP/1.1`, `host: ${hostname}:${port}`, `authorization: ${await authorizationOf(as)}`, "", ""];
  socket.end(head.join("\r\n"), () => socket.destroy());
  await new Promise((resolve) => socket.once("close", resolve));
}

/** Waits until something has stayed the same for some looks. */
export async function settled<Value>(look: () => Value, looks = 15): Promise<Value> {
  let last = look();
  for (let same = 0; same < looks; ) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    const next = look();
    same = next === last ? same + 1 : 0;
    last = next;
  }
  return last;
}
