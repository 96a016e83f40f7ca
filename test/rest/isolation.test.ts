// Runs once: both kinds of databases run the same statements.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { permissions } from "../../src/access/permissions.js";
import { routeGroups } from "../../src/rest/routes.js";
import type { Route } from "../../src/route/route.js";
import { rowsOf } from "../export/workbook.js";
import { createApiKey } from "../support/factories.js";
import { admin, createFixedFleet, elsewhere, full, removed, unknown } from "../support/fixed-fleet.js";
import { type Gateway, type Sender, startGateway } from "../support/harness.js";
import { caseOf, initOf, pathParameters, queryOf, requestOf } from "../support/route-cases.js";

// The tests about other facilities and workspaces are in test/isolation.

let gateway: Gateway;
/** For endpoints that accept only keys. */
let key: Sender;
beforeAll(async () => {
  gateway = await startGateway({ seed: "none" });
  await createFixedFleet(gateway.prisma);
  key = await createApiKey(gateway.prisma, { workspaceId: full.workspaceId, permissions: [...permissions] });
});
afterAll(() => gateway.close());

const titled = (route: Route) =>
  [`${route.number} ${route.method.toUpperCase()} ${route.path}`, route] as const;
const everyRoute = routeGroups.flatMap((group) => group.routes);
const reads = everyRoute.filter(({ method }) => method === "get");

/** The body is JSON or the rows of a workbook. */
async function send(target: string, as: Sender, init: RequestInit = {}) {
  const response = await gateway.fetch(target, { as, ...init });
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  return {
    status: response.status,
    body: isJson ? await response.json() : await rowsOf(Buffer.from(await response.arrayBuffer())),
  };
}

const requestFor = (route: Route, ids: object) =>
  requestOf(caseOf(route.number), ids as Record<string, string>);
const notFound = { status: 404, body: { status: "error", code: "NOT_FOUND", message: "Not found" } };

describe("a nested record is not found under another parent, visible or not", () => {
  it.each(reads.filter((route) => pathParameters(route).length > 1).map(titled))(
    "%s",
    async (_title, route) => {
      const [first, ...nestedNames] = pathParameters(route) as [string, ...string[]];
      for (const ids of [elsewhere, unknown]) {
        for (const name of nestedNames)
          expect(await send(requestFor(route, { ...full, [name]: (ids as never)[name] }), admin)).toEqual(
            notFound,
          );
        expect(await send(requestFor(route, { ...full, [first]: (ids as never)[first] }), admin)).toEqual(
          notFound,
        );
      }
    },
  );
});

describe("a deleted camera and everything below it is gone", () => {
  const hasCamera = ({ path, number }: Route) =>
    /^\/cameras\/.*:/.test(path) || caseOf(number).query?.alertId || path === "/alerts/:alertId";
  it.each(everyRoute.filter(hasCamera).map(titled))("%s", async (_title, route) => {
    const each = caseOf(route.number);
    expect(await send(requestFor(route, removed), each.basicOnly ? key : admin, initOf(each))).toEqual(
      notFound,
    );
  });

  const lists = reads.filter(
    (route) => pathParameters(route).length === 0 && !caseOf(route.number).usersOnly,
  );
  it.each(lists.map(titled))("from %s", async (_title, route) => {
    const { status, body } = await send(requestFor(route, {}), admin);
    expect(status).toBe(200);
    const text = JSON.stringify(body);
    // Lists of facilities contain the facility, and workbooks the alerts.
    expect([full.facilityId, full.cameraId, full.alertId].some((id) => text.includes(id))).toBe(true);
    expect([removed.cameraId, removed.alertId].filter((id) => text.includes(id))).toEqual([]);
  });

  it("from a list of alerts filtered by it", async () => {
    const { body } = await send(`/alerts${queryOf(caseOf(16), { cameraId: removed.cameraId })}`, admin);
    expect(body).toEqual({ status: "ok", data: { page: 1, count: 20, total: 0, alerts: [] } });
  });
});
