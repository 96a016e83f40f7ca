import { randomUUID } from "node:crypto";
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { type ExecutionArgs, type GraphQLError, OperationTypeNode } from "graphql";
import {
  CloseCode,
  type ConnectionInitMessage,
  type Context,
  handleProtocols,
  makeServer,
  type OperationResult,
  type Server,
  type SubscribePayload,
} from "graphql-ws";
import { WebSocketServer } from "ws";
import { cacheKey } from "../../engine/access/credentials.js";
import type { RequestMetrics } from "../../engine/http/monitoring/request-metrics.js";
import { isOwnOrigin } from "../../engine/http/web-origin.js";
import type { GatewayServices } from "../../engine/operation/gateway-services.js";
import { RequestContext } from "../../engine/operation/request-context.js";
import { defined } from "../../platform/defined.js";
import { ServiceError, toServiceError } from "../../platform/errors/errors.js";
import { parseJson, RefusedJsonError } from "../../platform/json/bounded-json.js";
import { FairQueue } from "../../platform/queues/fair-queue.js";
import { LogEntry } from "../../platform/telemetry/log-entry.js";
import { countRefusal } from "../../platform/telemetry/refusals.js";
import {
  type AdmissionOptions,
  admitOperation,
  authenticateRequest,
  presentError,
} from "../graphql/admit.js";
import type { Documents } from "../graphql/documents.js";
import type { Operation } from "../graphql/operation-document.js";
import { closeCodeOf, OpenSocket } from "./open-socket.js";
import type { OpenSockets } from "./open-sockets.js";
import { type Subscriptions, subscriptionLimits } from "./subscriptions.js";

const maxMessageBytes = 256 * 1024;
/** The limit until `connection_init` has been accepted. */
const maxAnonymousMessageBytes = 100 * 1024;
const maxIdLength = 128;
/** The time that a client has to send `connection_init`. */
const initTimeoutMs = 5_000;

const admissionOptions: AdmissionOptions = {
  allowAnonymousIntrospection: false,
  operations: [OperationTypeNode.SUBSCRIPTION],
  rejectionMessage: "Only subscriptions run over WebSocket: send queries and mutations by POST",
};

interface SubscriptionServerDependencies {
  services: GatewayServices;
  sockets: OpenSockets;
  subscriptions: Subscriptions;
  documents: Documents;
  metrics: RequestMetrics;
  addressOf: (request: IncomingMessage) => string;
  isDraining: () => boolean;
}

interface SubscriptionServerLimits {
  /** The web origins that may open sockets, in addition to the gateway's own. */
  origins: readonly string[];
  /** The maximum number of sockets of one address that wait for `connection_init`. */
  maxPending: number;
  /** The maximum number of subscriptions on one socket. */
  maxSubscriptions: number;
  /** Milliseconds that a client has to answer the closing of its socket. */
  closeTimeoutMs: number;
}

type SocketContext = Context<ConnectionInitMessage["payload"], OpenSocket>;

/** Accepts WebSockets on /graphql and speaks graphql-transport-ws over them. */
export class SubscriptionServer {
  readonly #dependencies: SubscriptionServerDependencies;
  readonly #limits: SubscriptionServerLimits;
  readonly #server: WebSocketServer;
  readonly #protocol: Server<OpenSocket>;
  readonly #starts = new FairQueue({ ...subscriptionLimits, what: "subscriptions" });

