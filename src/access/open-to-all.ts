import { Extensions } from "type-graphql";

/**
 * Marks a query or mutation that needs no credentials, because an argument of it is the capability. Everything else does
 * need them.
 */
export function OpenToAll() {
  return Extensions({ openToAll: true });
}
