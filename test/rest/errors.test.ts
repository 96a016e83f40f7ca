// Runs once: no database can influence what is tested here.
import { admin, elsewhere, full, reader, sharedFixedFleet, site, unknown } from "../support/fixed-fleet.js";
import { gatewayForTest, type Sender } from "../support/harness.js";
import { caseOf, initOf, type PathValues, requestOf, routeCases, titled } from "../support/route-cases.js";
import { createTestWorkspace, stateOf, type TestWorkspace } from "../support/test-workspace.js";

// That each endpoint refuses each kind of fault as its description says is in openapi.test.ts,
// which values it refuses in input.test.ts, and who may see what in test/isolation.

const gateway = await sharedFixedFleet();
const workspace = await createTestWorkspace(gateway.prisma);

interface Failure {
  code: string;
  message: string;
  reason?: string;
  details?: { path: string; message: string }[];
}

async function send(target: string, as: Sender, init: RequestInit = {}) {
  const response = await gateway.fetch(target, { as, ...init });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Failure };
}

/** Sends a request that must be refused without changing anything. */
async function sendRefused(...request: Parameters<typeof send>) {
  const before = await stateOf(gateway, workspace);
  const answer = await send(...request);
  expect(await stateOf(gateway, workspace)).toEqual(before);
  return answer;
}

const json = { "content-type": "application/json" };
const codes: Record<number, string> = {
  400: "BAD_REQUEST",
  413: "PAYLOAD_TOO_LARGE",
  415: "UNSUPPORTED_MEDIA_TYPE",
};
type Body = [what: string, init: RequestInit, status: number];
const jsonBody = (what: string, body: string, status = 400): Body => [what, { headers: json, body }, status];
const typedBody = (what: string, type: string, body: BodyInit, status = 415): Body => [
  what,
  { headers: { "content-type": type }, body },
  status,
];

const urlEncoded = "application/x-www-form-urlencoded";
const boundary = "multipart/form-data; boundary=edge";
const withoutType = new TextEncoder().encode('{"name": "Gate"}');
const bodies: [number: number, ...Body][] = [
  ...[
    jsonBody("not JSON", "name=Gate"),
    jsonBody("a list", '[{"name": "Gate"}]'),
    jsonBody("a string", '"Gate"'),
    jsonBody("null", "null"),
    jsonBody("too large, in many members", `{"name": "Gate"${" ".repeat(2 ** 20)}}`, 413),
    typedBody("a form", urlEncoded, "name=Gate"),
    typedBody("without a content type", "", withoutType),
  ].map((body): [number, ...Body] => [25, ...body]),
  ...[
    ["absent", {}, 415] as Body,
    jsonBody("JSON", "{}", 415),
    typedBody("a URL-encoded form", urlEncoded, "cameraName=Gate"),
    typedBody("without a boundary", "multipart/form-data", "--edge--\r\n", 400),
    typedBody("empty", boundary, "", 400),
    typedBody(
      "truncated",
      boundary,
      '--edge\r\nContent-Disposition: form-data; name="cameraName"\r\n\r\nGa',
      400,
    ),
  ].map((body): [number, ...Body] => [15, ...body]),
];

it.each(bodies)(
  "endpoint %i refuses a body that is %s, and changes nothing",
  async (number, _what, init, status) => {
    const each = caseOf(number);
    const method = each.method.toUpperCase();
    const answer = await sendRefused(requestOf(each, workspace.ids), workspace.admin.user, {
      method,
      ...init,
    });
    expect(answer).toMatchObject({ status, body: { code: codes[status] } });
  },
);

it("a body may have 1 MiB, or be left out where no member is required", async () => {
  const { ids, admin } = await createTestWorkspace(gateway.prisma);
  const body = '{"name": "Gate"}'.padEnd(2 ** 20);
  const init = { as: admin.user, method: "PATCH", headers: json, body };
  expect((await gateway.fetch(requestOf(caseOf(25), ids), init)).status).toBe(200);
  const empty = { as: admin.user, method: "PATCH" };
  expect((await gateway.fetch(requestOf(caseOf(3), ids), empty)).status).toBe(200);
});

it("the message names the first fault, and how many more there are", async () => {
  const { body } = await send("/cameras/x/alerts?start=x&page=0&bookmark=maybe&cameraId=y", admin);
  expect(body.details?.map(({ path }) => path)).toContain("query.cameraId.0");
  expect(body.message).toMatch(/^path\.cameraId: must be a UUID \(and 5 more\)$/);
});

it.each(routeCases.filter(({ query }) => query?.start).map(titled))(
  "a start after the end is refused by its name, also where one is in milliseconds, by %s",
  async (_title, each) => {
    for (const [start, end] of [
      ["1795000001", "1795000000"],
      ["99999999999", "100000000000"],
    ]) {
      const { status, body } = await send(requestOf(each, { ...full }, { start, end }), admin);
      expect([status, body.details]).toEqual([
        400,
        [{ path: "query.start", message: "must not be after end" }],
      ]);
    }
  },
);

