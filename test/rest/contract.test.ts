import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { routeGroups } from "../../src/rest/routes.js";
import { rowsOf } from "../export/workbook.js";
import { type Gateway, startGateway } from "../support/harness.js";
import { contentTypeOf, pathParameters, type RouteCase, requestOf, routeCases, titled } from "../support/route-cases.js";
import { admin, bareFacilityId, createFleet, empty, full, nobodys, plain, sparse } from "./fleet.js";
import { ShapeCheck } from "./shape.js";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ seed: "none" });
  await createFleet(gateway.prisma);
});
afterAll(() => gateway.close());

it("serves exactly the endpoints that are written down here, each once", () => {
  const served = routeGroups.flatMap(({ routes }) => routes).map(({ number, method, path }) => ({ number, method, path }));
  const expected = routeCases.map(({ number, method, path }) => ({ number, method, path }));
  const byNumber = (one: { number: number }, other: { number: number }) => one.number - other.number;
  expect(served.sort(byNumber)).toEqual(expected.sort(byNumber));
});

it("takes exactly the parameters and bodies and names the permissions that are written down here", () => {
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
    const rules = { permission: route?.permission, basicOnly: route?.accepts === "basic", open: route?.accepts === "nothing" };
    expect(rules, each.path).toEqual({ permission, basicOnly, open });
  }
});

/** Every place that a case can be asked about: with all values, with few, with nothing below. */
function requestsOf(each: RouteCase): string[] {
  const places = [full, sparse, empty, { ...empty, facilityId: bareFacilityId }].map((ids) => requestOf(each, { ...ids }));
  return [...new Set(places)];
}

const isFile = ({ body }: RouteCase) => body === "xlsx";
const fileOf = async (response: Response) => Buffer.from(await response.arrayBuffer());
const contentOf = (each: RouteCase, response: Response) => (isFile(each) ? fileOf(response) : response.json());

describe("answers exactly the specified members, with values and without", () => {
  it.each(routeCases.filter(({ method }) => method === "get").map(titled))("%s", async (_title, each) => {
    const check = new ShapeCheck(each.body);
    for (const as of [admin, plain, nobodys]) {
      for (const request of requestsOf(each)) {
        const response = await gateway.fetch(request, { as });
        if (response.status === (isFile(each) && as === nobodys ? 403 : 404)) continue;
        expect(response.status, request).toBe(200);
        expect(response.headers.get("content-type"), request).toBe(contentTypeOf(each));
        check.add(await contentOf(each, response));
      }
    }
    expect({ faults: check.faults, unseen: check.unseen }).toEqual({ faults: [], unseen: [] });
  });
});

describe("answers the same whatever else the query holds", () => {
  it.each(routeCases.filter(({ method }) => method === "get").map(titled))("%s", async (_title, each) => {
    const plainAnswer = await gateway.fetch(requestOf(each, { ...full }), { as: admin });
    const answer = await gateway.fetch(requestOf(each, { ...full }, { unknown: ["1", "2"] }), { as: admin });
    expect(answer.status).toBe(200);
    // A workbook carries the moment of its making.
    const shownBy = async (response: Response) => (isFile(each) ? rowsOf(await fileOf(response)) : response.text());
    expect(await shownBy(answer)).toEqual(await shownBy(plainAnswer));
  });
});
