import { gzipSync } from "node:zlib";
import { getIntrospectionQuery } from "graphql";
import type { RawRequest } from "../http/raw-request.js";
import type { Attack } from "./attack-case.js";
import { numbers, operation, requests } from "./attack-requests.js";
import { wholePeriod } from "./target.js";

/** A request whose body is sent compressed. */
export const compressed = ({ body = "", headers = {}, ...others }: RawRequest): RawRequest => ({
  ...others,
  headers: { ...headers, "content-encoding": "gzip" },
  body: gzipSync(body, { level: 9 }),
});

/** Different words of a document. */
const words = (count: number, word: (n: number) => string) => numbers(count).map(word).join(" ");

/** A document that takes the parser long, or that is kept by it. */
const hostileDocuments: Attack[] = [
  requests(
    {
      name: "comments",
      description: "36 compressed queries of 1.3 million comment lines, anonymous",
      isShort: true,
    },
    () => numbers(36).map((n) => compressed(operation(`${"#\n".repeat(1_300_000)}# ${n}\n{ __typename }`))),
  ),
  requests(
    {
      name: "newlines",
      description: "1.9 million newlines before 100 unknown names, compressed, anonymous",
      isShort: true,
    },
    () => [compressed(operation(`${"\n".repeat(1_900_000)}{ ${words(100, (n) => `unknown${n}`)} }`))],
  ),
  requests(
    {
      name: "unknown-names",
      description: "60 KB of unknown fields, arguments, variables and fragments, 10 times, anonymous",
      isShort: true,
    },
    () =>
      numbers(10).flatMap((n) => [
        operation(`{ ${words(1_200, (name) => `u${n}x${name}(a:1,b:$v)@d`)} }`),
        operation(`{ __typename ${words(1_200, (name) => `...f${n}x${name}`)} }`),
        operation(
          `query(${numbers(800)
            .map((name) => `$v${n}x${name}:Nothing${name}`)
            .join(",")}) { __typename }`,
        ),
      ]),
  ),
  requests(
    {
      name: "overlapping-fields",
      description: "Fragments whose fields have to be compared with each other, 10 documents, anonymous",
      isShort: true,
    },
    () =>
      numbers(10).map((n) =>
        operation(
          `query Q${n} { facilities { ${words(200, (f) => `...F${f}`)} } } ${words(200, (f) => `fragment F${f} on Facility { cameras { facility { cameras { name } } } }`)}`,
        ),
      ),
  ),
  requests(
    {
      name: "nested-document",
      description: "Documents nested thousands of levels deep, 30 times, anonymous",
    },
    () =>
      numbers(10).flatMap((n) => [
        operation(`query Q${n} ${"{a".repeat(2_400)}${"}".repeat(2_400)}`),
        operation(`query Q${n}($v: ${"[".repeat(2_400)}Int${"]".repeat(2_400)}) { __typename }`),
        operation(`query Q${n} { a(v: ${"[".repeat(2_400)}${"]".repeat(2_400)}) }`),
      ]),
  ),
];

const listsOfTypes = (count: number) =>
  `{ __schema { types { fields { type { ${numbers(count)
    .map((n) => `a${n}: fields { name description }`)
    .join(" ")} } } } } }`;

/** Documents that show the schema. */
const introspections: Attack[] = [
  requests(
    {
      name: "introspection",
      description: "The introspection query 100 times, and the schema shown by 15 and by 30 lists",
      isShort: true,
    },
    async (attacker) => {
      const authorization = await attacker.newUser("none");
      const shown = [getIntrospectionQuery(), listsOfTypes(13), listsOfTypes(28)];
      return numbers(180).map((n) => operation(shown[n < 100 ? 0 : (n % 2) + 1] as string, authorization));
    },
  ),
];

