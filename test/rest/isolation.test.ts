import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { permissions } from "../../src/access/permissions.js";
import type { Route } from "../../src/http/route.js";
import { routeGroups } from "../../src/rest/routes.js";
import { rowsOf } from "../export/workbook.js";
import { createApiKey } from "../support/factories.js";
import {
  admin,
  bareFacilityId,
  type CameraIds,
  createFixedFleet,
  elsewhere,
  empty,
  full,
  holderOf,
  id,
  type LimitedKey,
  nobodys,
  otherTenant,
  reader,
  removed,
  sparse,
  unknown,
} from "../support/fixed-fleet.js";
import { type Gateway, type Sender, startGateway } from "../support/harness.js";
import { caseOf, initOf, pathParameters, queryOf, type RouteCase, requestOf } from "../support/route-cases.js";

let gateway: Gateway;
let limitedKey: LimitedKey;
/** For endpoints that accept only keys: keys that see the whole workspace, the full facility, and nothing. */
let basicKeys: Record<"all" | "one" | "none", Sender>;
beforeAll(async () => {
  gateway = await startGateway({ seed: "none" });
  limitedKey = await createFixedFleet(gateway.prisma);
  const key = (facilityIds?: string[]) =>
    createApiKey(gateway.prisma, { workspaceId: full.workspaceId, permissions: [...permissions], ...(facilityIds && { facilityIds }) });
  basicKeys = { all: await key(), one: await key([full.facilityId]), none: await key([]) };
});
afterAll(() => gateway.close());

const titled = (route: Route) => [`${route.number} ${route.method.toUpperCase()} ${route.path}`, route] as const;
const everyRoute = routeGroups.flatMap((group) => group.routes);
const routes = everyRoute.filter(({ method }) => method === "get");
/** Routes whose requests contain ids. */
const withIds = everyRoute.filter((route) => pathParameters(route).length > 0 || caseOf(route.number).query?.alertId);
/** Those that check visibility; public routes do not. */
const checked = withIds.filter(({ number }) => !caseOf(number).open).map(titled);
const nested = routes.filter((route) => pathParameters(route).length > 0).map(titled);
const lists = routes.filter((route) => pathParameters(route).length === 0 && !caseOf(route.number).usersOnly).map(titled);

/** The body is JSON or the rows of a workbook. */
async function send(target: string, as: Sender, init: RequestInit = {}) {
  const response = await gateway.fetch(target, { as, ...init });
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  return { status: response.status, body: isJson ? await response.json() : await rowsOf(Buffer.from(await response.arrayBuffer())) };
}

const requestFor = (route: Route, ids: object) => requestOf(caseOf(route.number), ids as Record<string, string>);
const notFound = { status: 404, body: { status: "error", code: "NOT_FOUND", message: "Not found" } };

/** Callers who see only the full facility. */
const limited: [string, (each: RouteCase) => Sender][] = [
  ["a user of one facility", holderOf],
  ["a key of one facility", () => limitedKey],
];

/** Ids of existing records that the caller cannot see. */
const hidden: [string, () => Sender, keyof typeof basicKeys, object][] = [
  ["in another workspace, for an admin", () => admin, "all", otherTenant],
  ["in another workspace, for a user of one facility", () => reader, "one", otherTenant],
  ["in another facility, for a user of one facility", () => reader, "one", elsewhere],
  ["in another facility, for a key of one facility", () => limitedKey, "one", elsewhere],
  ["in the workspace, for a user without permissions", () => nobodys, "none", full],
];

describe.each(hidden)("a record %s returns the same as an unknown id", (_whose, as, key, ids) => {
  it.each(checked)("%s", async (_title, route) => {
    const each = caseOf(route.number);
    // An API key must specify whose access it changes.
    const init = initOf(each, each.sends?.userId && { userId: each.sends.userId.good });
    const sender = each.basicOnly ? basicKeys[key] : as();
    // The caller is now cached: both lookups must run the same number of statements.
    await send(requestFor(route, unknown), sender, init);
    gateway.clearStatements();
    expect(await send(requestFor(route, unknown), sender, init)).toEqual(notFound);
    const statements = gateway.statements.length;
    gateway.clearStatements();
    expect(await send(requestFor(route, ids), sender, init)).toEqual(notFound);
    expect(gateway.statements.length).toBe(statements);
  });
});

