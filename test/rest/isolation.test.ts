import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { permissions } from "../../src/access/permissions.js";
import type { Route } from "../../src/http/route.js";
import { routeGroups } from "../../src/rest/routes.js";
import { rowsOf } from "../export/workbook.js";
import { createApiKey } from "../support/factories.js";
import { type Gateway, type Sender, startGateway } from "../support/harness.js";
import { caseOf, initOf, pathParameters, queryOf, type RouteCase, requestOf } from "../support/route-cases.js";
import {
  admin,
  bareFacilityId,
  type CameraIds,
  createFleet,
  elsewhere,
  empty,
  foreign,
  full,
  holderOf,
  id,
  type LimitedKey,
  nobodys,
  reader,
  removed,
  sparse,
  unknown,
} from "./fleet.js";

let gateway: Gateway;
let limitedKey: LimitedKey;
/** For endpoints that take keys alone: keys that see all of the workspace, the full facility, and nothing. */
let basicKeys: Record<"all" | "one" | "none", Sender>;
beforeAll(async () => {
  gateway = await startGateway({ seed: "none" });
  limitedKey = await createFleet(gateway.prisma);
  const key = (facilityIds?: string[]) =>
    createApiKey(gateway.prisma, { workspaceId: full.workspaceId, permissions: [...permissions], ...(facilityIds && { facilityIds }) });
  basicKeys = { all: await key(), one: await key([full.facilityId]), none: await key([]) };
});
afterAll(() => gateway.close());

const titled = (route: Route) => [`${route.number} ${route.method.toUpperCase()} ${route.path}`, route] as const;
const everyRoute = routeGroups.flatMap((group) => group.routes);
const routes = everyRoute.filter(({ method }) => method === "get");
/** Those whose requests name something by its id. */
const naming = everyRoute.filter((route) => pathParameters(route).length > 0 || caseOf(route.number).query?.alertId);
/** Those of them that ask who may see it; whoever has a capability is not asked. */
const pointing = naming.filter(({ number }) => !caseOf(number).open).map(titled);
const below = routes.filter((route) => pathParameters(route).length > 0).map(titled);
const lists = routes.filter((route) => pathParameters(route).length === 0 && !caseOf(route.number).usersOnly).map(titled);

/** The body is that of JSON, or the rows of a workbook. */
async function ask(target: string, as: Sender, init: RequestInit = {}) {
  const response = await gateway.fetch(target, { as, ...init });
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  return { status: response.status, body: isJson ? await response.json() : await rowsOf(Buffer.from(await response.arrayBuffer())) };
}

const requestFor = (route: Route, ids: object) => requestOf(caseOf(route.number), ids as Record<string, string>);
const notFound = { status: 404, body: { status: "error", code: "NOT_FOUND", message: "Not found" } };

/** Callers who see the full facility and nothing else. */
const limited: [string, (each: RouteCase) => Sender][] = [
  ["a user of one facility", holderOf],
  ["a key of one facility", () => limitedKey],
];

/** Ids of what exists and is out of sight. */
const hidden: [string, () => Sender, keyof typeof basicKeys, object][] = [
  ["of another workspace, for an admin", () => admin, "all", foreign],
  ["of another workspace, for a user of one facility", () => reader, "one", foreign],
  ["of another facility, for a user of one facility", () => reader, "one", elsewhere],
  ["of another facility, for a key of one facility", () => limitedKey, "one", elsewhere],
  ["of the workspace, for a user who holds nothing", () => nobodys, "none", full],
];

describe.each(hidden)("what is %s, is answered like what never existed", (_whose, as, key, ids) => {
  it.each(pointing)("%s", async (_title, route) => {
    const each = caseOf(route.number);
    // An API key must say whose access it changes.
    const init = initOf(each, each.sends?.userId && { userId: each.sends.userId.good });
    const sender = each.basicOnly ? basicKeys[key] : as();
    // The caller is known: what is left is to find that there is nothing, in as many statements.
    await ask(requestFor(route, unknown), sender, init);
    gateway.clearStatements();
    expect(await ask(requestFor(route, unknown), sender, init)).toEqual(notFound);
    const statements = gateway.statements.length;
    gateway.clearStatements();
    expect(await ask(requestFor(route, ids), sender, init)).toEqual(notFound);
    expect(gateway.statements.length).toBe(statements);
  });
});

