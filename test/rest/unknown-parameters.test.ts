// Runs once: no database can influence what is tested here.

import { type Gateway, sharedGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { caseOf, initOf, type RouteCase, requestOf, routeCases, titled } from "../support/route-cases.js";
import { createTestWorkspace, senderFor, stateOf, type TestWorkspace } from "../support/test-workspace.js";

const workspaces = new Map<Gateway, TestWorkspace>();
const lenient = await sharedGateway();
const strict = await sharedGateway({ environment: { STRICT_REST: "on" } });
for (const gateway of [lenient, strict]) workspaces.set(gateway, await createTestWorkspace(gateway.prisma));

interface Additions {
  query?: string;
  body?: object;
}

async function send(gateway: Gateway, each: RouteCase, { query = "", body = {} }: Additions) {
  const workspace = workspaces.get(gateway) as TestWorkspace;
  const target = requestOf(each, { ...workspace.ids, jobId: workspace.ids.alertId });
  const response = await gateway.fetch(`${target}${target.includes("?") ? "&" : "?"}${query}`, {
    as: senderFor(each, workspace.admin),
    ...initOf(each, body),
  });
  const { status, headers } = response;
  return { status, ignored: headers.get("x-ignored-parameters"), text: await response.text() };
}

const renameFacility = caseOf(25);
const addCamera = caseOf(14);
const updateCamera = caseOf(3);

const hasBody = (each: RouteCase) => each.sends !== undefined;

async function expectRefused(each: RouteCase, additions: Additions, expected: string[]) {
  const { status, ignored, text } = await send(strict, each, additions);
  const details = expected.map((path) => ({ path, message: "is not a parameter of this endpoint" }));
  const refusal = { status: 400, ignored: null, body: { code: "BAD_REQUEST", details } };
  expect({ status, ignored, body: JSON.parse(text) }, `endpoint ${each.number}`).toMatchObject(refusal);
}

it("are refused where STRICT_REST is on, by every endpoint, and change nothing", async () => {
  const workspace = workspaces.get(strict) as TestWorkspace;
  const before = await stateOf(strict, workspace);
  for (const each of routeCases.filter(({ open }) => !open)) {
    await expectRefused(each, { query: "unknown=1&unknown=2" }, ["query.unknown"]);
    if (hasBody(each)) await expectRefused(each, { body: { other: "1" } }, ["body.other"]);
    if (hasBody(each) && !each.form)
      await expectRefused(each, { query: "unknown=1", body: { other: 1 } }, ["query.unknown", "body.other"]);
  }
  expect(await stateOf(strict, workspace)).toEqual(before);
});

it.each(routeCases.filter(({ open }) => open).map(titled))(
  "but not in callbacks: %s",
  async (_title, each) => {
    expect(await send(strict, each, { query: "unknown=1", body: { other: 1 } })).toMatchObject({
      status: 200,
      ignored: "unknown, other",
    });
  },
);

it.each<[string, RouteCase, Additions, string | null]>([
  ["a query parameter, once", renameFacility, { query: "unknown=1&unknown=2" }, "unknown"],
  ["a query parameter of a list", caseOf(16), { query: "cameras[]=1&type[]=FALL" }, "cameras%5B%5D"],
  ["a field of the body", renameFacility, { body: { nmae: "x" } }, "nmae"],
  [
    "a field of an object in the body",
    updateCamera,
    { body: { imageDimensions: { width: 1, height: 1, depth: 1 } } },
    "imageDimensions.depth",
  ],
  [
    "a field of an object that may be a string",
    addCamera,
    { body: { streamType: { type: "direct", protocl: "rtsp" } } },
    "streamType.protocl",
  ],
  ["a part of a form", caseOf(15), { body: { note: "x" } }, "note"],
  [
    "names in any script, percent-encoded",
    renameFacility,
    { query: "%C3%A9=1", body: { "a,b\r\nc": 1 } },
    "%C3%A9, a%2Cb%0D%0Ac",
  ],
  ["half of a character", renameFacility, { body: { "\ud800": 1 } }, "%EF%BF%BD"],
  [
    "names that every object has",
    renameFacility,
    { query: "constructor=1", body: { toString: 1 } },
    "constructor, toString",
  ],
  ["nothing where all are known", updateCamera, { body: { name: "Gate" } }, null],
])("are ignored, and the answer names %s", async (_what, each, additions, expected) => {
  expect(await send(lenient, each, additions)).toMatchObject({ status: 200, ignored: expected });
});

it("are named in answers to invalid requests too", async () => {
  expect(await send(lenient, renameFacility, { body: { name: "", nmae: "Gate" } })).toMatchObject({
    status: 400,
    ignored: "nmae",
  });
});

it("are named in at most 1 KiB", async () => {
  const names = listOf(10_000, (index) => `unknown${index}`);
  const { status, ignored } = await send(lenient, renameFacility, {
    body: Object.fromEntries(["x".repeat(2000), ...names].map((name) => [name, 1])),
  });
  expect(status).toBe(200);
  expect(ignored?.length).toBeGreaterThan(1000);
  expect(ignored?.length).toBeLessThanOrEqual(1024);
  expect(ignored?.split(", ")).toEqual(names.slice(0, ignored?.split(", ").length));
});
