import { idKinds, idOf } from "../bench/dataset-ids.js";
import type { Attack } from "./attack-case.js";
import { numbers, operation, requests } from "./attack-requests.js";

/** An attack of requests for entities, as a router sends them, all at once. */
const entities = (
  description: Omit<Attack, "prepare">,
  count: number,
  selection: string,
  representations: (n: number) => object[],
): Attack =>
  requests(description, async (attacker) => {
    const authorization = await attacker.newUser();
    const query = `query ($all: [_Any!]!) { _entities(representations: $all) ${selection} }`;
    return numbers(count).map((n) => operation(query, authorization, { all: representations(n) }));
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
  requests(
    {
      name: "subgraph-schema",
      description: "The schema for routers 2 and 30 times in each of 100 requests, and once in each of 50",
      isShort: true,
    },
    async (attacker) => {
      const authorization = await attacker.newUser("none");
      return [2, 30, 1].flatMap((count) => {
        const selection = numbers(count).map((n) => `a${n}: sdl`);
        return Array(50).fill(operation(`{ _service { ${selection.join(" ")} } }`, authorization));
      });
    },
  ),
];
