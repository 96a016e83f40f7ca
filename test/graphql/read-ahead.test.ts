import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApiKey } from "../support/factories.js";
import { type Gateway, type Sender, startGateway } from "../support/harness.js";
import { completeTheFleet } from "./complete-fleet.js";

let gateway: Gateway;
const senders: Record<string, Sender> = { "an admin": { user: "demo|admin" }, "the user of a site": { user: "demo|site" } };

beforeAll(async () => {
  // Links carry their hour: with a clock that stands still, two answers of one thing are equal.
  const moment = new Date();
  gateway = await startGateway({ seed: "demo", now: () => moment, environment: { MAX_QUERY_COST: "100000000" } });
  await completeTheFleet(gateway.prisma, moment);
  const { id, workspaceId } = await gateway.prisma.facility.findFirstOrThrow({ where: { timeZoneId: "Asia/Kathmandu" } });
  senders["a key of one facility"] = await createApiKey(gateway.prisma, { workspaceId, permissions: ["alerts:read"], facilityIds: [id] });
}, 60_000);
afterAll(() => gateway.close());

/** The leaves of a type, and its fields that lead to lists which are read together with it. */
const types: Record<string, { leaves: string[]; lists: Record<string, string> }> = {
  Workspace: { leaves: ["id", "name"], lists: { facilities: "Facility", cameras: "Camera", "alerts(PAGE)": "AlertPage" } },
  Facility: { leaves: ["id", "name", "online", "lastHeartbeatAt", "timeZoneId"], lists: { cameras: "Camera", "alerts(PAGE)": "AlertPage" } },
  Camera: {
    leaves: ["id", "name", "url", "imageLink", "createdAt", "updatedAt", "streamType", "emailAddresses", "alertRuleIds", "advancedSettings"],
    lists: {
      alertRules: "AlertRule",
      "alerts(PAGE)": "AlertPage",
      'lastAlert(type: "NO_HELMET")': "Alert",
      'lastAlert(type: "STATIC_DELIMITATION_AREA")': "Alert",
      "statusHistory(first: 2)": "StatusPage",
      "streamRequests(first: 2)": "StreamPage",
      facility: "Facility",
    },
  },
  AlertRule: { leaves: ["id", "name", "severity", "timeRange", "group", "pretty"], lists: { "alerts(PAGE)": "AlertPage", camera: "Camera" } },
  Alert: {
    leaves: ["id", "name", "severity", "count", "createdAt", "localCreatedAt", "url", "areaIds", "area { x y }", "info"],
    lists: { camera: "Camera", facility: "Facility", alertRule: "AlertRule" },
  },
  AlertPage: { leaves: ["pageInfo { hasNextPage hasPreviousPage endCursor }", "totalCount"], lists: { nodes: "Alert" } },
  StatusPage: { leaves: ["pageInfo { hasNextPage }"], lists: { nodes: "StatusChange" } },
  StatusChange: { leaves: ["statusDetail", "source", "createdAt"], lists: {} },
  StreamPage: { leaves: ["totalCount"], lists: { nodes: "StreamRequest" } },
  StreamRequest: { leaves: ["createdAt", "expiresAt", "errorMessage", "supersededAt"], lists: {} },
};

const pages = [
  "first: 3",
  "first: 2, offset: 1",
  "first: $first",
  'first: 4, filter: { start: "2000-01-01T00:00:00Z", end: "2100-01-01T00:00:00Z", bookmark: false }',
  "first: 2, filter: $filter",
];

/**
 * A selection on a type, some levels deep, each field under a name of its own. `directive` stands behind every list: with
 * `@include(if: $yes)` the same is asked, but nothing can be read ahead of what may be left out.
 */
function drawSelection(type: string, depth: number, directive: string): fc.Arbitrary<string> {
  const { leaves, lists } = types[type] as (typeof types)[string];
  const names = Object.keys(lists);
  const below = names.map((name, index) =>
    depth === 0
      ? fc.constant(undefined)
      : fc.option(
          fc
            .tuple(fc.constantFrom(...pages), drawSelection(lists[name] as string, depth - 1, directive))
            .map(([page, selection]) => `list${index}: ${name.replace("PAGE", page)}${directive} { ${selection} }`),
          { nil: undefined, freq: 2 },
        ),
  );
  return fc
    .tuple(fc.subarray(leaves, { minLength: 1 }), fc.tuple(...below))
    .map(([own, children]) => [...own, ...children.filter((child) => child !== undefined)].join(" "));
}

describe.each(["Workspace", "Facility", "Camera"])("what is read ahead below %s is what is read level by level", (type) => {
  const root = { Workspace: "workspace", Facility: "facilities", Camera: "cameras" }[type] as string;
  const variables = { first: 3, yes: true, filter: { start: "2000-01-01T00:00:00Z", end: "2100-01-01T00:00:00Z", types: ["NO_HELMET"] } };

  it.each(Object.keys({ ...senders, "a key of one facility": 0 }))(
    "for %s",
    async (who) => {
      const as = senders[who] as Sender;
      const ask = async (selection: string) => {
        const query = `query Q($first: Int, $yes: Boolean!, $filter: AlertFilter) { ${root} { ${selection} } alias: ${root} @include(if: $yes) { __typename }
        unused: alerts(filter: { start: "2000-01-01T00:00:00Z", end: "2000-01-01T00:00:00Z" }, first: $first) @skip(if: $yes) { totalCount }
        other: workspace @skip(if: $yes) { alerts(filter: $filter) { totalCount } } }`;
        gateway.clearStatements();
        const text = await (
          await gateway.fetch("/graphql", {
            method: "POST",
            as,
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ query, variables }),
          })
        ).text();
        return { text, statements: gateway.statements.length };
      };
      let saved = 0;
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 31 - 1 }), async (seed) => {
          const [one, other] = ["", " @include(if: $yes)"].map(
            (directive) => fc.sample(drawSelection(type, 3, directive), { seed, numRuns: 1 })[0] as string,
          );
          const ahead = await ask(one as string);
          const byLevels = await ask(other as string);
          expect(ahead.text).toBe(byLevels.text);
          expect(ahead.text).not.toContain('"errors"');
          // The third time it is compiled.
          expect((await ask(one as string)).text).toBe(ahead.text);
          expect((await ask(one as string)).text).toBe(ahead.text);
          saved += byLevels.statements - ahead.statements;
        }),
        { seed: 20261121, numRuns: 10, endOnFailure: true },
      );
      expect(saved).toBeGreaterThan(0);
    },
    60_000,
  );
});
