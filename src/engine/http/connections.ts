import type { Server } from "node:http";
import type { Socket } from "node:net";
import { networkOf, parseAddress } from "../../platform/network/ip-address.js";
import { expectConnections } from "../../platform/queues/slices.js";
import type { Logger } from "../../platform/telemetry/log.js";
import { countRefusal } from "../../platform/telemetry/refusals.js";
import { type LeastRate, MinimumRate, readingOf } from "./minimum-rate.js";

export interface ConnectionLimits {
  total: number;
  /** The maximum number of connections of an address, or of a /64 network of IPv6. Trusted proxies are exempt. */
  perAddress: number;
  /** The lowest rate at which clients must read. */
  leastRate?: LeastRate;
  /** The maximum number of bytes that wait for clients to read them, on all connections together. */
  maxUnreadBytes?: number;
}

const defaultMaxUnreadBytes = 64 * 1024 * 1024;
const unreadCheckIntervalMs = 500;
/** The minimum time between two log lines about refused connections. */
const logIntervalMs = 60_000;

/** Limits the connections of a server, and ends those whose clients do not read. */
export function limitConnections(
  server: Server,
  { total, perAddress, leastRate, maxUnreadBytes = defaultMaxUnreadBytes }: ConnectionLimits,
  { isTrustedProxy, log }: { isTrustedProxy: (address: string) => boolean; log: Logger },
): void {
  const open = new Map<string, Set<Socket>>();
  let refused = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;
  const reportRefusal = (scope: "total" | "address") => {
    countRefusal("connections", scope);
    refused += 1;
    if (performance.now() - loggedAt < logIntervalMs) return;
    loggedAt = performance.now();
    log.warn({ refused }, "connections over the limit were refused");
    refused = 0;
  };

  server.maxConnections = total;
  server.on("drop", () => reportRefusal("total"));
  server.on("connection", (socket: Socket) => {
    expectConnections();
    const address = parseAddress(socket.remoteAddress) ?? "";
    const network = networkOf(address);
    const ofNetwork = open.get(network) ?? new Set<Socket>();
    if (ofNetwork.size >= perAddress && !isTrustedProxy(address)) {
      socket.destroy();
      reportRefusal("address");
      return;
    }
    open.set(network, ofNetwork.add(socket));
    const rate = new MinimumRate(readingOf(socket), () => socket.destroy(), leastRate);
    socket.once("close", () => {
      rate.stop();
      ofNetwork.delete(socket);
      if (ofNetwork.size === 0) open.delete(network);
    });
  });
  const timer = setInterval(
    () => endUnread([...open.values()], maxUnreadBytes),
    unreadCheckIntervalMs,
  ).unref();
  server.once("close", () => clearInterval(timer));
}

/** Ends connections while too many bytes are unread, from the client with the most and its fullest connections on. */
function endUnread(clients: Iterable<Socket>[], maxBytes: number): void {
  const unread = clients.map((sockets) => {
    const waiting = [...sockets].filter(({ writableLength }) => writableLength > 0);
    return { waiting, bytes: waiting.reduce((sum, { writableLength }) => sum + writableLength, 0) };
  });
  let bytes = unread.reduce((sum, client) => sum + client.bytes, 0);
  if (bytes <= maxBytes) return;
  const sockets = unread
    .sort((one, other) => other.bytes - one.bytes)
    .flatMap(({ waiting }) => waiting.sort((one, other) => other.writableLength - one.writableLength));
  for (const socket of sockets) {
    if (bytes <= maxBytes) return;
    bytes -= socket.writableLength;
    socket.destroy();
  }
}
