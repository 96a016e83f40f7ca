import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Express } from "express";
import type { Environment } from "../environment.js";
import type { SubscriptionServer } from "../graphql/subscription-server.js";
import { expectsContinue } from "../http/uploads.js";

/** Creates the HTTP server, which does not listen yet: 64 KiB for the URL and headers, 30 seconds to receive them, 120 for a request with an upload. */
export function createHttpServer(): Server {
  const server = createServer({ maxHeaderSize: 64 * 1024, headersTimeout: 30_000, requestTimeout: 120_000, connectionsCheckingInterval: 1_000 });
  // Node does not accept these as options of the constructor.
  server.maxHeadersCount = 200;
  server.keepAliveTimeout = 65_000;
  return server;
}

/** The address that links begin with; known only while the server listens, since the port may be chosen by the system. */
export function publicUrlOf(server: Server, { PUBLIC_URL }: Environment): () => string {
  let url = PUBLIC_URL;
  return () => {
    url ??= `http://localhost:${portOf(server)}`;
    return url;
  };
}

/** Serves requests and WebSockets from now on, and returns the address. */
export async function listen(
  server: Server,
  { HOST, PORT }: Environment,
  { app, subscriptionServer }: { app: Express; subscriptionServer: SubscriptionServer },
): Promise<string> {
  server.on("request", app);
  server.on("upgrade", (request, stream, head) => subscriptionServer.receive(request, stream as Socket, head));
  server.on("checkContinue", (request, response) => {
    if (!expectsContinue(request)) response.writeContinue();
    app(request, response);
  });
  const host = HOST.includes(":") ? `[${HOST}]` : HOST;
  server.listen(PORT, HOST);
  await once(server, "listening").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "EADDRINUSE")
      throw new Error(`Port ${PORT} on ${HOST} is already in use. Stop the other process, or set PORT to another port.`);
    throw new Error(`Cannot listen on ${host}:${PORT}: ${error.message}`, { cause: error });
  });
  return `http://${host}:${portOf(server)}`;
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;

/** Stops accepting connections and waits for requests in flight, for so many milliseconds; then their connections are closed. */
export async function drain(server: Server, timeoutMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // The server closes only those connections by itself that are idle when it is closed.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const deadline = setTimeout(() => server.closeAllConnections(), timeoutMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
}