  constructor(dependencies: SubscriptionServerDependencies, limits: SubscriptionServerLimits) {
    this.#dependencies = dependencies;
    this.#limits = limits;
    const { closeTimeoutMs: closeTimeout } = limits;
    this.#server = new WebSocketServer({
      noServer: true,
      maxPayload: maxMessageBytes,
      closeTimeout,
      handleProtocols,
    } as object);
    this.#protocol = makeServer<ConnectionInitMessage["payload"], OpenSocket>({
      connectionInitWaitTimeout: initTimeoutMs,
      onConnect: (context) => this.#connect(context),
      onSubscribe: (context, id, payload) => this.#subscribe(context, id, payload),
      // #start has already admitted and started the subscription, and passes its results
      // on as the root value.
      subscribe: ({ rootValue }) => rootValue as OperationResult,
      onNext: (_context, _id, _payload, _arguments, result) => result as never,
      onError: (_context, _id, _payload, errors) =>
        errors.map((error) => presentError(error, dependencies.services.log)),
    });
  }

  /** Opens or refuses a WebSocket. Call for requests that are {@link isForWebSocket}. */
  receive(request: IncomingMessage, stream: Socket, head: Buffer): void {
    stream.on("error", (error) =>
      this.#dependencies.services.log.debug({ err: error }, "a connection failed during its upgrade"),
    );
    const refused = this.#refusalOf(request);
    if (refused) {
      const { services, addressOf, metrics } = this.#dependencies;
      metrics.recordErrors([refused.code]);
      services.log.warn({ address: addressOf(request), errorCodes: [refused.code] }, "a socket was refused");
      refuse(stream, refused);
    } else this.#upgrade(request, stream, head);
  }

  #upgrade(request: IncomingMessage, stream: Socket, head: Buffer): void {
    this.#server.handleUpgrade(request, stream, head, (socket) => {
      this.#open(
        new OpenSocket(socket, { id: randomUUID(), address: this.#dependencies.addressOf(request) }),
      );
    });
  }

  #refusalOf(request: IncomingMessage): ServiceError | undefined {
    const { sockets, addressOf, isDraining } = this.#dependencies;
    if (isDraining())
      return new ServiceError("UNAVAILABLE", "The gateway is shutting down", { retryAfter: 1 });
    if (!isOwnOrigin(request, this.#limits.origins))
      return new ServiceError("FORBIDDEN", "Pages of this origin may not open WebSockets here");
    if (sockets.pendingFrom(addressOf(request)) < this.#limits.maxPending) return undefined;
    countRefusal("sockets", "address");
    return new ServiceError(
      "RATE_LIMITED",
      "Too many sockets of this address are waiting for connection_init",
      { retryAfter: initTimeoutMs / 1000 },
    );
  }

  #open(open: OpenSocket): void {
    const { sockets, services } = this.#dependencies;
    const { socket } = open;
    sockets.add(open);
    // Otherwise the error would be uncaught. An invalid frame closes the socket with its own close code.
    socket.on("error", (error) => services.log.debug({ err: error, socketId: open.id }, "a socket failed"));
    const failed = (error: unknown) => {
      services.log.error({ err: error, socketId: open.id }, "a message could not be handled");
      open.close(CloseCode.InternalServerError, "Internal server error");
    };
    const closed = this.#protocol.opened(
      {
        protocol: socket.protocol,
        send: (text) => open.send(text),
        close: (code = CloseCode.InternalServerError, reason = "") => open.close(code, reason),
        onMessage: (take) => {
          socket.on("message", (message: Buffer) => {
            if (open.isCongested) open.closeAsTooSlow();
            else if (!open.client && message.length > maxAnonymousMessageBytes) open.closeAsTooLarge();
            else if (open.isOpen) this.#take(open, message, take).catch(failed);
          });
        },
      },
      open,
    );
    socket.once("close", (code, reason) => {
      open.endSubscriptions();
      closed(code, String(reason)).catch(failed);
    });
  }

  /** Passes a message on to graphql-ws, which keeps the text while its subscription runs. */
  async #take(open: OpenSocket, data: Buffer, take: (message: string) => Promise<void>): Promise<void> {
    const text = String(data);
    if (!isClientMessage(text)) return open.close(CloseCode.BadRequest, "Invalid message received");
    // graphql-ws subscribes before it waits for anything.
    open.messageLength = text.length;
    return take(text);
  }

  async #connect(context: SocketContext): Promise<boolean> {
    const { services, sockets } = this.#dependencies;
    const open = context.extra;
    const authorization = authorizationIn(context.connectionParams);
    // graphql-ws would keep the credentials for as long as the socket is open.
    Object.assign(context, { connectionParams: undefined });
    const { id, address, logEntry } = open;
    const origin = { id, address, authorization, via: "GRAPHQL" as const, logEntry };
    try {
      await sockets.observeAccessChanges(open, async () => {
        open.isInitialized = true;
        const identity = await services.authenticator.identify(origin);
        const session = await services.authenticator.authenticate(identity, origin);
        if (open.isOpen)
          sockets.setClient(open, { session, origin, credentialsKey: defined(cacheKey(identity)) });
      });
    } catch (error) {
      const shown = toServiceError(error, (cause) =>
        services.log.error({ err: cause, socketId: open.id }, "a socket could not be opened"),
      );
      logEntry.errorCodes.add(shown.code);
      this.#dependencies.metrics.recordErrors([shown.code]);
      open.close(closeCodeOf(shown), shown.message);
      return false;
    }
    if (open.client) services.log.info({ socketId: id, ...logEntry.fields() }, "a socket was opened");
    return true;
  }

  async #subscribe(
    context: SocketContext,
    id: string,
    payload: SubscribePayload,
  ): Promise<ExecutionArgs | readonly GraphQLError[]> {
    const open = context.extra;
    const { messageLength } = open;
    const { services, sockets } = this.#dependencies;
    if (id.length > maxIdLength) {
      open.close(CloseCode.BadRequest, `Operation ids have at most ${maxIdLength} characters`);
      return [new ServiceError("BAD_REQUEST", "The id is too long")];
    }
    const logEntry = new LogEntry(open.address);
    logEntry.trace = services.tracing?.startRequest("subscribe");
    const receivedAt = performance.now();
    open.starting += 1;
    try {
      // Do not count by id: a client may complete a subscription and reuse its id while
      // the first is still starting.
      if (open.starting + open.subscriptions.size > this.#limits.maxSubscriptions) {
        countRefusal("subscriptions", "socket");
        throw new ServiceError(
          "RATE_LIMITED",
          `At most ${this.#limits.maxSubscriptions} subscriptions may run on one socket`,
          { retryAfter: 60 },
        );
      }
      // graphql-ws accepts subscriptions only after connection_init.
      const { session } = defined(open.client);
      const start = () =>
        sockets.observeAccessChanges(open, () => this.#start(open, payload, messageLength, logEntry));
      const started = await this.#starts.run(session.caller, start);
      this.#recordStart(open, logEntry, receivedAt);
      return started;
    } catch (error) {
      const shown = toServiceError(error, (cause) =>
        services.log.error({ err: cause, socketId: open.id }, "a subscription could not be started"),
      );
      logEntry.errorCodes.add(shown.code);
      this.#recordStart(open, logEntry, receivedAt);
      if (shown.code === "UNAUTHENTICATED") sockets.closeExpired();
      return [withTraceId(shown, logEntry)];
    } finally {
      open.starting -= 1;
    }
  }

  /**
   * Counts a subscription, ends its trace, and logs one line. A subscription over a limit gets no line, because a
   * client may send any number of those. The socket's last line mentions them instead.
   */
  #recordStart(open: OpenSocket, logEntry: LogEntry, receivedAt: number): void {
    const { services, metrics } = this.#dependencies;
    const { log } = services;
    const { errorCodes } = logEntry;
    const milliseconds = performance.now() - receivedAt;
    metrics.recordOperation(logEntry, milliseconds / 1000);
    logEntry.trace?.end("subscribe", errorCodes);
    const fields = { socketId: open.id, ...logEntry.fields(), responseTime: Math.round(milliseconds) };
    if (errorCodes.has("RATE_LIMITED")) open.logEntry.errorCodes.add("RATE_LIMITED");
    else if (errorCodes.size > 0) log.warn(fields, "a subscription was refused");
    else log.info(fields, "a subscription was started");
  }

  async #start(
    open: OpenSocket,
    payload: SubscribePayload,
    messageLength: number,
    logEntry: LogEntry,
  ): Promise<ExecutionArgs | readonly GraphQLError[]> {
    const { services, documents, subscriptions } = this.#dependencies;
    const { operationName, variables } = payload;
    if (!open.isOpen) throw new ServiceError("UNAVAILABLE", "The socket was closed", { retryAfter: 1 });
    const origin = { ...defined(open.client).origin, logEntry };
    const incoming = await authenticateRequest({ services, origin });
    const found = (await documents.find(payload, origin)) ?? {
      errors: [new ServiceError("BAD_REQUEST", "A subscription needs a document")],
    };
    if ("errors" in found) {
      for (const { code } of found.errors) logEntry.errorCodes.add(code);
      return found.errors.map((error) => withTraceId(error, logEntry));
    }
    // graphql-ws keeps the payload for as long as the subscription runs.
    for (const name of Object.keys(payload)) Reflect.deleteProperty(payload, name);
    const request = {
      document: found,
      operationName,
      variables: declaredVariables(found.operation(operationName), variables),
    };
    const { session, ...admitted } = await admitOperation(request, incoming, admissionOptions);
    if (!session) throw new Error("A subscription was admitted without a caller");
    const context = new RequestContext({ services, origin }, session);
    const start = () => subscriptions.start(open, context, admitted, messageLength);
    const rootValue = await (logEntry.trace && logEntry.operation
      ? logEntry.trace.operation(logEntry.operation, start)
      : start());
    const { schema, ast: document } = found;
    return { schema, document, ...(operationName != null && { operationName }), rootValue };
  }
}

