// Runs once: REST runs the statements of GraphQL, which are tested on every kind of
// database.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { routeGroups } from "../../src/rest/routes.js";
import { rowsOf } from "../export/workbook.js";
import {
  admin,
  bareFacilityId,
  createFixedFleet,
  empty,
  full,
  nobodys,
  plain,
  sparse,
} from "../support/fixed-fleet.js";
import { type Gateway, startGateway } from "../support/harness.js";
import {
  contentTypeOf,
  pathParameters,
  type RouteCase,
  requestOf,
  routeCases,
  titled,
} from "../support/route-cases.js";
import { ShapeCheck } from "./shape.js";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ seed: "none" });
  await createFixedFleet(gateway.prisma);
});
afterAll(() => gateway.close());

it("serves exactly the specified endpoints, each once", () => {
  const served = routeGroups
    .flatMap(({ routes }) => routes)
    .map(({ number, method, path }) => ({ number, method, path }));
  const expected = routeCases.map(({ number, method, path }) => ({ number, method, path }));
  const byNumber = (a: { number: number }, b: { number: number }) => a.number - b.number;
  expect(served.sort(byNumber)).toEqual(expected.sort(byNumber));
});

it("has exactly the specified parameters, bodies, and permissions", () => {
  const routes = routeGroups.flatMap((group) => group.routes);
  for (const each of routeCases) {
    const route = routes.find(({ number }) => number === each.number);
    const members = (part: "path" | "query" | "body") => Object.keys(route?.input[part]?.shape ?? {}).sort();
    expect({ path: members("path"), query: members("query"), body: members("body") }, each.path).toEqual({
      path: pathParameters(each).sort(),
      query: Object.keys(each.query ?? {}).sort(),
      body: Object.keys(each.sends ?? {}).sort(),
    });
    const { permission, basicOnly = false, open = false } = each;
    const rules = {
      permission: route?.permission,
      basicOnly: route?.accepts === "basic",
      open: route?.accepts === "anonymous",
    };
    expect(rules, each.path).toEqual({ permission, basicOnly, open });
  }
});

/**
 * A case's requests for facilities with all values, with few, and with nothing in them.
 */
function requestsOf(each: RouteCase): string[] {
  const requests = [full, sparse, empty, { ...empty, facilityId: bareFacilityId }].map((ids) =>
    requestOf(each, { ...ids }),
  );
  return [...new Set(requests)];
}

const isFile = ({ body }: RouteCase) => body === "xlsx";
const fileOf = async (response: Response) => Buffer.from(await response.arrayBuffer());
const readContent = (each: RouteCase, response: Response) =>
  isFile(each) ? fileOf(response) : response.json();

describe("returns exactly the specified members, set or null", () => {
  it.each(routeCases.filter(({ method }) => method === "get").map(titled))("%s", async (_title, each) => {
    const check = new ShapeCheck(each.body);
    for (const as of [admin, plain, nobodys]) {
      for (const request of requestsOf(each)) {
        const response = await gateway.fetch(request, { as });
        if (response.status === (isFile(each) && as === nobodys ? 403 : 404)) continue;
        expect(response.status, request).toBe(200);
        expect(response.headers.get("content-type"), request).toBe(contentTypeOf(each));
        check.add(await readContent(each, response));
      }
    }
    expect(check.mismatches).toEqual([]);
    expect(check.missing, "never seen: give test/support/fixed-fleet.ts an item with it").toEqual([]);
  });
});

describe("ignores unknown query parameters", () => {
  it.each(routeCases.filter(({ method }) => method === "get").map(titled))("%s", async (_title, each) => {
    const expected = await gateway.fetch(requestOf(each, { ...full }), { as: admin });
    const response = await gateway.fetch(requestOf(each, { ...full }, { unknown: ["1", "2"] }), {
      as: admin,
    });
    expect(response.status).toBe(200);
    // A workbook contains its creation time.
    const contentShownBy = async (response: Response) =>
      isFile(each) ? rowsOf(await fileOf(response)) : response.text();
    expect(await contentShownBy(response)).toEqual(await contentShownBy(expected));
  });
});
