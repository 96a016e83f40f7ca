import type { IncomingMessage, ServerResponse } from "node:http";

/** How long a client that keeps sending may read the response. The connection then closes. */
const graceMs = 2_000;

/**
 * Bounds the data received of a body that was not read before its response. Data up to the size of a valid body is
 * discarded, because some clients read the response only after sending everything. Beyond that, reading stops and the
 * connection ends. Our direction ends first, because the reset that follows could discard the response.
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
