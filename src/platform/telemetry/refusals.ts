import { Counter } from "prom-client";

/** Limits of queues carry the name of the queue, such as `large_queries`. */
type ReachedLimit =
  | "rate"
  | "connections"
  | "sockets"
  | "subscriptions"
  | "payload_size"
  | "answer_size"
  | "query_cost"
  | "query_depth"
  | "query_introspection"
  | "query_aliases"
  | "query_directives"
  | "known_operations"
  | (string & {});

/** One request or socket; a caller, workspace or address; or everybody together. */
type LimitScope = "request" | "socket" | "caller" | "workspace" | "address" | "total";

/** One for the process: limits are checked where no gateway is known. */
export const refusals = new Counter({
  name: "gateway_refusals_total",
  help: "Requests, connections and subscriptions that were refused because of a limit",
  labelNames: ["limit", "scope"],
  registers: [],
});

export function countRefusal(limit: ReachedLimit, scope: LimitScope): void {
  refusals.inc({ limit, scope });
}
