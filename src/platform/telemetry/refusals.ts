import { Counter } from "prom-client";

/**
 * Which limit was reached; what a queue has places for is named as the queue is, such as
 * `large_queries`.
 */
type ReachedLimit =
  | "rate"
  | "connections"
  | "sockets"
  | "subscriptions"
  | "payload_size"
  | "answer_size"
  | "query_cost"
  | "query_depth"
  | "query_aliases"
  | "query_directives"
  | "known_operations"
  | (string & {});

/**
 * Whose limit it was: that of one request or socket, or of all of a caller, a workspace
 * or an address, or of all together.
 */
type LimitScope = "request" | "socket" | "caller" | "workspace" | "address" | "total";

/**
 * What was refused because of a limit. Of the process rather than of a gateway: limits
 * are checked in many places, most of which know nothing of the gateway that they work
 * for.
 */
export const refusals = new Counter({
  name: "gateway_refusals_total",
  help: "Requests, connections and subscriptions that were refused because of a limit",
  labelNames: ["limit", "scope"],
  registers: [],
});

/** Counts what is refused because of a limit. */
export function countRefusal(limit: ReachedLimit, scope: LimitScope): void {
  refusals.inc({ limit, scope });
}
