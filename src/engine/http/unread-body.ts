import type { IncomingMessage, ServerResponse } from "node:http";

/** In milliseconds: the connection of a client that keeps sending then closes. */
const graceMs = 2_000;

/**
 * Discards up to the size of a valid body, as some clients read the response only then; beyond, the
 * connection ends.
 */
export function limitUnreadBody(request: IncomingMessage, response: ServerResponse, maxBytes: number): void {
  const { "content-length": length, "transfer-encoding": encoding } = request.headers;
  if (encoding === undefined && (length === undefined || Number(length) === 0)) return;
  // Run before Node's own listener, which would discard everything.
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
