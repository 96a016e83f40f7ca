import type { Attack } from "./attack-case.js";
import { wholePeriod } from "./target.js";

const alert = `id name severity count createdAt localCreatedAt url thumbnailUrl
  storageClass info bookmark falsePositive areaIds camera { id name } facility { id name }`;
const { start, end } = wholePeriod;
const aliases = Array.from(
  { length: 29 },
  (_, n) => `a${n}: alerts(filter: { start: "${start}", end: "${end}" }, first: 1000, offset: ${n * 1_000}) { nodes { ${alert} } }`,
);
const largeQuery = JSON.stringify({ query: `{ ${aliases.join("\n")} }` });

const largePage = `/alerts?start=0&end=${new Date(end).getTime()}&count=1000`;

/** Attacks by requests for large answers. */
export const answerAttacks: Attack[] = [
  {
    name: "large-answers",
    description: "29 aliases of 1,000 alerts with camera and facility, 6 times by one caller, 3 at once",
    isShort: true,
    prepare: async (attacker) => {
      const headers = { authorization: await attacker.newUser(), "content-type": "application/json" };
      return () => attacker.sendAll(Array(6).fill({ method: "POST", path: "/graphql", headers, body: largeQuery }), 3);
    },
  },
  {
    name: "large-pages",
    description: "100 pages of 1,000 alerts by REST by one caller, 20 at once",
    prepare: async (attacker) => {
      const headers = { authorization: await attacker.newUser() };
      const requests = Array.from({ length: 100 }, (_, n) => ({ path: `${largePage}&page=${(n % 40) + 1}`, headers }));
      return () => attacker.sendAll(requests, 20);
    },
  },
  {
    name: "unread-answers",
    description: "10 sockets with 60 pipelined requests for pages of 1,000 alerts each, whose answers are never read",
    prepare: async (attacker) => {
      const headers = { authorization: await attacker.newUser() };
      const requests = Array(60).fill({ path: largePage, headers });
      return async () => {
        const outcomes = await Promise.all(Array.from({ length: 10 }, () => attacker.pipeline(requests, { reads: false, patienceMs: 4_000 })));
        return outcomes.join(", ");
      };
    },
  },
  {
    name: "pipelined-requests",
    description: "20,000 pipelined requests on one socket",
    isShort: true,
    prepare: async (attacker) => {
      const headers = { authorization: await attacker.newUser() };
      return () => attacker.pipeline(Array(20_000).fill({ path: "/facilities", headers }));
    },
  },
  {
    name: "pipelined-anonymous-requests",
    description: "20,000 pipelined requests on one socket, anonymous",
    prepare: async (attacker) => () => attacker.pipeline(Array(20_000).fill({ path: "/facilities" })),
  },
];
