import type { Server, ServerOptions } from "node:http";

const headersTimeoutMs = 30_000;
const uploadTimeoutMs = 120_000;

/** Options of the HTTP server: 64 KiB for the URL and headers, 30 seconds to receive them, 120 for a request with an upload. */
export const serverLimits: ServerOptions = {
  maxHeaderSize: 64 * 1024,
  headersTimeout: headersTimeoutMs,
  requestTimeout: uploadTimeoutMs,
  connectionsCheckingInterval: 1_000,
};

/** Sets the limits that Node does not accept as options of the constructor. */
export function applyServerLimits(server: Server): void {
  server.maxHeadersCount = 200;
  server.keepAliveTimeout = 65_000;
}
