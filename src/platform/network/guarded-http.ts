import http, { type ClientRequest, type RequestOptions } from "node:http";
import https from "node:https";
import type { NetworkAddresses } from "./network-addresses.js";

interface GuardedHttpOptions extends https.AgentOptions {
  /** The longest that a connection may take to open, in milliseconds. */
  connectTimeoutMs?: number;
}

/** Requests to hosts that users choose, which connect to permitted addresses alone. Follows no redirects. */
export class GuardedHttp {
  readonly #addresses: NetworkAddresses;
  readonly #agents: { http: http.Agent; https: https.Agent };
  readonly #connectTimeoutMs: number | undefined;

  constructor(addresses: NetworkAddresses, { connectTimeoutMs, ...connections }: GuardedHttpOptions = {}) {
    this.#addresses = addresses;
    const agent = { ...connections, lookup: addresses.lookup };
    this.#agents = { http: new http.Agent(agent), https: new https.Agent(agent) };
    this.#connectTimeoutMs = connectTimeoutMs;
  }

  /**
   * Opens a request. AddressNotAllowed is thrown for a forbidden address, or ends the request if the name leads to one.
   */
  request(options: RequestOptions): ClientRequest {
    const { protocol, hostname, port } = options;
    this.#addresses.assertHost(hostname ?? "", Number(port));
    const isEncrypted = protocol === "https:";
    const request = isEncrypted
      ? https.request({ ...options, agent: this.#agents.https })
      : http.request({ ...options, agent: this.#agents.http });
    if (this.#connectTimeoutMs !== undefined) limitConnecting(request, isEncrypted, this.#connectTimeoutMs);
    return request;
  }

  close(): void {
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }
}

function limitConnecting(request: ClientRequest, isEncrypted: boolean, timeoutMs: number): void {
  request.once("socket", (socket) => {
    if (request.reusedSocket) return;
    const error = Object.assign(new Error("The connection took too long"), { code: "ETIMEDOUT" });
    const timer = setTimeout(() => request.destroy(error), timeoutMs);
    const stop = () => clearTimeout(timer);
    socket.once(isEncrypted ? "secureConnect" : "connect", stop).once("close", stop);
  });
}