/** Documents that the gateway might keep. */
const manyDocuments: Attack[] = [
  requests(
    { name: "distinct-documents", description: "600 distinct documents of 1,600 fields each, anonymous" },
    () =>
      numbers(600).map((n) =>
        operation(`query Q${n} { ${words(1_600, (alias) => `a${alias}:__typename`)} }`),
      ),
    { concurrency: 8 },
  ),
  requests(
    { name: "answered-documents", description: "600 distinct documents whose answers PostgreSQL writes" },
    async (attacker) => {
      const authorization = await attacker.newUser();
      const facility = "id name address timeZoneId online lastHeartbeatAt cameraCount";
      const fieldsOf = (n: number) =>
        numbers(28).map((alias) => `alias${alias}x${n}: facilities { ${facility} }`);
      return numbers(600).map((n) => operation(`query Q${n} { ${fieldsOf(n).join(" ")} }`, authorization));
    },
    { concurrency: 4 },
  ),
  requests(
    {
      name: "array-variable",
      description: "400,000 items in one variable that 300 fields use, twice",
      isShort: true,
    },
    async (attacker) => {
      const authorization = await attacker.newUser();
      const query = `query ($filter: AlertFilter!) { ${Array(300).fill("alerts(filter: $filter) { totalCount }").join(" ")} }`;
      const request = operation(query, authorization, {
        filter: { ...wholePeriod, types: Array(400_000).fill("") },
      });
      return [request, request];
    },
    { concurrency: 1 },
  ),
];

/**
 * The time without answers after which the attack ends, because accepted subscriptions
 * have no answer.
 */
const silenceMs = 3_000;

/** Sends documents by WebSocket, and waits until each has an answer, or no more come. */
const sentBySocket = (
  description: Omit<Attack, "prepare">,
  documents: (n: number) => string,
  count: number,
): Attack => ({
  ...description,
  prepare: async (attacker) => {
    const authorization = await attacker.newUser();
    const queries = numbers(count).map(documents);
    return async () => {
      const socket = await attacker.openSocket(authorization);
      if (!socket) return "refused";
      let answers = 0;
      const finished = new Promise<string>((resolve) => {
        const silence = setTimeout(
          () => resolve(`${answers} answers, ${count - answers} accepted`),
          silenceMs,
        );
        socket.on("message", (message) => {
          if (String(message).includes('"INTERNAL"')) throw new Error(`the message ${message}`);
          answers += 1;
          silence.refresh();
          if (answers >= count) resolve(`${answers} answers`);
        });
        socket.once("close", (code) => resolve(`closed with ${code} after ${answers} answers`));
      });
      for (const [id, query] of queries.entries())
        socket.send(JSON.stringify({ type: "subscribe", id: String(id), payload: { query } }));
      return finished;
    };
  },
});

/** Each fragment spreads two others, except on the last level. */
function binaryTree(levels: number, n: number): string {
  const inner = numbers(2 ** levels - 1).map(
    (node) => `fragment F${node + 1} on Facility { ...F${2 * node + 2} ...F${2 * node + 3} }`,
  );
  const leaves = numbers(2 ** levels).map((leaf) => `fragment F${2 ** levels + leaf} on Facility { id }`);
  return `subscription S${n} { facilityHeartbeat { ...F1 } } ${[...inner, ...leaves].join(" ")}`;
}

/** Each fragment spreads the next one twice, within another field. */
function repeatedFragments(levels: number, n: number): string {
  const fragments = numbers(levels).map(
    (level) =>
      `fragment F${level} on Facility { workspace { facilities { ...F${level + 1} ...F${level + 1} } } }`,
  );
  return `subscription S${n} { facilityHeartbeat { ...F0 } } ${fragments.join(" ")} fragment F${levels} on Facility { id }`;
}

const socketDocuments: Attack[] = [
  sentBySocket(
    {
      name: "fragment-tree",
      description: "5 WebSocket messages of 20 KB with a binary tree of fragments",
      isShort: true,
    },
    (n) => binaryTree(8, n),
    5,
  ),
  sentBySocket(
    {
      name: "repeated-fragments",
      description: "5 WebSocket messages with fragments that spread the next one twice",
    },
    (n) => repeatedFragments(100, n),
    5,
  ),
  sentBySocket(
    { name: "socket-documents", description: "2,000 distinct invalid documents of 30 KB on one WebSocket" },
    (n) => `subscription S${n} { ${words(1_500, (field) => `unknown${n}x${field}`)} }`,
    2_000,
  ),
];

/** Attacks by documents. */
export const documentAttacks: Attack[] = [
  ...hostileDocuments,
  ...introspections,
  ...manyDocuments,
  ...socketDocuments,
];
