import { expect, onTestFinished } from "vitest";
import { type ClientOptions, WebSocket } from "ws";
import { authorizationOf, type Gateway, type Sender } from "../support/harness.js";

/** A message of graphql-transport-ws. */
export interface Message {
  type: string;
  id?: string;
  payload?: unknown;
}

/** What a subscriber is sent. */
export interface Result<Data = Record<string, unknown>> {
  data?: Data | null;
  errors?: { message: string; path?: (string | number)[]; extensions: { code: string } }[];
}

export interface SocketOptions extends ClientOptions {
  /** `connection_init` is sent for them; without it the test sends what it wants. */
  as?: Sender;
  path?: string;
  subprotocols?: string[];
}

/** The sockets that tests have open. */
const held = new WeakMap<Gateway, Set<WebSocket>>();

/** A WebSocket client that shows everything it receives. It is closed with the test. */
export class LiveSocket {
  readonly messages: Message[] = [];
  ended: { code: number; reason: string } | undefined;

  constructor(readonly socket: WebSocket) {
    socket.on("message", (text) => this.messages.push(JSON.parse(String(text))));
    socket.on("close", (code, reason) => {
      this.ended = { code, reason: String(reason) };
    });
    // A refused upgrade is told by `open`, a broken connection by its end.
    socket.on("error", () => {});
  }

  send(message: Message | string): void {
    this.socket.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  /** Subscribes without waiting for anything. */
  subscribe(query: string, { id = "1", ...payload }: { id?: string; variables?: object; operationName?: string } = {}): void {
    this.send({ type: "subscribe", id, payload: { query, ...payload } });
  }

  /** What was sent under the id of a subscription. */
  results<Data = Record<string, unknown>>(id = "1"): Result<Data>[] {
    return this.messages.filter((message) => message.type === "next" && message.id === id).map(({ payload }) => payload as Result<Data>);
  }

  /** The codes of an operation's `error` message. */
  errors(id = "1"): string[] | undefined {
    const message = this.messages.find(({ type, id: of }) => type === "error" && of === id);
    return (message?.payload as Result["errors"])?.map(({ extensions }) => extensions.code);
  }

  /** Waits for the close of the socket. */
  async closed(): Promise<{ code: number; reason: string }> {
    await expect.poll(() => this.ended, { timeout: 15_000 }).toBeDefined();
    return this.ended as { code: number; reason: string };
  }

  /** Waits until something of a type has come. */
  async received(type: string): Promise<void> {
    await expect.poll(() => this.ended ?? this.messages.map((message) => message.type)).toContain(type);
  }
}

/** Opens a socket; the status and code of the refusal where it is refused. */
export async function openSocket(gateway: Gateway, options: SocketOptions = {}): Promise<LiveSocket> {
  const outcome = await tryToOpen(gateway, options);
  if (outcome instanceof LiveSocket) return outcome;
  throw new Error(`The socket was refused: ${JSON.stringify(outcome)}`);
}

/** Opens a socket, or tells how it was refused. */
export async function tryToOpen(gateway: Gateway, options: SocketOptions = {}): Promise<LiveSocket | { status: number | undefined; body: string }> {
  const { as, path = "/graphql", subprotocols = ["graphql-transport-ws"], ...others } = options;
  const socket = new WebSocket(`${gateway.url.replace("http", "ws")}${path}`, subprotocols, others);
  const live = new LiveSocket(socket);
  onTestFinished(() => socket.terminate());
  const sockets = held.get(gateway) ?? new Set();
  held.set(gateway, sockets.add(socket));
  socket.once("close", () => sockets.delete(socket));
  const refusal = await new Promise<{ status: number | undefined; body: string } | undefined>((resolve) => {
    socket.once("open", () => resolve(undefined));
    socket.once("unexpected-response", async (_request, response) => {
      let body = "";
      for await (const chunk of response) body += chunk;
      resolve({ status: response.statusCode, body });
    });
  });
  if (refusal) return refusal;
  if (as) {
    live.send({ type: "connection_init", payload: { authorization: await authorizationOf(as) } });
    await live.received("connection_ack");
  }
  return live;
}

/** A figure that the gateway tells Prometheus. */
export async function metric(gateway: Gateway, name: string): Promise<number> {
  const text = await (await gateway.fetch("/metrics")).text();
  return text
    .split("\n")
    .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
    .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

/** How many subscriptions are running, once the gateway has noticed all sockets that were closed. */
export async function subscriptionsOf(gateway: Gateway): Promise<number> {
  const unnoticed = async () => (await metric(gateway, "gateway_sockets_open")) - (held.get(gateway)?.size ?? 0);
  await expect.poll(unnoticed, { timeout: 5_000 }).toBe(0);
  return metric(gateway, "gateway_subscriptions_open");
}

/** Waits until so many subscriptions are running. */
export async function running(gateway: Gateway, subscriptions: number): Promise<void> {
  await expect.poll(() => metric(gateway, "gateway_subscriptions_open")).toBe(subscriptions);
}

/** Opens a socket with one subscription, and waits until it runs. */
export async function subscriber(gateway: Gateway, as: Sender, query: string, variables?: object): Promise<LiveSocket> {
  const before = await subscriptionsOf(gateway);
  const live = await openSocket(gateway, { as });
  live.subscribe(query, { variables });
  await running(gateway, before + 1);
  return live;
}