it.each<[string, number, object, string, (workspace: TestWorkspace) => Sender]>([
  ["an unknown country", 32, { region: "XX" }, "body.region", ({ admin }) => admin.user],
  [
    "a number of another country",
    32,
    { phoneNumber: "+49 151 23456789" },
    "body.phoneNumber",
    ({ admin }) => admin.user,
  ],
  ["an empty list of actions", 33, { actions: [] }, "body.actions", ({ admin }) => admin.user],
  ["an API key that names no user", 33, {}, "body.userId", ({ admin }) => admin.key],
  ["an API key that names no user", 34, { userId: null }, "body.userId", ({ local }) => local.key],
])(
  "%s is refused by the name in the body, by endpoint %i, and nothing changes",
  async (_what, number, body, path, as) => {
    const each = caseOf(number);
    const answer = await sendRefused(requestOf(each, workspace.ids), as(workspace), initOf(each, body));
    expect([answer.status, answer.body.details?.map((detail) => detail.path)]).toEqual([400, [path]]);
  },
);

describe("credentials", () => {
  it("that are missing or invalid are refused, and the answer says which", async () => {
    const missing = await send("/cameras", "nobody");
    expect(missing).toMatchObject({ status: 401, body: { code: "UNAUTHENTICATED", reason: "MISSING" } });
    for (const authorization of ["Bearer x", "Basic eDp5", "Digest x"]) {
      const { status, body, headers } = await send("/cameras", { authorization });
      expect({ status, body }).toMatchObject({ status: 401, body: { reason: "INVALID" } });
      expect(headers.get("www-authenticate")).toBe(missing.headers.get("www-authenticate"));
    }
  });

  it.each(routeCases.filter(({ open }) => open).map(titled))("are ignored by %s", async (_title, each) => {
    for (const as of [admin, workspace.admin.key, { authorization: "Basic x" }])
      expect((await send(requestOf(each, { ...workspace.ids }), as, initOf(each))).status).toBe(200);
  });
});

it.each([
  "/nothing",
  "/cameras/x/y",
  `/cameras/${full.cameraId}/alerts/first`,
  "/CAMERAS",
  "/user/x",
  "/files",
  "//cameras",
])("the path %s is unknown, with or without credentials", async (path) => {
  for (const as of ["nobody", admin] as const)
    expect(await send(`${gateway.url}${path}`, as)).toMatchObject({
      status: 404,
      body: { code: "NOT_FOUND" },
    });
});

it.each([...new Set(routeCases.map(({ path }) => path))])(
  "methods that %s lacks are refused, with those it has",
  async (path) => {
    const cases = routeCases.filter((each) => each.path === path);
    const allowed = cases.flatMap(({ method }) =>
      method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()],
    );
    const target = requestOf({ ...(cases[0] as (typeof cases)[0]), query: {} }, { ...full });
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].filter(
      (each) => !allowed.includes(each),
    )) {
      const { status, body, headers } = await send(target, "nobody", { method });
      expect([method, status, body.code, headers.get("allow")]).toEqual([
        ...[method, 405, "METHOD_NOT_ALLOWED"],
        allowed.sort().join(", "),
      ]);
    }
  },
);

it("a job of another camera is not found, though both are visible", async () => {
  const target = requestOf(caseOf(10), { ...full, jobId: elsewhere.jobId });
  expect(await send(target, admin)).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
});