describe("what hangs on something else is not found below what is seen", () => {
  it.each(below.filter(([, route]) => pathParameters(route).length > 1))("%s", async (_title, route) => {
    const [first, ...deeper] = pathParameters(route) as [string, ...string[]];
    for (const ids of [foreign, elsewhere, unknown]) {
      for (const name of deeper) expect(await ask(requestFor(route, { ...full, [name]: (ids as never)[name] }), admin)).toEqual(notFound);
      expect(await ask(requestFor(route, { ...full, [first]: (ids as never)[first] }), admin)).toEqual(notFound);
    }
  });
});

describe("a camera that was deleted is gone with all below it", () => {
  const named = ({ path, number }: Route) => /^\/cameras\//.test(path) || caseOf(number).query?.alertId || path === "/alerts/:alertId";
  it.each(naming.filter(named).map(titled))("%s", async (_title, route) => {
    const each = caseOf(route.number);
    expect(await ask(requestFor(route, removed), each.basicOnly ? basicKeys.all : admin, initOf(each))).toEqual(notFound);
  });
});

describe("each caller sees its own facility", () => {
  for (const [who, as] of limited) {
    it.each(below)(`${who}, by %s`, async (_title, route) => {
      const { status, body } = await ask(requestFor(route, full), as(caseOf(route.number)));
      expect(status).toBe(200);
      expect(hiddenFromLimited.filter((each) => idsIn(body).has(each))).toEqual([]);
    });
  }
});

/** Every id of ours that an answer names. */
const idsIn = (body: unknown) => new Set(JSON.stringify(body).match(/a0000000-0000-4000-8000-\d{12}/g));

/** Whether something of a camera is among the ids; what lists facilities names those, and a workbook the alerts. */
const isNamed = ({ facilityId, cameraId, alertId }: CameraIds, seen: Set<string>) => [facilityId, cameraId, alertId].some((each) => seen.has(each));

const hiddenFromLimited = [...Object.values(elsewhere), ...Object.values(foreign), empty.facilityId, empty.cameraId, bareFacilityId].filter(
  (each) => each !== id(1),
);

describe("lists hold nothing that is out of sight", () => {
  for (const [who, as] of limited) {
    it.each(lists)(`for ${who}, by %s`, async (_title, route) => {
      const { status, body } = await ask(requestFor(route, {}), as(caseOf(route.number)));
      const seen = idsIn(body);
      expect(status).toBe(200);
      expect(isNamed(full, seen)).toBe(true);
      expect(hiddenFromLimited.filter((each) => seen.has(each))).toEqual([]);
    });
  }

  it.each(lists)("of another workspace or deleted, for an admin, by %s", async (_title, route) => {
    const { status, body } = await ask(requestFor(route, {}), admin);
    const seen = idsIn(body);
    expect(status).toBe(200);
    expect([full, sparse, elsewhere].filter((ids) => !isNamed(ids, seen))).toEqual([]);
    expect([...Object.values(foreign), removed.cameraId, removed.alertId].filter((each) => seen.has(each))).toEqual([]);
  });

  it.each(lists.filter(([, { permission }]) => !permission))("and are empty for a user who holds nothing, by %s", async (_title, route) => {
    const expected = route.answer.envelope === "page" ? { page: 1, count: 20, total: 0, alerts: [] } : [];
    expect(await ask(requestFor(route, {}), nobodys)).toEqual({ status: 200, body: { status: "ok", data: expected } });
  });
});

describe("a filter by what is out of sight matches nothing", () => {
  const filters: [string, () => Sender, Record<string, string>][] = [
    ["a camera of another workspace", () => admin, { cameraId: foreign.cameraId }],
    ["a facility of another workspace", () => admin, { facilityId: foreign.facilityId }],
    ["an area of another workspace", () => admin, { areaId: foreign.areaId }],
    ["a camera that was deleted", () => admin, { cameraId: removed.cameraId }],
    ["a camera of another facility", () => reader, { cameraId: elsewhere.cameraId }],
    ["another facility", () => limitedKey, { facilityId: elsewhere.facilityId }],
    ["an area of another facility", () => reader, { areaId: elsewhere.areaId }],
  ];
  it.each(filters)("%s", async (_what, as, filter) => {
    const { body } = await ask(`/alerts${queryOf(caseOf(16), filter)}`, as());
    expect(body).toEqual({ status: "ok", data: { page: 1, count: 20, total: 0, alerts: [] } });
  });
});

it("hides the caller's own user from nobody: a user who holds nothing reads it", async () => {
  expect(await ask("/user", nobodys)).toMatchObject({ status: 200, body: { data: { id: id(63), roles: [] } } });
});
