import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** A small HTTP server on loopback that remembers what was asked of it. */
export interface LocalServer {
  url: string;
  /** The paths asked for so far. */
  requests: string[];
  close(): Promise<void>;
}

export async function startLocalServer(listener: RequestListener): Promise<LocalServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(String(request.url));
    response.setHeader("connection", "close");
    listener(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** An identity provider: `/keys` serves its public keys, which discovery names. */
export interface Issuer extends LocalServer {
  keys: object[];
  /** Answers a request in another way than usual, as long as it is set. */
  fault: RequestListener | undefined;
}

export async function startIssuer(keys: object[]): Promise<Issuer> {
  const state: { keys: object[]; fault: RequestListener | undefined } = { keys, fault: undefined };
  const server = await startLocalServer((request, response) => {
    if (state.fault) state.fault(request, response);
    else if (request.url === "/keys") response.end(JSON.stringify({ keys: state.keys }));
    else if (request.url === "/.well-known/openid-configuration")
      response.end(JSON.stringify({ issuer: server.url, jwks_uri: `${server.url}/keys` }));
    else response.writeHead(404).end();
  });
  return Object.assign(state, server);
}
