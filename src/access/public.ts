import { Extensions } from "type-graphql";

/**
 * Marks a query or mutation that needs no credentials, because one of its arguments is a
 * capability, or because it tells nothing to whoever calls it. All others need
 * credentials.
 */
export function Public() {
  return Extensions({ public: true });
}
