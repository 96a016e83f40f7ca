import type { AddressInfo, Server } from "node:net";

/** The address of a server that listens on a port. */
export function listeningAddress(server: Server): AddressInfo {
  const address = server.address();
  if (!address || typeof address === "string") throw new Error("The server does not listen on a port");
  return address;
}
