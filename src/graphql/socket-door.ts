import { randomUUID } from "node:crypto";
import { type IncomingMessage, type RequestListener, ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { type ExecutionArgs, type GraphQLError, type GraphQLSchema, OperationTypeNode } from "graphql";
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
import { memoryKeyOf } from "../access/authenticate.js";
import { type GatewayServices, RequestContext } from "../access/request-context.js";
import { ServiceError, toServiceError } from "../platform/errors.js";
import { deepestJson, isTooDeep } from "../platform/json-depth.js";
import { type AdmissionRules, admitOperation, presentError } from "./admit.js";
import type { Documents } from "./documents.js";
import { closeCodeOf, OpenSocket } from "./open-socket.js";
import type { OpenSockets } from "./open-sockets.js";
import type { Subscriptions } from "./subscriptions.js";

const mostMessageBytes = 256 * 1024;
const longestId = 128;
/** Milliseconds for `connection_init` to come, and for a client to agree to the end. */
const initTime = 5_000;
const closeTime = 5_000;
/** Milliseconds without a byte on a connection that wanted another protocol. */
const passedOnIdleTime = 10_000;
/** Characters of an operation. */
const longestQuery = 32 * 1024;

const admissionRules: AdmissionRules = {
  openIntrospection: false,
  operations: [OperationTypeNode.SUBSCRIPTION],
  otherwise: "Only subscriptions run over WebSocket: send queries and mutations by POST",
};

/** What the door needs of the gateway. */
export interface SocketDoorSources {
  schema: GraphQLSchema;
  services: GatewayServices;
  sockets: OpenSockets;
  subscriptions: Subscriptions;
  documents: Documents;
  /** Answers whatever is no WebSocket for us. */
  otherwise: RequestListener;
  addressOf: (request: IncomingMessage) => string;
  isDraining: () => boolean;
}

/** Who may knock: web origins besides our own, how many of one address at a time, and how much one socket may ask for. */
export interface SocketDoorRules {
  origins: readonly string[];
  mostWaiting: number;
  mostSubscriptions: number;
}

type SocketContext = Context<ConnectionInitMessage["payload"], OpenSocket>;

/** Takes WebSockets on /graphql and speaks graphql-transport-ws over them. */
export class SocketDoor {
  readonly #sources: SocketDoorSources;
  readonly #rules: SocketDoorRules;
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: mostMessageBytes, closeTimeout: closeTime, handleProtocols } as object);
  readonly #protocol: Server<OpenSocket>;

  constructor(sources: SocketDoorSources, rules: SocketDoorRules) {
    this.#sources = sources;
    this.#rules = rules;
    this.#protocol = makeServer<ConnectionInitMessage["payload"], OpenSocket>({
      connectionInitWaitTimeout: initTime,
      onConnect: ({ extra, connectionParams }) => this.#connect(extra, connectionParams?.authorization),
      onSubscribe: (context, id, payload) => this.#subscribe(context, id, payload),
      // It was started when it was admitted, and comes as the root.
      subscribe: ({ rootValue }) => rootValue as OperationResult,
      onNext: (_context, _id, _payload, _arguments, result) => result as never,
      onError: (_context, _id, _payload, errors) => errors.map((error) => presentError(error, sources.services.log)),
    });
  }

  /** Takes a request that wants another protocol: ours, or it is answered as if it had not asked for one. */
  receive(request: IncomingMessage, stream: Socket, head: Buffer): void {
    stream.on("error", (error) => this.#sources.services.log.debug({ err: error }, "a connection broke while it was upgraded"));
    const isOurs = request.method === "GET" && request.headers.upgrade?.toLowerCase() === "websocket" && /^\/graphql(?:\?|$)/.test(request.url ?? "");
    const refused = this.#refusalOf(request);
    if (!isOurs) this.#passOn(request, stream);
    else if (refused) refuse(stream, refused);
    else this.#upgrade(request, stream, head);
  }

  #upgrade(request: IncomingMessage, stream: Socket, head: Buffer): void {
    this.#server.handleUpgrade(request, stream, head, (socket) => {
      this.#open(new OpenSocket(socket, { id: randomUUID(), address: this.#sources.addressOf(request) }));
    });
  }

  #passOn(request: IncomingMessage, stream: Socket): void {
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(stream);
    response.once("finish", () => stream.destroySoon());
    // The server does not count it among its connections any more, and could not end it when it closes.
    stream.setTimeout(passedOnIdleTime, () => stream.destroy());
    this.#sources.otherwise(request, response);
  }

  #refusalOf(request: IncomingMessage): ServiceError | undefined {
    const { sockets, addressOf, isDraining } = this.#sources;
    if (isDraining()) return new ServiceError("UNAVAILABLE", "The gateway is shutting down", { retryAfter: 1 });
    if (!this.#isWelcome(request)) return new ServiceError("FORBIDDEN", "Pages of this origin may not open sockets here");
    if (sockets.waitingFrom(addressOf(request)) < this.#rules.mostWaiting) return undefined;
    return new ServiceError("RATE_LIMITED", "Too many sockets of this address wait for connection_init", { retryAfter: initTime / 1000 });
  }

  /** Browsers name the page's origin; who names none is no browser. */
  #isWelcome({ headers: { origin, host } }: IncomingMessage): boolean {
    const { origins } = this.#rules;
    if (origin === undefined || origins.includes("*") || origins.includes(origin)) return true;
    return URL.canParse(origin) && new URL(origin).host === host;
  }

  #open(open: OpenSocket): void {
    const { sockets, services } = this.#sources;
    const { socket } = open;
    sockets.add(open);
    // What is wrong with a frame closes the socket with the code that says so.
    socket.on("error", (error) => services.log.debug({ err: error, socketId: open.id }, "a socket failed"));
    const failed = (error: unknown) => {
      services.log.error({ err: error, socketId: open.id }, "a message could not be handled");
      open.close(CloseCode.InternalServerError, "Something went wrong on our side");
    };
    const closed = this.#protocol.opened(
      {
        protocol: socket.protocol,
        send: (text) => open.send(text),
        close: (code = CloseCode.InternalServerError, reason = "") => open.close(code, reason),
        onMessage: (take) => {
          socket.on("message", (message) => {
            if (open.isCongested) open.drop();
            else if (open.isOpen) take(String(message)).catch(failed);
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

  async #connect(open: OpenSocket, authorization: unknown): Promise<boolean> {
    const { services, sockets } = this.#sources;
    const origin = { id: open.id, address: open.address, authorization: typeof authorization === "string" ? authorization : undefined };
    try {
      await sockets.observed(open, async () => {
        const context = new RequestContext(services, origin);
        // A failure counts against the address at once.
        open.isCounted = true;
        await context.authenticate();
        const claim = await context.readClaim();
        if (!open.isOpen) return;
        sockets.identify(open, {
          callerId: context.caller.id,
          claim,
          credentials: memoryKeyOf(claim) as string,
          expiresAt: context.expiresAt,
          origin,
        });
      });
    } catch (error) {
      const { code, message } = toServiceError(error, (cause) =>
        services.log.error({ err: cause, socketId: open.id }, "a socket could not be opened"),
      );
      open.close(closeCodeOf(code), message);
      return false;
    }
    return true;
  }

  async #subscribe(context: SocketContext, id: string, payload: SubscribePayload): Promise<ExecutionArgs | readonly GraphQLError[]> {
    const open = context.extra;
    const { services, sockets } = this.#sources;
    if (id.length > longestId) {
      open.close(CloseCode.BadRequest, `Ids of operations have at most ${longestId} characters`);
      return [new ServiceError("BAD_REQUEST", "The id is too long")];
    }
    open.starting += 1;
    try {
      // Not by their ids, of which one may be given up and taken again while it starts.
      if (open.starting + open.subscriptions.size > this.#rules.mostSubscriptions) {
        throw new ServiceError("RATE_LIMITED", `At most ${this.#rules.mostSubscriptions} subscriptions may run on one socket`);
      }
      return await sockets.observed(open, () => this.#start(open, payload));
    } catch (error) {
      const shown = toServiceError(error, (cause) => services.log.error({ err: cause, socketId: open.id }, "a subscription could not be started"));
      if (shown.code === "UNAUTHENTICATED") sockets.endExpired();
      return [shown];
    } finally {
      open.starting -= 1;
    }
  }

  async #start(open: OpenSocket, { query, operationName, variables }: SubscribePayload): Promise<ExecutionArgs | readonly GraphQLError[]> {
    const { schema, services, documents, subscriptions } = this.#sources;
    if (query.length > longestQuery) throw new ServiceError("BAD_REQUEST", `Subscriptions have at most ${longestQuery} characters`);
    if (isTooDeep(variables)) throw new ServiceError("BAD_REQUEST", `The variables are nested more than ${deepestJson} levels deep`);
    const read = documents.read(query);
    if ("faults" in read) return read.faults;
    const { document } = read;
    const request = { document, operationName, variables };
    const context = new RequestContext(services, open.session?.origin as RequestContext["origin"]);
    await admitOperation(schema, request, context, admissionRules);
    const rootValue = await subscriptions.start(open, context, query, request);
    return { schema, document, ...(operationName != null && { operationName }), rootValue };
  }
}

/** Refuses an upgrade in the words of HTTP. */
function refuse(stream: Socket, { status, code, message, headers }: ServiceError): void {
  const body = JSON.stringify({ errors: [{ message, extensions: { code } }] });
  const all = { ...headers, connection: "close", "content-type": "application/json; charset=utf-8", "content-length": Buffer.byteLength(body) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  stream.once("finish", () => stream.destroySoon());
  stream.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
}
