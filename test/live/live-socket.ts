import { type ClientOptions, WebSocket } from "ws";
import { metricsOf, sumOf } from "../monitoring/exposition.js";
import { authorizationOf, type Call, type Gateway, type Sender } from "../support/harness.js";

/** A message of graphql-transport-ws. */
export interface Message {
  type: string;
  id?: string;
  payload?: unknown;
}

/** A result that is sent to a subscriber. */
export interface Result<Data = Record<string, unknown>> {
  data?: Data | null;
  errors?: { message: string; path?: (string | number)[]; extensions: { code: string } }[];
}

export interface SocketOptions extends ClientOptions {
  /** The caller for `connection_init`. Without one, the test sends it. */
  as?: Sender;
  path?: string;
  subprotocols?: string[];
}

/** The open sockets of the tests. */
const socketsByGateway = new WeakMap<Gateway, Set<WebSocket>>();

/**
 * A WebSocket client that records everything it receives. It is closed at the end of the
 * test.
 */
export class LiveSocket {
  readonly messages: Message[] = [];
  ended: { code: number; reason: string } | undefined;

  constructor(readonly socket: WebSocket) {
    socket.on("message", (text) => this.messages.push(JSON.parse(String(text))));
    socket.on("close", (code, reason) => {
      this.ended = { code, reason: String(reason) };
    });
    // A rejected upgrade is reported by `tryToOpen`, a lost connection by `close`.
    socket.on("error", () => {});
  }

  send(message: Message | string): void {
    this.socket.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  /** Subscribes without waiting. */
  subscribe(
    query: string,
    { id = "1", ...payload }: { id?: string; variables?: object; operationName?: string } = {},
  ): void {
    this.send({ type: "subscribe", id, payload: { query, ...payload } });
  }

  /** The results sent for a subscription. */
  results<Data = Record<string, unknown>>(id = "1"): Result<Data>[] {
    return this.messages
      .filter((message) => message.type === "next" && message.id === id)
      .map(({ payload }) => payload as Result<Data>);
  }

  /** The ids of what a subscription of one field has sent. */
  ids(id = "1"): (string | undefined)[] {
    return this.results<Record<string, { id: string }>>(id).map(
      ({ data }) => Object.values(data ?? {})[0]?.id,
    );
  }

  /** The codes of the `error` message of an operation. */
  errors(id = "1"): string[] | undefined {
    const message = this.messages.find(({ type, id: of }) => type === "error" && of === id);
    return (message?.payload as Result["errors"])?.map(({ extensions }) => extensions.code);
  }

  /** Waits until the socket is closed. */
  async closed(): Promise<{ code: number; reason: string }> {
    await expect.poll(() => this.ended).toBeDefined();
    return this.ended as { code: number; reason: string };
  }

  /** Waits until a message of a type was received. */
  async received(type: string): Promise<void> {
    await expect.poll(() => this.ended ?? this.messages.map((message) => message.type)).toContain(type);
  }
}

/** Opens a socket, and fails if the upgrade is rejected. */
export async function openSocket(gateway: Gateway, options: SocketOptions = {}): Promise<LiveSocket> {
  const outcome = await tryToOpen(gateway, options);
  if (outcome instanceof LiveSocket) return outcome;
  throw new Error(`The upgrade was rejected: ${JSON.stringify(outcome)}`);
}

/** Opens a socket, or returns the response that rejected it. */
export async function tryToOpen(
  gateway: Gateway,
  options: SocketOptions = {},
): Promise<LiveSocket | { status: number | undefined; body: string }> {
  const { as, path = "/graphql", subprotocols = ["graphql-transport-ws"], ...others } = options;
  const socket = new WebSocket(`${gateway.url.replace("http", "ws")}${path}`, subprotocols, others);
  const live = new LiveSocket(socket);
  onTestFinished(() => socket.terminate());
  const sockets = socketsByGateway.get(gateway) ?? new Set();
  socketsByGateway.set(gateway, sockets.add(socket));
  socket.once("close", () => sockets.delete(socket));
  const rejection = await new Promise<{ status: number | undefined; body: string } | undefined>((resolve) => {
    socket.once("open", () => resolve(undefined));
    socket.once("unexpected-response", async (_request, response) => {
      let body = "";
      for await (const chunk of response) body += chunk;
      resolve({ status: response.statusCode, body });
    });
  });
  if (rejection) return rejection;
  if (as) {
    live.send({ type: "connection_init", payload: { authorization: await authorizationOf(as) } });
    await live.received("connection_ack");
  }
  return live;
}

/** Reports that the device of a facility is there, which is an event for subscribers. */
export const heartbeat = (facilityId: string): Call => [
  "mutation ($id: UUID!) { recordHeartbeat(facilityId: $id) { id } }",
  { id: facilityId },
];
export const heartbeats = "subscription { facilityHeartbeat { id } }";

/** A metric of the gateway, over all labels. */
export const metric = async (gateway: Gateway, name: string): Promise<number> =>
  sumOf(await metricsOf(gateway), name);

/**
 * The number of active subscriptions, once the gateway has detected all closed sockets.
 */
export async function subscriptionsOf(gateway: Gateway): Promise<number> {
  const countUnnoticed = async () =>
    (await metric(gateway, "gateway_sockets_open")) - (socketsByGateway.get(gateway)?.size ?? 0);
  await expect.poll(countUnnoticed).toBe(0);
  return metric(gateway, "gateway_subscriptions_open");
}

/** Waits until a number of subscriptions are active. */
export async function running(gateway: Gateway, subscriptions: number): Promise<void> {
  await expect.poll(() => metric(gateway, "gateway_subscriptions_open")).toBe(subscriptions);
}

/** Opens a socket with one subscription and waits until it is active. */
export async function subscriber(
  gateway: Gateway,
  as: Sender,
  query: string,
  variables?: object,
): Promise<LiveSocket> {
  const before = await subscriptionsOf(gateway);
  const live = await openSocket(gateway, { as });
  live.subscribe(query, { variables });
  await running(gateway, before + 1);
  return live;
}
