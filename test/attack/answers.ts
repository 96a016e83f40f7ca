import { setTimeout as sleep } from "node:timers/promises";
import { idKinds, idOf } from "../bench/dataset-ids.js";
import { listOf } from "../support/list-of.js";
import { encodePart, formType } from "../uploads/multipart.js";
import type { Attack } from "./attack-case.js";
import { operation, requests } from "./attack-requests.js";
import type { Attacker } from "./attacker.js";
import { wholePeriod } from "./target.js";

const alert = `id name severity count createdAt localCreatedAt url thumbnailUrl
  storageClass info bookmark falsePositive areaIds camera { id name } facility { id name }`;
const { start, end } = wholePeriod;
const aliases = listOf(
  29,
  (n) =>
    `a${n}: alerts(filter: { start: "${start}", end: "${end}" }, first: 1000, offset: ${n * 1_000}) { nodes { ${alert} } }`,
);
const largeQuery = `{ ${aliases.join("\n")} }`;

const workspaceId = idOf(idKinds.workspace, 1);
const largePage = `/alerts?start=0&end=${new Date(end).getTime()}&count=1000`;

const camera = (n: number) => idOf(idKinds.camera, n);

/**
 * A rule of the last camera with a large group, and a query for it with each alert of
 * that camera, seven times.
 */
const largeRule = idOf(idKinds.rule, 800);
const repeatedGroups = `{ camera(id: "${camera(400)}") { ${aliases
  .slice(0, 7)
  .map(
    (_, n) =>
      `a${n}: alerts(filter: { start: "${start}", end: "${end}" }, first: 1000) { nodes { alertRule { group } } }`,
  )
  .join("\n")} } }`;

/** Gives the rule a number of areas with 100 points each, as an older version accepted. */
async function resizeGroup({ target }: Attacker, areas: number): Promise<void> {
  const points = listOf(100, (n) => ({ x: n + 1 / 3, y: n + 1 / 7 }));
  const children = Array(areas).fill({ type: "AREA", name: "Area", color: "#ff8800", points });
  const group = JSON.stringify({ type: "GROUP", name: "All", operator: "AND", children });
  await target.sql(
    `UPDATE "AlertRule" SET "group" = '${group}' WHERE "workspaceId" = '${workspaceId}' AND "id" = '${largeRule}'`,
  );
}

/** Sends queries at once whose answers need many large values of the database. */
const largeValues = (
  description: Omit<Attack, "prepare" | "isShort">,
  { rows, queries, outcome }: { rows: string; queries: readonly string[]; outcome: string },
): Attack =>
  requests(
    { ...description, isShort: true },
    async (attacker) => {
      await attacker.target.sql(rows);
      const authorization = await attacker.newUser();
      return queries.map((query) => operation(query, authorization));
    },
    { outcome },
  );

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
        listOf(10, () => attacker.pipeline(requests, { reads: false, patienceMs: 4_000 })),
      );
      return outcomes.join(", ");
    };
  },
});

/** Attacks by requests for large answers. */
export const answerAttacks: Attack[] = [
  requests(
    {
      name: "large-answers",
      description: "29 aliases of 1,000 alerts with camera and facility, 6 times by one caller, 3 at once",
      isShort: true,
    },
    async (attacker) => Array(6).fill(operation(largeQuery, await attacker.newUser())),
    { concurrency: 3 },
  ),
  requests(
    {
      name: "pages-at-once",
      description: "8 pages of 1,000 alerts by REST at once, by one caller",
      isShort: true,
    },
    async (attacker) =>
      Array(8).fill({ path: largePage, headers: { authorization: await attacker.newUser() } }),
    { outcome: "8 × 200" },
  ),
  largeValues(
    {
      name: "large-groups",
      description: "40 rules of a camera with groups of 250 and of 500 KB, three times each at once",
    },
    {
      rows: `INSERT INTO "AlertRule" ("id", "workspaceId", "cameraId", "name", "severity", "group", "updatedAt")
        SELECT gen_random_uuid(), '${workspaceId}', CASE n % 2 WHEN 0 THEN '${camera(398)}' ELSE '${camera(399)}' END::uuid, 'LARGE_' || n, 'LOW',
          jsonb_build_object('id', gen_random_uuid(), 'type', 'GROUP', 'operator', 'AND', 'children', (SELECT jsonb_agg(
            jsonb_build_object('id', gen_random_uuid(), 'type', 'AREA', 'name', 'Area ' || area, 'points', (SELECT jsonb_agg(
              jsonb_build_object('x', point + 0.123456789, 'y', point + 0.987654321)) FROM generate_series(1, 100) AS point))
            ) FROM generate_series(1, 55 * (1 + n % 2)) AS area)), now()
        FROM generate_series(1, 80) AS n`,
      queries: [398, 399, 398, 399, 398, 399].map(
        (n) => `{ camera(id: "${camera(n)}") { alertRules { group } } }`,
      ),
      outcome: "3 × 200, 3 × 200 BAD_REQUEST",
    },
  ),
  largeValues(
    {
      name: "large-changes",
      description: "The last 100 and 200 changes in the audit log, of 100 KB each, three times each at once",
    },
    {
      rows: `INSERT INTO "AuditEntry" ("id", "workspaceId", "actorKind", "action", "targetType", "changes", "createdAt")
        SELECT gen_random_uuid(), '${workspaceId}', 'USER', 'updateCamera', 'Camera',
          jsonb_build_object('labels', jsonb_build_object('from', '[]'::jsonb, 'to', (SELECT jsonb_agg('label ' || label) FROM generate_series(1, 7500) AS label))), now()
        FROM generate_series(1, 200)`,
      queries: [100, 200, 100, 200, 100, 200].map(
        (first) => `{ auditLog(first: ${first}) { nodes { changes } } }`,
      ),
      outcome: "3 × 200, 3 × 200 BAD_REQUEST",
    },
  ),
  {
    name: "repeated-texts",
    description: "10 queries for a rule's group of 900 KB with each of 1,000 alerts, 3 at once",
    prepare: async (attacker) => {
      const authorization = await attacker.newUser();
      await resizeGroup(attacker, 199);
      return async () => {
        const request = operation(repeatedGroups, authorization);
        const outcome = await attacker.sendAll(Array(10).fill(request), 3);
        await resizeGroup(attacker, 1);
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
      const users = await Promise.all(listOf(4, () => attacker.newUser()));
      return async () => {
        await Promise.all(users.flatMap((user) => listOf(4, () => sendUnreadForm(attacker, user))));
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
];
