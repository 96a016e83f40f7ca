import { setTimeout as sleep } from "node:timers/promises";
import { idKinds, idOf } from "../bench/dataset-ids.js";
import { encodePart, formType } from "../uploads/multipart.js";
import type { Attack } from "./attack-case.js";
import type { Attacker } from "./attacker.js";
import { wholePeriod } from "./target.js";

const alert = `id name severity count createdAt localCreatedAt url thumbnailUrl
  storageClass info bookmark falsePositive areaIds camera { id name } facility { id name }`;
const { start, end } = wholePeriod;
const aliases = Array.from(
  { length: 29 },
  (_, n) =>
    `a${n}: alerts(filter: { start: "${start}", end: "${end}" }, first: 1000, offset: ${n * 1_000}) { nodes { ${alert} } }`,
);
const largeQuery = JSON.stringify({ query: `{ ${aliases.join("\n")} }` });

const largePage = `/alerts?start=0&end=${new Date(end).getTime()}&count=1000`;

const json = { "content-type": "application/json" };

/**
 * A rule of the last camera with a large group, and a query for it with each alert of
 * that camera, seven times.
 */
const largeRule = idOf(idKinds.rule, 800);
const repeatedGroups = `{ camera(id: "${idOf(idKinds.camera, 400)}") { ${aliases
  .slice(0, 7)
  .map(
    (_, n) =>
      `a${n}: alerts(filter: { start: "${start}", end: "${end}" }, first: 1000) { nodes { alertRule { group } } }`,
  )
  .join("\n")} } }`;

/** Gives the rule a number of areas with 100 points each. */
async function resizeGroup(attacker: Attacker, authorization: string, areas: number): Promise<void> {
  const points = Array.from({ length: 100 }, (_, n) => ({ x: n + 1 / 3, y: n + 1 / 7 }));
  const children = Array(areas).fill({ type: "AREA", name: "Area", color: "#ff8800", points });
  const variables = {
    id: largeRule,
    input: { group: { type: "GROUP", name: "All", operator: "AND", children } },
  };
  const query =
    "mutation ($id: UUID!, $input: UpdateAlertRuleInput!) { updateAlertRule(id: $id, input: $input) { id } }";
  const answer = await attacker.send({
    method: "POST",
    path: "/graphql",
    headers: { ...json, authorization },
    body: JSON.stringify({ query, variables }),
  });
  if (!answer?.text.includes(largeRule))
    throw new Error(`the rule was not updated: ${answer?.text.slice(0, 200)}`);
}

/**
 * Sends a form whose operation does not use its file. The file arrives at one byte per
 * second, and the client never reads the answer.
 */
async function sendUnreadForm(attacker: Attacker, authorization: string): Promise<void> {
  const socket = await attacker.connect();
  if (!socket) return;
  // A larger answer beside a file is refused at once.
  const view = aliases.slice(0, 3).join("\n").replaceAll("first: 1000", "first: 300");
  const query = `mutation ($image: Upload!) {
    updateMyPicture(image: $image) @skip(if: true) { id }
    renameFacility(id: "${idOf(idKinds.facility, 20)}", name: "Facility 20") { ${view} }
  }`;
  const operations = JSON.stringify({ query, variables: { image: null } });
  const head = [
    "POST /graphql HTTP/1.1",
    "host: gateway.example",
    `authorization: ${authorization}`,
    `content-type: ${formType}`,
  ];
  socket.write(`${head.join("\r\n")}\r\napollo-require-preflight: 1\r\ncontent-length: 1000000\r\n\r\n`);
  socket.write(encodePart({ name: "operations", content: operations }));
  socket.write(encodePart({ name: "map", content: '{ "0": ["variables.image"] }' }));
  socket.write(
    encodePart({ name: "0", filename: "picture.png", type: "image/png", content: Buffer.alloc(1_000) }),
  );
  const timer = setInterval(() => socket.write(Buffer.alloc(1)), 1_000);
  socket.once("close", () => clearInterval(timer));
}

const unreadAnswers = (description: Omit<Attack, "prepare">, headers: Record<string, string>): Attack => ({
  ...description,
  prepare: async (attacker) => {
    const requests = Array(60).fill({
      path: largePage,
      headers: { ...headers, authorization: await attacker.newUser() },
    });
    return async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, () => attacker.pipeline(requests, { reads: false, patienceMs: 4_000 })),
      );
      return outcomes.join(", ");
    };
  },
});

/** Attacks by requests for large answers. */
export const answerAttacks: Attack[] = [
  {
    name: "large-answers",
    description: "29 aliases of 1,000 alerts with camera and facility, 6 times by one caller, 3 at once",
    isShort: true,
    prepare: async (attacker) => {
      const headers = { authorization: await attacker.newUser(), "content-type": "application/json" };
      return () =>
        attacker.sendAll(Array(6).fill({ method: "POST", path: "/graphql", headers, body: largeQuery }), 3);
    },
  },
  {
    name: "large-pages",
    description: "100 pages of 1,000 alerts by REST by one caller, 20 at once",
    prepare: async (attacker) => {
      const headers = { authorization: await attacker.newUser() };
      const requests = Array.from({ length: 100 }, (_, n) => ({
        path: `${largePage}&page=${(n % 40) + 1}`,
        headers,
      }));
      return () => attacker.sendAll(requests, 20);
    },
  },
  {
    name: "repeated-texts",
    description: "10 queries for a rule's group of 900 KB with each of 1,000 alerts, 3 at once",
    prepare: async (attacker) => {
      const authorization = await attacker.newUser();
      await resizeGroup(attacker, authorization, 199);
      return async () => {
        const request = {
          method: "POST",
          path: "/graphql",
          headers: { ...json, authorization },
          body: JSON.stringify({ query: repeatedGroups }),
        };
        const outcome = await attacker.sendAll(Array(10).fill(request), 3);
        await resizeGroup(attacker, authorization, 1);
        return outcome;
      };
    },
  },
  unreadAnswers(
    {
      name: "unread-answers",
      description:
        "10 sockets with 60 pipelined requests for pages of 1,000 alerts each, whose answers are never read",
    },
    {},
  ),
  unreadAnswers(
    { name: "unread-compressed-answers", description: "the same, with compressed answers" },
    { "accept-encoding": "gzip" },
  ),
  {
    name: "unread-forms",
    description:
      "16 forms by 4 callers whose file comes at a byte a second, and whose answers are never read",
    isShort: true,
    prepare: async (attacker) => {
      const users = await Promise.all(Array.from({ length: 4 }, () => attacker.newUser()));
      return async () => {
        await Promise.all(
          users.flatMap((user) => Array.from({ length: 4 }, () => sendUnreadForm(attacker, user))),
        );
        // Longer than a body may stay below the least rate.
        await sleep(12_000);
        return "held for 12 s";
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
