import { integer, onOrOff, textWithout } from "../../platform/input/setting-rules.js";
import { fileIssue, setting } from "./setting.js";

export const limits = {
  MAX_PAGE_SIZE: setting(
    { example: "200", description: "The longest page of a list." },
    integer(20, 1000).default(1000),
  ),
  MAX_QUERY_COST: setting(
    { example: "20000", description: "The highest cost of a GraphQL operation." },
    integer(1, 100_000_000).default(100_000),
  ),
  KNOWN_OPERATIONS: setting(
    {
      example: "/etc/gateway/operations.json",
      unset: "any document",
      description:
        "A file of the only GraphQL documents that run, beside those of the gateway's own pages and connectors: see [its format](operators.md#how-do-i-allow-known-operations-only).",
    },
    textWithout(fileIssue),
  ),
  STRICT_REST: setting(
    {
      example: "on",
      description:
        "`on` refuses parameters and body fields that a REST endpoint does not have with 400 (callbacks 5–7 excepted). Otherwise the answer names them in `X-Ignored-Parameters`.",
    },
    onOrOff.default("off"),
  ),
  RATE_LIMIT: setting(
    { example: "off", description: "Whether requests are limited." },
    onOrOff.default("on"),
  ),
  RATE_LIMIT_CALLER: setting(
    { example: "600", description: "Requests of a caller per minute." },
    integer(1, 1_000_000_000).default(6000),
  ),
  RATE_LIMIT_ADDRESS: setting(
    {
      example: "300",
      description: "Requests without valid credentials per minute and address.",
    },
    integer(1, 1_000_000_000).default(1200),
  ),
  RATE_LIMIT_DETECTIONS: setting(
    {
      example: "60000",
      description:
        "Frames per minute that a caller may give to `recordDetections`. Requests with nothing else do not count for `RATE_LIMIT_CALLER`, unless they fail. At least 1000, as many as one request may have.",
    },
    integer(1_000, 1_000_000_000).default(30_000),
  ),
  MAX_CONNECTIONS: setting(
    {
      example: "2000",
      description: "Open connections. Callers of one workspace may have half of them as WebSockets.",
    },
    integer(1, 1_000_000).default(10_000),
  ),
  MAX_CONNECTIONS_PER_ADDRESS: setting(
    {
      example: "50",
      description: "Open connections of an address (a /64 network of IPv6), unless `TRUST_PROXY` names it.",
    },
    integer(1, 1_000_000).default(256),
  ),
  MAX_SOCKETS: setting(
    { example: "20", description: "WebSockets of a caller." },
    integer(1, 1_000_000).default(100),
  ),
  MAX_SUBSCRIPTIONS: setting(
    { example: "10", description: "Subscriptions of a WebSocket." },
    integer(1, 10_000).default(50),
  ),
  SOCKET_BACKLOG: setting(
    {
      example: "1000",
      description: "Results that may wait for a slow subscriber before the gateway closes its socket.",
    },
    integer(1, 1_000_000).default(5_000),
  ),
  SOCKET_PING_INTERVAL: setting(
    { example: "30000", description: "Milliseconds between pings on a WebSocket." },
    integer(100, 3_600_000).default(15_000),
  ),
};
