import type { IncomingMessage, ServerResponse } from "node:http";

/**
 * How long a client has to read the response before a connection is closed on which it
 * goes on to send.
 */
const graceMs = 2_000;

/**
 * Bounds what is received of a body that was not read before its response. Up to the size
 * of a valid one it is discarded, since some clients read the response only once they
 * have sent everything. After that nothing more is read, and the connection ends: first
 * in our direction, because the reset that follows could take the response from the
 * client.
 */
export function limitUnreadBody(request: IncomingMessage, response: ServerResponse, maxBytes: number): void {
  const { "content-length": length, "transfer-encoding": encoding } = request.headers;
  if (encoding === undefined && (length === undefined || Number(length) === 0)) return;
  // Before Node's own listener, which would discard everything.
  response.prependOnceListener("finish", () => {
    if (!request.complete) discard(request, maxBytes);
  });
}

function discard(request: IncomingMessage, maxBytes: number): void {
  const { socket } = request;
  let size = 0;
  const count = (chunk: Buffer) => {
    size += chunk.length;
    if (size <= maxBytes) return;
    request.off("data", count).pause();
    socket.end();
    setTimeout(() => socket.destroy(), graceMs).unref();
  };
  request.on("data", count).resume();
}
