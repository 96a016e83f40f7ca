import { idKinds, idOf } from "../bench/dataset-ids.js";
import type { Attack } from "./attack-case.js";
import type { Attacker } from "./attacker.js";

const headers = { "content-type": "application/json" };
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

/** An attack of requests for entities, as a router sends them, all at once. */
const entities = (
  description: Omit<Attack, "prepare">,
  count: number,
  selection: string,
  representations: (n: number) => object[],
): Attack => ({
  ...description,
  prepare: async (attacker: Attacker) => {
    const authorization = await attacker.newUser();
    const query = `query ($all: [_Any!]!) { _entities(representations: $all) ${selection} }`;
    const requests = numbers(count).map((n) => ({
      method: "POST",
      path: "/graphql",
      headers: { ...headers, authorization },
      body: JSON.stringify({ query, variables: { all: representations(n) } }),
    }));
    return () => attacker.sendAll(requests);
  },
});

const camera = (n: number) => ({ __typename: "Camera", id: idOf(idKinds.camera, n) });

/** Attacks on a subgraph by who can reach it although only the router should. */
export const federationAttacks: Attack[] = [
  entities(
    {
      name: "entities",
      description: "100 requests for 1,000 cameras with their facilities, rules and newest alerts",
      isShort: true,
    },
    100,
    "{ ... on Camera { name facility { name cameras { name } } alertRules { name group } alerts(first: 2) { nodes { name } } } }",
    (n) => numbers(1_000).map((each) => camera((each + n) % 500)),
  ),
  entities(
    {
      name: "bad-representations",
      description:
        "100 requests for 10,000 objects of types that do not exist, and for 1,000 with wrong keys",
      isShort: true,
    },
    100,
    "{ __typename }",
    (n) =>
      n % 2 === 0
        ? Array(10_000).fill({ __typename: "Kamera", id: "1" })
        : numbers(1_000).map((each) => ({ ...camera(each), nodeId: "A".repeat(190), [`n${each}`]: {} })),
  ),
  entities(
    {
      name: "deep-representations",
      description: "100 requests for an object whose key is nested 4,000 levels deep",
    },
    100,
    "{ __typename }",
    () => {
      let key: object = {};
      for (let level = 0; level < 4_000; level += 1) key = { id: key };
      return [{ __typename: "Camera", ...key }];
    },
  ),
  {
    name: "subgraph-schema",
    description: "The schema for routers 2 and 30 times in each of 100 requests, and once in each of 50",
    isShort: true,
    prepare: async (attacker) => {
      const authorization = await attacker.newUser("none");
      const request = (selection: string) => ({
        method: "POST",
        path: "/graphql",
        headers: { ...headers, authorization },
        body: JSON.stringify({ query: `{ _service { ${selection} } }` }),
      });
      const repeated = (count: number) =>
        request(
          numbers(count)
            .map((n) => `a${n}: sdl`)
            .join(" "),
        );
      return () =>
        attacker.sendAll([
          ...Array(50).fill(repeated(2)),
          ...Array(50).fill(repeated(30)),
          ...Array(50).fill(repeated(1)),
        ]);
    },
  },
];
