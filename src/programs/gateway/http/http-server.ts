import { once } from "node:events";
import {
  createServer,
  IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import type { Express } from "express";
import { isForWebSocket, type SubscriptionServer } from "../../../api/sockets/subscription-server.js";
import { limitConnections } from "../../../engine/http/connections.js";
import { inSequence } from "../../../engine/http/request-sequence.js";
import { limitUnreadBody } from "../../../engine/http/unread-body.js";
import type { Environment } from "../../../engine/settings/environment.js";
import { listeningAddress } from "../../../platform/network/listening-address.js";
import type { Logger } from "../../../platform/telemetry/log.js";
import type { Shutdown } from "../shutdown.js";

const mebibyte = 1024 * 1024;
/** The number of connections that may wait to be accepted, if the system allows. Others retry after a second. */
const backlog = 4_096;
/** The maximum number of requests on one connection. The response to the last announces that the connection closes. */
const maxRequestsPerConnection = 10_000;

/**
 * A request whose `upgrade` is true only for WebSockets. By that property, Node decides whether to give up
 * the connection. A request to upgrade to anything else is served as an ordinary one, with its body. Later
 * versions of Node have `shouldUpgradeCallback`.
 */
class GatewayRequest extends IncomingMessage {
  declare private isUpgrade: boolean;

  get upgrade(): boolean {
    return this.isUpgrade && (this.method === "CONNECT" || isForWebSocket(this));
  }

  set upgrade(value: boolean) {
    this.isUpgrade = value;
  }
}

/**
 * Creates the HTTP server, which does not listen yet. The URL and headers may take 64 KiB and 30 seconds to receive, a
 * request with an upload 120 seconds.
 */
export function createHttpServer(): Server {
  const server = createServer({
    IncomingMessage: GatewayRequest,
    maxHeaderSize: 64 * 1024,
    headersTimeout: 30_000,
    requestTimeout: 120_000,
    connectionsCheckingInterval: 1_000,
  });
  // Node does not accept these as options of the constructor.
  server.maxHeadersCount = 200;
  server.maxRequestsPerSocket = maxRequestsPerConnection;
  server.keepAliveTimeout = 65_000;
  return server;
}

/** The base URL of links, known only while the server listens, because the system may choose the port. */
export function publicUrlOf(server: Server, { PUBLIC_URL }: Environment): () => string {
  let url = PUBLIC_URL;
  return () => {
    url ??= `http://localhost:${portOf(server)}`;
    return url;
  };
}

export async function listen(
  server: Server,
  { HOST, PORT, MAX_CONNECTIONS, MAX_CONNECTIONS_PER_ADDRESS, MAX_UPLOAD_BYTES, MAX_CLIP_BYTES }: Environment,
  {
    app,
    subscriptionServer,
    shutdown,
    log,
  }: { app: Express; subscriptionServer: SubscriptionServer; shutdown: Shutdown; log: Logger },
): Promise<string> {
  const isTrustedProxy = (address: string): boolean => app.get("trust proxy fn")(address, 0);
  limitConnections(
    server,
    { total: MAX_CONNECTIONS, perAddress: MAX_CONNECTIONS_PER_ADDRESS },
    { isTrustedProxy, log },
  );
  const maxUnreadBytes = Math.max(MAX_UPLOAD_BYTES, MAX_CLIP_BYTES, 4 * mebibyte) + mebibyte;
  const closeAfterResponse = connectionCloser(shutdown.signal);
  const handle: RequestListener = inSequence((request, response) => {
    closeAfterResponse(request, response);
    // Node discards data that it has read behind a request to upgrade.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    limitUnreadBody(request, response, maxUnreadBytes);
    app(request, response);
  });
  // The reader of a request's body sends `100 Continue`.
  server.on("request", handle).on("checkContinue", handle);
  server.on("upgrade", (request, stream, head) =>
    subscriptionServer.receive(request, stream as Socket, head),
  );
  const host = HOST.includes(":") ? `[${HOST}]` : HOST;
  server.listen(PORT, HOST, backlog);
  await once(server, "listening").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "EADDRINUSE")
      throw new Error(
        `Port ${PORT} on ${HOST} is already in use. Stop the other process, or set PORT to another port.`,
      );
    throw new Error(`Cannot listen on ${host}:${PORT}, from HOST and PORT: ${error.message}`, {
      cause: error,
    });
  });
  server.on("error", (error) => log.warn({ err: error }, "a connection could not be accepted"));
  return `http://${host}:${portOf(server)}`;
}

/**
 * During a shutdown, makes every response announce that its connection closes, including responses to earlier requests.
 * A proxy would otherwise send its next request while the connection closes, and could not tell whether the gateway
 * handled that request.
 */
function connectionCloser(shutdown: AbortSignal): RequestListener {
  // This is no set of responses: when a set grows, V8 links its old table to the new one. A table in the old generation
  // would then keep alive all later responses with their requests, until the whole heap is collected.
  const connections = new Map<Socket, { response: ServerResponse | undefined }>();
  shutdown.addEventListener("abort", () => {
    for (const { response } of connections.values()) if (response) response.shouldKeepAlive = false;
  });
  return ({ socket }, response) => {
    if (shutdown.aborted) {
      response.shouldKeepAlive = false;
      return;
    }
    if (socket.destroyed) return;
    const known = connections.get(socket);
    const connection = known ?? { response };
    connection.response = response;
    if (!known) {
      connections.set(socket, connection);
      socket.once("close", () => connections.delete(socket));
    }
    response.once("close", () => {
      if (connection.response === response) connection.response = undefined;
    });
  };
}

const portOf = (server: Server) => listeningAddress(server).port;

/** Stops accepting connections, and waits `timeoutMs` for requests in flight. Then closes their connections. */
export async function drain(server: Server, timeoutMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // The server itself closes only the connections that are idle when it closes.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const deadline = setTimeout(() => server.closeAllConnections(), timeoutMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
}
