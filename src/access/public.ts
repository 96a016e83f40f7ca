import { Extensions } from "type-graphql";

/**
 * Marks a query or mutation that needs no credentials, because one of its arguments is a
 * capability. All others need credentials.
 */
export function Public() {
  return Extensions({ public: true });
}
