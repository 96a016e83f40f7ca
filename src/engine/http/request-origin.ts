import { setMaxListeners } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Request, Response } from "express";
import { ServiceError } from "../../platform/errors/errors.js";
import { parseAddress } from "../../platform/network/ip-address.js";
import type { LogEntry } from "../../platform/telemetry/log-entry.js";
import type { RequestOrigin } from "../access/authenticator.js";
import type { ChangeVia } from "../access/change-source.js";

export const originOf = (request: Request, api: "GRAPHQL" | "REST" = "REST"): RequestOrigin =>
  new HttpRequestOrigin(request, api);

/** The origin of a request of an assistant, which sends API keys as Bearer tokens, too. */
export const originOfAssistant = (request: Request): HttpRequestOrigin =>
  new HttpRequestOrigin(request, "MCP");

/** How the connectors of this project begin their names. */
const connectorPrefix = "connector-";

/** An API key where clients expect to send a token. No token begins like this. */
const keyAsBearer = /^\s*bearer +(cmk_\S*)\s*$/i;

/**
 * A class, because V8 keeps the getter of an object literal with the object's shape, and so would keep each request
 * until the whole heap is collected.
 */
class HttpRequestOrigin implements RequestOrigin {
  readonly id: string;
  readonly address: string;
  readonly authorization: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly via: ChangeVia;
  client: string | undefined;
  readonly logEntry: LogEntry;
  readonly #response: Response;
  #signal: AbortSignal | undefined;

  constructor({ id, headers, logEntry, res }: Request, api: ChangeVia) {
    const name = headers["apollographql-client-name"];
    this.client = typeof name === "string" && name !== "" ? name : headers["user-agent"];
    this.via = api !== "MCP" && this.client?.startsWith(connectorPrefix) ? "CONNECTOR" : api;
    this.id = id;
    this.address = logEntry.address;
    this.authorization =
      api === "MCP" ? headers.authorization?.replace(keyAsBearer, "Basic $1") : headers.authorization;
    this.idempotencyKey = headers["idempotency-key"] as string | undefined;
    this.logEntry = logEntry;
    this.#response = res as Response;
  }

  /** Created on first use, because not every request waits for something. */
  get signal(): AbortSignal {
    this.#signal ??= disconnectionOf(this.#response);
    return this.#signal;
  }

  throwIfAborted(): void {
    if (this.#response.closed) this.signal.throwIfAborted();
  }
}

/**
 * The client's address as trusted proxies report it. A reported value that is no address did not come from a
 * proxy. The connection's own address counts instead.
 */
export function clientAddress({ socket }: IncomingMessage, reported: string | undefined): string {
  return parseAddress(reported) ?? parseAddress(socket.remoteAddress) ?? "";
}

/** Returns a signal that aborts when the client disconnects before its response is complete. */
function disconnectionOf(response: Response): AbortSignal {
  const controller = new AbortController();
  // Everything that waits on behalf of the request listens to the signal.
  setMaxListeners(0, controller.signal);
  const abort = () => {
    if (!response.writableFinished)
      controller.abort(new ServiceError("BAD_REQUEST", "The client disconnected"));
  };
  if (response.closed) abort();
  else response.once("close", abort);
  return controller.signal;
}
