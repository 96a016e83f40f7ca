import { createServer, type RequestListener } from "node:http";
import { close, listen } from "../support/listening.js";

/** An HTTP server on loopback that records its requests. */
export interface LocalServer {
  url: string;
  /** The paths requested so far. */
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
  return { url: `http://127.0.0.1:${await listen(server)}`, requests, close: () => close(server) };
}

/** An identity provider with its public keys at `/keys` and a discovery document. */
export interface Issuer extends LocalServer {
  keys: object[];
  /** The issuer's name in discovery; the server's URL by default. */
  name: string | undefined;
  /** Responds to `/userinfo`, which discovery then names. */
  userInfo: RequestListener | undefined;
  /** Replaces the usual responses while set. */
  override: RequestListener | undefined;
}

export async function startIssuer(keys: object[]): Promise<Issuer> {
  const state: Omit<Issuer, keyof LocalServer> = {
    keys,
    name: undefined,
    userInfo: undefined,
    override: undefined,
  };
  const server = await startLocalServer((request, response) => {
    if (state.override) state.override(request, response);
    else if (request.url === "/keys") response.end(JSON.stringify({ keys: state.keys }));
    else if (request.url === "/.well-known/openid-configuration") response.end(JSON.stringify(discovered()));
    else if (request.url === "/userinfo" && state.userInfo) state.userInfo(request, response);
    else response.writeHead(404).end();
  });
  const discovered = () => ({
    issuer: state.name ?? server.url,
    jwks_uri: `${server.url}/keys`,
    ...(state.userInfo && { userinfo_endpoint: `${server.url}/userinfo` }),
  });
  return Object.assign(state, server);
}
