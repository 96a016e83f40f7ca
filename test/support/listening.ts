import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import type { AddressInfo, Server } from "node:net";

/** Lets a server listen on a free port. Returns the port. */
export async function listen(server: Server, address = "127.0.0.1"): Promise<number> {
  await once(server.listen(0, address), "listening");
  return (server.address() as AddressInfo).port;
}

/** Closes a server, with the connections that are open. */
export function close(server: Server | HttpServer): void {
  server.close();
  if ("closeAllConnections" in server) server.closeAllConnections();
}

/** Lets a server listen on a free port until the running test ends. Returns the port. */
export function listenForTest(server: Server | HttpServer, address?: string): Promise<number> {
  onTestFinished(() => close(server));
  return listen(server, address);
}