describe("of several faults, the first in the contract's order is reported:", () => {
  const large = { headers: json, body: JSON.stringify({ name: "x".repeat(2 ** 20) }) };
  const form = { headers: { "content-type": urlEncoded }, body: "name=Gate" };
  const invalidBody = { headers: json, body: '{"name": 5}' };
  const validBody = { headers: json, body: '{"name": "Gate"}' };
  const missing = { ...unknown };
  const list = caseOf(17);
  const guarded = caseOf(24);

  it.each<[string, number, string, Sender, string?]>([
    ["an unknown path before a wrong method", 404, "/nothing", "nobody", "PUT"],
    ["an unknown path before missing credentials", 404, "/cameras/x/nothing", "nobody"],
    ["a wrong method before missing credentials and invalid input", 405, "/cameras/x", "nobody", "PUT"],
    ["missing credentials before invalid input", 401, "/cameras/x", "nobody"],
    ["a path that cannot be decoded counts as unknown", 404, "/cameras/%E0%A4%A", "nobody"],
    ["missing credentials before an unknown id", 401, `/cameras/${unknown.cameraId}`, "nobody"],
    ["invalid input before an unknown id", 400, requestOf(list, missing, { start: "x" }), admin],
    ["start after end before an unknown id", 400, requestOf(list, missing, { start: "3", end: "2" }), admin],
    ["invalid text before an unknown id", 400, requestOf(list, missing, { type: "\0" }), admin],
    ["invalid input before a missing permission", 400, requestOf(guarded, { facilityId: "x" }), site],
    ["a start after the end before a permission held nowhere", 400, "/alerts/export?start=3&end=2", reader],
    ["missing credentials before input, where a ticket would do", 401, "/alerts/export?start=x", "nobody"],
    ["an invisible id before a missing permission", 404, requestOf(guarded, { ...elsewhere }), site],
    ["an unknown id before a missing permission", 404, requestOf(guarded, missing), site],
    [
      "an invisible facility's cameras before a missing permission",
      404,
      requestOf(caseOf(13), { ...elsewhere }),
      site,
    ],
  ])("%s (%i)", async (_order, status, target, as, method = "GET") => {
    expect((await send(target, as, { method })).status).toBe(status);
  });

  const anyone = () => "nobody" as const;
  const administrator = () => workspace.admin.user;
  const onlooker = () => workspace.onlooker.user;
  it.each<[string, number, PathValues, RequestInit, () => Sender]>([
    ["missing credentials before a wrong content type", 401, {}, form, anyone],
    ["missing credentials before a large body", 401, {}, large, anyone],
    ["missing credentials before an invalid body", 401, { cameraId: "x" }, invalidBody, anyone],
    ["a wrong content type before an invalid id", 415, { cameraId: "x" }, form, administrator],
    ["a wrong content type before an unknown id", 415, missing, form, administrator],
    ["a large body before an invalid id", 413, { cameraId: "x" }, large, administrator],
    ["a large body before a missing permission", 413, {}, large, onlooker],
    ["an invalid body before an unknown id", 400, missing, invalidBody, administrator],
    ["an invalid body before a missing permission", 400, {}, invalidBody, onlooker],
    ["an unknown id to write to before a missing permission", 404, missing, validBody, onlooker],
  ])("%s (%i), and nothing changes", async (_order, status, ids, init, as) => {
    const target = requestOf(caseOf(3), { ...workspace.ids, ...ids });
    expect((await sendRefused(target, as(), { method: "PATCH", ...init })).status).toBe(status);
  });

  it.each(routeCases.filter(({ open }) => open).map(titled))(
    "without credentials, by %s",
    async (_title, each) => {
      const orders: [number, string, RequestInit][] = [
        [415, "x", form],
        [415, unknown.requestId, form],
        [413, "x", large],
        [400, unknown.requestId, invalidBody],
      ];
      for (const [status, requestId, init] of orders)
        expect(
          (await send(requestOf(each, { requestId }), "nobody", { method: "POST", ...init })).status,
        ).toBe(status);
    },
  );

  it.each<[string, number, PathValues, object]>([
    ["an invalid member before a missing user", 30, {}, { firstName: "" }],
    ["an invalid number before a missing user", 32, {}, { phoneNumber: "123" }],
    ["an invalid region before a missing user", 32, {}, { region: "XX" }],
    ["a missing userId before an unknown id", 33, missing, {}],
  ])("for an API key, %s, by endpoint %i", async (_order, number, ids, body) => {
    const each = caseOf(number);
    const target = requestOf(each, { ...workspace.ids, ...ids });
    expect((await send(target, workspace.admin.key, initOf(each, body))).status).toBe(400);
  });

  it("an unknown user after users:write, but before what the caller may not hand out", async () => {
    const grant = (as: Sender) =>
      sendRefused(requestOf(caseOf(33), workspace.ids), as, initOf(caseOf(33), { userId: unknown.cameraId }));
    expect((await grant(workspace.local.user)).status).toBe(404);
    expect((await grant(workspace.onlooker.user)).status).toBe(403);
  });

  const limitedGateway = () => {
    const environment = {
      RATE_LIMIT: "on",
      RATE_LIMIT_CALLER: "1",
      RATE_LIMIT_ADDRESS: "2",
      TRUST_PROXY: "1",
    };
    return gatewayForTest({ environment });
  };

  it("a caller's rate limit before invalid input, but after path and method", async () => {
    const limited = await limitedGateway();
    const { admin: caller } = await createTestWorkspace(limited.prisma);
    const requests: [number, string, string][] = [
      [200, "GET", "/facilities"],
      [429, "GET", "/cameras/x"],
      [404, "GET", "/nothing"],
      [405, "PUT", "/cameras"],
    ];
    for (const [status, method, path] of requests)
      expect([path, (await limited.fetch(path, { as: caller.user, method })).status]).toEqual([path, status]);
  });

  it("an address's rate limit, whatever the credentials, body and id, but after the method", async () => {
    const limited = await limitedGateway();
    const { admin: caller, ids } = await createTestWorkspace(limited.prisma);
    for (const each of routeCases.filter(({ open }) => open)) {
      const address = { "x-forwarded-for": `192.0.2.${each.number}` };
      const statusOf = async (requestId: string, as: Sender, { headers, ...init }: RequestInit) => {
        const sent = { as, ...init, headers: { ...(headers as object), ...address } };
        return (await limited.fetch(requestOf(each, { requestId }), sent)).status;
      };
      const wrong = { method: "POST", headers: { "content-type": "text/plain" }, body: "x" };
      for (const as of ["nobody", caller.user] as const)
        expect(await statusOf(ids.requestId, as, initOf(each))).toBe(200);
      for (const requestId of [ids.requestId, unknown.requestId, "x"])
        for (const init of [initOf(each), wrong])
          expect(await statusOf(requestId, caller.user, init)).toBe(429);
      expect(await statusOf(ids.requestId, "nobody", { method: "PUT" })).toBe(405);
    }
  });
});
