import { Extensions } from "type-graphql";

/** An argument is a capability, or the answer tells the caller nothing. All others need credentials. */
export function Public() {
  return Extensions({ public: true });
}
