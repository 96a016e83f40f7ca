import type { RawRequest } from "../http/raw-request.js";
import { listOf } from "../support/list-of.js";
import type { Attack } from "./attack-case.js";
import type { Attacker } from "./attacker.js";

export const numbers = (count: number) => listOf(count, (n) => n);

/** A request with a GraphQL operation. */
export const operation = (query: string, authorization?: string, variables?: object): RawRequest => ({
  method: "POST",
  path: "/graphql",
  headers: { "content-type": "application/json", ...(authorization !== undefined && { authorization }) },
  body: JSON.stringify({ query, variables }),
});

/** An attack of requests that are sent all at once, or a number at a time. */
export const requests = (
  description: Omit<Attack, "prepare">,
  make: (attacker: Attacker) => RawRequest[] | Promise<RawRequest[]>,
  { concurrency, outcome }: { concurrency?: number; outcome?: string } = {},
): Attack => ({
  ...description,
  prepare: async (attacker) => {
    const made = await make(attacker);
    return async () => {
      const answers = await attacker.sendAll(made, concurrency);
      if (outcome !== undefined && answers !== outcome) throw new Error(`the answers are ${answers}`);
      return answers;
    };
  },
});
