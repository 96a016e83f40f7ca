import { setMaxListeners } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Request, Response } from "express";
import type { RequestOrigin } from "../access/authenticator.js";
import { ServiceError } from "../platform/errors.js";
import { parseAddress } from "../platform/ip-address.js";
import type { LogEntry } from "../platform/telemetry/log-entry.js";

/** Where an HTTP request comes from, and the credentials it carries. */
export const originOf = (request: Request): RequestOrigin => new HttpRequestOrigin(request);

/**
 * A class, because V8 keeps the getter of an object literal with the shape of the object,
 * and so each request until the whole heap is collected.
 */
class HttpRequestOrigin implements RequestOrigin {
  readonly id: string;
  readonly address: string;
  readonly authorization: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly logEntry: LogEntry;
  readonly #response: Response;
  #signal: AbortSignal | undefined;

  constructor({ id, headers, logEntry, res }: Request) {
    this.id = id;
    this.address = logEntry.address;
    this.authorization = headers.authorization;
    this.idempotencyKey = headers["idempotency-key"] as string | undefined;
    this.logEntry = logEntry;
    this.#response = res as Response;
  }

  /** Made when it is first asked for: not every request waits for something. */
  get signal(): AbortSignal {
    this.#signal ??= disconnectionOf(this.#response);
    return this.#signal;
  }

  throwIfAborted(): void {
    if (this.#response.closed) this.signal.throwIfAborted();
  }
}

/**
 * The address of a client as trusted proxies report it; what is no address was not
 * written by a proxy, and the connection's own counts instead.
 */
export function clientAddress({ socket }: IncomingMessage, reported: string | undefined): string {
  return parseAddress(reported) ?? parseAddress(socket.remoteAddress) ?? "";
}

/** A signal that is aborted when the client disconnects before it has its response. */
function disconnectionOf(response: Response): AbortSignal {
  const controller = new AbortController();
  // Whatever waits on behalf of the request listens to it.
  setMaxListeners(0, controller.signal);
  const abort = () => {
    if (!response.writableFinished)
      controller.abort(new ServiceError("BAD_REQUEST", "The client disconnected"));
  };
  if (response.closed) abort();
  else response.once("close", abort);
  return controller.signal;
}
