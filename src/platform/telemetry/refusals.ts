import { Counter } from "prom-client";

/** The limit that was reached. Limits of queues carry the name of the queue, such as `large_queries`. */
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

/** Who holds the limit: one request or socket; a caller, workspace or address with all its requests; or everybody. */
type LimitScope = "request" | "socket" | "caller" | "workspace" | "address" | "total";

/** Counts refusals by limit, for the whole process: most functions that check limits do not know their gateway. */
export const refusals = new Counter({
  name: "gateway_refusals_total",
  help: "Requests, connections and subscriptions that were refused because of a limit",
  labelNames: ["limit", "scope"],
  registers: [],
});

export function countRefusal(limit: ReachedLimit, scope: LimitScope): void {
  refusals.inc({ limit, scope });
}