/** The credentials in the payload of `connection_init`, by a name in any case. Some clients nest it in `headers`. */
function authorizationIn(payload: unknown): string | undefined {
  const found = [payload, memberOf(payload, "headers")].map((each) => memberOf(each, "authorization"));
  return found.find((each) => typeof each === "string");
}

/** An object's own member, by name in any case. */
function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.entries(value).find(([each]) => each.toLowerCase() === name)?.[1];
}

/** The error with the id of the trace, if there is one. */
function withTraceId(error: ServiceError, { trace }: LogEntry): ServiceError {
  if (trace) error.extensions.traceId = trace.traceId;
  return error;
}

const clientMessages = new Set<unknown>(["connection_init", "ping", "pong", "subscribe", "complete"]);

/** Whether a text is a client's message, and not nested too deeply. */
function isClientMessage(text: string): boolean {
  try {
    return clientMessages.has(Object(parseJson(text)).type);
  } catch (error) {
    if (error instanceof RefusedJsonError) return false;
    throw error;
  }
}

/** The variables that an operation declares. A client may send others, which would otherwise be kept as well. */
function declaredVariables(operation: Operation | undefined, variables: SubscribePayload["variables"]) {
  return Object.fromEntries(
    (operation?.variables ?? []).flatMap(({ name }) =>
      variables && Object.hasOwn(variables, name) ? [[name, variables[name]]] : [],
    ),
  );
}

/** Whether a request wants to open a WebSocket on /graphql. Other upgrades are ordinary requests. */
export function isForWebSocket({ method, headers, url = "" }: IncomingMessage): boolean {
  return method === "GET" && headers.upgrade?.toLowerCase() === "websocket" && /^\/graphql(?:\?|$)/.test(url);
}

/** Refuses an upgrade with an HTTP response. */
function refuse(stream: Socket, { status, code, message, headers }: ServiceError): void {
  const body = JSON.stringify({ errors: [{ message, extensions: { code } }] });
  const all = {
    ...headers,
    connection: "close",
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  stream.once("finish", () => stream.destroySoon());
  stream.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
}
