import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { RawRequest } from "../http/raw-request.js";
import type { Attack } from "./attack-case.js";
import { numbers, requests } from "./attack-requests.js";
import type { Attacker } from "./attacker.js";
import { trustedProxy } from "./target.js";

/** 4 KB that become 4 MB, and more than a million values for the JSON parser. */
const manyValues = () =>
  gzipSync(`{"query":"{ __typename }","variables":{"a":[${"[],".repeat(1_390_000)}[]]}}`, { level: 9 });
/** Just under the 1 MiB that REST takes. */
const manyMembers = () =>
  gzipSync(`{"url":"https://a.example/","width":[${"[],".repeat(340_000)}[]]}`, { level: 9 });

const headers = { "content-type": "application/json", "content-encoding": "gzip" };

const bomb = (path: string, body: Buffer, authorization?: string, method = "POST"): RawRequest => ({
  method,
  path,
  headers: { ...headers, ...(authorization !== undefined && { authorization }) },
  body,
});

/**
 * Uses up the requests that a caller may send in a minute, with requests that are refused
 * before a statement.
 */
async function exceedRateLimit(attacker: Attacker, authorization: string): Promise<void> {
  const answers = await attacker.sendAll(
    Array(6_050).fill({ path: "/alerts", headers: { authorization } }),
    20,
  );
  if (!answers.includes("× 429")) throw new Error(`the caller is not over the rate limit: ${answers}`);
}

/** Attacks by bodies that are expensive to read. */
export const bodyAttacks: Attack[] = [
  requests(
    {
      name: "anonymous-bodies",
      description: "75 anonymous bodies of 4 KB that become 4 MB, to /graphql, /mcp and endpoints 5–7",
      isShort: true,
    },
    () => {
      const [values, members] = [manyValues(), manyMembers()];
      return numbers(15).flatMap(() => [
        bomb("/graphql", values),
        bomb("/mcp", values),
        bomb(`/cameras/thumbnail/${randomUUID()}`, members),
        bomb(`/cameras/metadata/${randomUUID()}`, members),
        bomb(`/cameras/feedserver/error/${randomUUID()}`, members),
      ]);
    },
  ),
  requests(
    {
      name: "bodies-with-bad-tokens",
      description: "60 bodies of 4 KB that become 4 MB, with tokens that nobody signed",
    },
    async (attacker) => {
      const [values, members] = [manyValues(), manyMembers()];
      const authorization = `${await attacker.newUser()}x`;
      return numbers(20).flatMap(() => [
        bomb("/graphql", values, authorization),
        bomb("/mcp", values, authorization),
        bomb("/user", members, authorization, "PATCH"),
      ]);
    },
  ),
  requests(
    {
      name: "bodies-over-the-limit",
      description: "60 bodies of 4 KB that become 4 MB, by a caller who is over the rate limit",
    },
    async (attacker) => {
      const [values, members] = [manyValues(), manyMembers()];
      const authorization = await attacker.newUser();
      await exceedRateLimit(attacker, authorization);
      return numbers(30).flatMap(() => [
        bomb("/graphql", values, authorization),
        bomb("/user", members, authorization, "PATCH"),
      ]);
    },
  ),
  requests(
    {
      name: "authenticated-bodies",
      description: "12 bodies of 4 KB that become 4 MB, by one caller",
    },
    async (attacker) => Array(12).fill(bomb("/graphql", manyValues(), await attacker.newUser())),
  ),
  requests(
    {
      name: "deep-bodies",
      description: "30 bodies nested half a million levels deep, anonymous and by a caller",
      isShort: true,
    },
    async (attacker) => {
      const authorization = await attacker.newUser();
      const nested = `${"[".repeat(500_000)}${"]".repeat(500_000)}`;
      const body = gzipSync(`{"query":"{ __typename }","variables":${nested}}`, { level: 9 });
      return numbers(30).map((n) => bomb("/graphql", body, n % 2 === 0 ? undefined : authorization));
    },
  ),
  requests(
    {
      name: "forwarded-addresses",
      description: "2,000 requests with different X-Forwarded-For of 50 KB, by way of a trusted proxy",
    },
    () =>
      numbers(2_000).map((n) => ({
        path: "/facilities",
        localAddress: trustedProxy,
        // A getter, because all texts together would take 100 MB.
        get headers() {
          return { "x-forwarded-for": `${"a".repeat(50_000)}${n}` };
        },
      })),
    { concurrency: 8 },
  ),
];
