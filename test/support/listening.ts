import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import type { AddressInfo, Server } from "node:net";

/** Lets a server listen on a port, by default a free one. Returns the port. */
export async function listen(server: Server, address = "127.0.0.1", port = 0): Promise<number> {
  await once(server.listen(port, address), "listening");
  return portOf(server);
}

/** The port on which a server listens. */
export const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** Closes a server, with the connections that are open. */
export async function close(server: Server | HttpServer): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  if ("closeAllConnections" in server) server.closeAllConnections();
  await closed;
}

/** Lets a server listen on a free port until the running test ends. Returns the port. */
export function listenForTest(server: Server | HttpServer, address?: string): Promise<number> {
  onTestFinished(() => void close(server));
  return listen(server, address);
}
