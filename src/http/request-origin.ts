import { setMaxListeners } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Request, Response } from "express";
import type { RequestOrigin } from "../access/authenticator.js";
import { ServiceError } from "../platform/errors.js";
import { parseAddress } from "../platform/ip-address.js";

/** Where an HTTP request comes from, and the credentials it carries. */
export function originOf(request: Request): RequestOrigin {
  const { logEntry } = request;
  const response = request.res as Response;
  let signal: AbortSignal | undefined;
  return {
    id: request.id,
    address: logEntry.address,
    authorization: request.headers.authorization,
    logEntry,
    // Made when it is first asked for: not every request waits for something.
    get signal() {
      signal ??= disconnectionOf(response);
      return signal;
    },
    throwIfAborted() {
      if (response.closed) this.signal?.throwIfAborted();
    },
  };
}

/** The address of a client as trusted proxies report it; what is no address was not written by a proxy, and the connection's own counts instead. */
export function clientAddress({ socket }: IncomingMessage, reported: string | undefined): string {
  return parseAddress(reported) ?? parseAddress(socket.remoteAddress) ?? "";
}

/** A signal that is aborted when the client disconnects before it has its response. */
function disconnectionOf(response: Response): AbortSignal {
  const controller = new AbortController();
  // Whatever waits on behalf of the request listens to it.
  setMaxListeners(0, controller.signal);
  const abort = () => {
    if (!response.writableFinished) controller.abort(new ServiceError("BAD_REQUEST", "The client disconnected"));
  };
  if (response.closed) abort();
  else response.once("close", abort);
  return controller.signal;
}
