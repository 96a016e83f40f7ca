import { Extensions } from "type-graphql";

/**
 * Marks a query or mutation that needs no credentials: one of its arguments is a capability, or its answer tells the
 * caller nothing. All others need credentials.
 */
export function Public() {
  return Extensions({ public: true });
}