describe("a nested record is not found under another parent", () => {
  it.each(nested.filter(([, route]) => pathParameters(route).length > 1))("%s", async (_title, route) => {
    const [first, ...nestedNames] = pathParameters(route) as [string, ...string[]];
    for (const ids of [otherTenant, elsewhere, unknown]) {
      for (const name of nestedNames) expect(await send(requestFor(route, { ...full, [name]: (ids as never)[name] }), admin)).toEqual(notFound);
      expect(await send(requestFor(route, { ...full, [first]: (ids as never)[first] }), admin)).toEqual(notFound);
    }
  });
});

describe("a deleted camera and everything below it is gone", () => {
  const hasCamera = ({ path, number }: Route) => /^\/cameras\//.test(path) || caseOf(number).query?.alertId || path === "/alerts/:alertId";
  it.each(withIds.filter(hasCamera).map(titled))("%s", async (_title, route) => {
    const each = caseOf(route.number);
    expect(await send(requestFor(route, removed), each.basicOnly ? basicKeys.all : admin, initOf(each))).toEqual(notFound);
  });
});

describe("each caller sees its own facility", () => {
  for (const [who, as] of limited) {
    it.each(nested)(`${who}, by %s`, async (_title, route) => {
      const { status, body } = await send(requestFor(route, full), as(caseOf(route.number)));
      expect(status).toBe(200);
      expect(hiddenFromLimited.filter((each) => idsIn(body).has(each))).toEqual([]);
    });
  }
});

/** Every fixture id in a response. */
const idsIn = (body: unknown) => new Set(JSON.stringify(body).match(/a0000000-0000-4000-8000-\d{12}/g));

/** Whether the ids contain one of a camera's; facility lists contain its facility, and workbooks its alerts. */
const isListed = ({ facilityId, cameraId, alertId }: CameraIds, seen: Set<string>) => [facilityId, cameraId, alertId].some((each) => seen.has(each));

const hiddenFromLimited = [...Object.values(elsewhere), ...Object.values(otherTenant), empty.facilityId, empty.cameraId, bareFacilityId].filter(
  (each) => each !== id(1),
);

describe("lists exclude invisible records", () => {
  for (const [who, as] of limited) {
    it.each(lists)(`for ${who}, by %s`, async (_title, route) => {
      const { status, body } = await send(requestFor(route, {}), as(caseOf(route.number)));
      const seen = idsIn(body);
      expect(status).toBe(200);
      expect(isListed(full, seen)).toBe(true);
      expect(hiddenFromLimited.filter((each) => seen.has(each))).toEqual([]);
    });
  }

  it.each(lists)("in another workspace or deleted, for an admin, by %s", async (_title, route) => {
    const { status, body } = await send(requestFor(route, {}), admin);
    const seen = idsIn(body);
    expect(status).toBe(200);
    expect([full, sparse, elsewhere].filter((ids) => !isListed(ids, seen))).toEqual([]);
    expect([...Object.values(otherTenant), removed.cameraId, removed.alertId].filter((each) => seen.has(each))).toEqual([]);
  });

  it.each(lists.filter(([, { permission }]) => !permission))("and are empty for a user without permissions, by %s", async (_title, route) => {
    const expected = route.response.envelope === "page" ? { page: 1, count: 20, total: 0, alerts: [] } : [];
    expect(await send(requestFor(route, {}), nobodys)).toEqual({ status: 200, body: { status: "ok", data: expected } });
  });
});

describe("a filter by an invisible record matches nothing", () => {
  const filters: [string, () => Sender, Record<string, string>][] = [
    ["a camera of another workspace", () => admin, { cameraId: otherTenant.cameraId }],
    ["a facility of another workspace", () => admin, { facilityId: otherTenant.facilityId }],
    ["an area of another workspace", () => admin, { areaId: otherTenant.areaId }],
    ["a deleted camera", () => admin, { cameraId: removed.cameraId }],
    ["a camera of another facility", () => reader, { cameraId: elsewhere.cameraId }],
    ["another facility", () => limitedKey, { facilityId: elsewhere.facilityId }],
    ["an area of another facility", () => reader, { areaId: elsewhere.areaId }],
  ];
  it.each(filters)("%s", async (_what, as, filter) => {
    const { body } = await send(`/alerts${queryOf(caseOf(16), filter)}`, as());
    expect(body).toEqual({ status: "ok", data: { page: 1, count: 20, total: 0, alerts: [] } });
  });
});

it("lets a user without permissions read themselves", async () => {
  expect(await send("/user", nobodys)).toMatchObject({ status: 200, body: { data: { id: id(63), roles: [] } } });
});
