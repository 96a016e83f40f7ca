// Runs once: no database can influence what is tested here.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { permissions } from "../../src/access/permissions.js";
import { createApiKey } from "../support/factories.js";
import {
  admin,
  createFixedFleet,
  elsewhere,
  full,
  holderOf,
  id,
  type LimitedKey,
  lacking,
  otherTenant,
  reader,
  site,
  unknown,
} from "../support/fixed-fleet.js";
import { type Gateway, type Sender, startGateway } from "../support/harness.js";
import {
  caseOf,
  initOf,
  type ParameterKind,
  type PathValues,
  pathParameters,
  queryOf,
  type RouteCase,
  requestOf,
  routeCases,
  titled,
} from "../support/route-cases.js";

let gateway: Gateway;
let limitedKey: LimitedKey;
let adminKey: Sender;
beforeAll(async () => {
  gateway = await startGateway({ seed: "none" });
  limitedKey = await createFixedFleet(gateway.prisma);
  adminKey = await createApiKey(gateway.prisma, {
    workspaceId: full.workspaceId,
    permissions: [...permissions],
  });
});
afterAll(() => gateway.close());

interface Failure {
  status: string;
  code: string;
  message: string;
  details?: { path: string; message: string }[];
}

async function send(target: string, as: Sender, init: RequestInit = {}) {
  const response = await gateway.fetch(target, { as, ...init });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Failure };
}

const reads = routeCases.filter(({ method }) => method === "get");
const valid: PathValues = { ...full };

/** Credentials that every endpoint accepts; none where none are needed. */
function adminOf(each: RouteCase): Sender {
  if (each.open) return "nobody";
  return each.basicOnly ? adminKey : admin;
}

/** Invalid values of each kind of parameter. */
const invalidValues: Record<ParameterKind, string[]> = {
  uuid: [
    "",
    "x",
    "1",
    id(1).slice(1),
    `${id(1)}0`,
    id(1).replaceAll("-", ""),
    `{${id(1)}}`,
    id(1).replace("a", "g"),
    "\0",
  ],
  uuids: ["x", `${id(1)},x`, `${id(1)},${id(1)} `, "\0"],
  text: ["", " ", "\0", "FALL\0"],
  texts: ["\0", "FALL,FI\0RE", Array(1001).fill("A").join(",")],
  timestamp: [
    "",
    "x",
    "-1",
    "1.5",
    "1e9",
    "+5",
    " 5",
    "0x10",
    "NaN",
    "2026-11-20T00:00:00Z",
    "253402300800000",
    "9999999999999999",
    "٣",
    "\0",
  ],
  page: ["", "x", "0", "-1", "1.5", "1e1", "+1", "2147483648", "99999999999999999999", "null"],
  count: ["", "x", "0", "-1", "1.5", "1001", "2147483648"],
  boolean: ["", "1", "0", "yes", "TRUE", "True", "true,false", "null"],
  booleans: ["1", "yes", "TRUE", "true,maybe", "null", "\0", Array(1001).fill("true").join(",")],
  aggregate: ["", "x", "DAY", "year", "day,week", "days"],
  language: ["", "fr", "EN", "de-DE", "en,de", "null"],
};

const isList = (kind: ParameterKind) => kind === "uuids" || kind === "texts" || kind === "booleans";

const validValues: Record<ParameterKind, string> = {
  uuid: id(1),
  uuids: id(1),
  text: "FALL",
  texts: "FALL",
  timestamp: "1795000000",
  page: "1",
  count: "1",
  boolean: "true",
  booleans: "true",
  aggregate: "day",
  language: "de",
};

/**
 * The parameters that are sent every invalid value: the first of each kind. The others
 * have the same rules.
 */
const firstOfKind = new Map<ParameterKind, string>();
for (const each of routeCases)
  for (const [name, { kind }] of Object.entries(each.query ?? {}))
    if (!firstOfKind.has(kind)) firstOfKind.set(kind, `${each.number} ${name}`);

/**
 * Requests with one invalid argument: a description, the request, and the path in the
 * response.
 */
const invalidRequests = routeCases.flatMap((each) => {
  const inPath = pathParameters(each).flatMap((name) =>
    ["x", id(1).slice(1), `${id(1)}0`, "\0", " "].map((value) => ({
      description: `${name} as ${JSON.stringify(value)}`,
      request: requestOf(each, { ...valid, [name]: value }),
      path: `path.${name}`,
    })),
  );
  const inQuery = Object.entries(each.query ?? {}).flatMap(([name, { kind, required }]) => {
    const path = `query.${name}`;
    const values = invalidValues[kind];
    const sent =
      firstOfKind.get(kind) === `${each.number} ${name}`
        ? values
        : [...values.slice(0, 3), ...values.slice(-1)];
    const invalid = [...new Set(sent)].map((value) => ({
      description: `${name} as ${JSON.stringify(value).slice(0, 40)}`,
      request: requestOf(each, valid, { [name]: value }),
      path,
    }));
    const missing = {
      description: `no ${name}`,
      request: requestOf(each, valid, { [name]: undefined }),
      path,
    };
    const twice = {
      description: `${name} twice`,
      request: requestOf(each, valid, { [name]: [validValues[kind], validValues[kind]] }),
      path,
    };
    const brackets = {
      description: `${name} also with brackets`,
      request: `${requestOf(each, valid, { [name]: validValues[kind] })}&${name}[]=1`,
      path,
    };
    return [...invalid, ...(required ? [missing] : []), ...(isList(kind) ? [] : [twice, brackets])];
  });
  return [...inPath, ...inQuery].map(
    (request) => [each.number, request.description, { ...request, each }] as const,
  );
});

it("has an invalid request for every argument of every endpoint", () => {
  const covered = new Set(invalidRequests.map(([number, , { path }]) => `${number} ${path}`));
  const all = routeCases.flatMap((each) => [
    ...pathParameters(each).map((name) => `${each.number} path.${name}`),
    ...Object.keys(each.query ?? {}).map((name) => `${each.number} query.${name}`),
  ]);
  expect([...covered].sort()).toEqual(all.sort());
});

describe("an invalid argument returns 400 with its path", () => {
  it.each(invalidRequests)("endpoint %i, %s", async (_number, _description, { request, path, each }) => {
    const { status, body } = await send(request, adminOf(each), initOf(each));
    const [detail, ...more] = body.details ?? [];
    expect({ status, more, body }).toEqual({
      status: 400,
      more: [],
      body: {
        status: "error",
        code: "BAD_REQUEST",
        message: `${detail?.path}: ${detail?.message}`,
        details: [{ path: detail?.path, message: expect.stringMatching(/^\S.+/) }],
      },
    });
    // Items of a list are reported by index.
    expect(detail?.path.replace(/\.\d+$/, "")).toBe(path);
  });
});

describe("an invalid combination of arguments returns 400", () => {
  const withPeriod = reads.filter(({ query }) => query?.start).map(titled);

  it.each(withPeriod)("start after end, by %s", async (_title, each) => {
    const { status, body } = await send(
      requestOf(each, valid, { start: "1795000001", end: "1795000000" }),
      admin,
    );
    expect({ status, details: body.details }).toEqual({
      status: 400,
      details: [{ path: "query.start", message: "must not be after end" }],
    });
  });

  it.each(withPeriod)("start after end because one is in milliseconds, by %s", async (_title, each) => {
    const { status, body } = await send(
      requestOf(each, valid, { start: "99999999999", end: "100000000000" }),
      admin,
    );
    expect({ status, paths: body.details?.map(({ path }) => path) }).toEqual({
      status: 400,
      paths: ["query.start"],
    });
  });

  it.each(reads.filter(({ query }) => query?.page).map(titled))(
    "a page out of range for its count, by %s",
    async (_title, each) => {
      const { status, body } = await send(requestOf(each, valid, { page: "1073741824", count: "2" }), admin);
      expect({ status, paths: body.details?.map(({ path }) => path) }).toEqual({
        status: 400,
        paths: ["query.page"],
      });
      expect((await send(requestOf(each, valid, { page: "1073741823", count: "2" }), admin)).status).toBe(
        200,
      );
    },
  );

  it("with every path", async () => {
    const { body } = await send("/cameras/x/alerts?start=x&page=0&bookmark=maybe&cameraId=y", admin);
    expect(body.details?.map(({ path }) => path).sort()).toEqual([
      "path.cameraId",
      "query.bookmark",
      "query.cameraId.0",
      "query.end",
      "query.page",
      "query.start",
    ]);
    expect(body.message).toMatch(/ \(and 5 more\)$/);
  });

  it("with every path, including a repeated one", async () => {
    const { body } = await send("/alerts?start=1&start=2&page=0", admin);
    expect(body.details?.map(({ path }) => path).sort()).toEqual(["query.end", "query.page", "query.start"]);
  });
});

const invalidCredentials = [
  "Bearer x",
  "Bearer ",
  "Basic x",
  "Basic eDp5",
  "Digest x",
  "x",
  `Basic ${Buffer.from(`cmk_${"0".repeat(32)}_${"0".repeat(64)}:`).toString("base64")}`,
];

describe("missing credentials return 401 with a challenge", () => {
  const refusal = {
    status: "error",
    code: "UNAUTHENTICATED",
    message: expect.any(String),
    reason: "MISSING",
  };

  it.each(routeCases.filter(({ open }) => !open).map(titled))("%s", async (_title, each) => {
    const requests = [
      requestOf(each, valid),
      requestOf(each, { ...unknown }),
      ...pathParameters(each).map((name) => requestOf(each, { ...valid, [name]: "x" })),
      ...Object.keys(each.query ?? {}).map((name) => requestOf(each, valid, { [name]: "\0" })),
    ];
    for (const request of requests) {
      const { status, body, headers } = await send(request, "nobody", initOf(each));
      expect({ status, body }, request).toEqual({ status: 401, body: refusal });
      expect(headers.get("www-authenticate"), request).toMatch(
        each.basicOnly ? /^Basic realm=/ : /^Bearer .*Basic /,
      );
    }
  });

  it.each(invalidCredentials)("as do the invalid credentials %j", async (authorization) => {
    const anonymous = await send("/cameras", "nobody");
    const { status, body, headers } = await send("/cameras", { authorization });
    expect({ status, body }).toEqual({ status: 401, body: { ...refusal, reason: "INVALID" } });
    expect(headers.get("www-authenticate")).toBe(anonymous.headers.get("www-authenticate"));
  });
});

describe("public endpoints ignore credentials", () => {
  const open = routeCases.filter((each) => each.open);

  it.each(open.map(titled))("%s", async (_title, each) => {
    const senders: Sender[] = [
      "nobody",
      admin,
      adminKey,
      limitedKey,
      ...invalidCredentials.map((authorization) => ({ authorization })),
    ];
    for (const as of senders) {
      expect(
        (await gateway.fetch(requestOf(each, valid), { as, ...initOf(each) })).status,
        JSON.stringify(as),
      ).toBe(200);
      expect((await send(requestOf(each, { ...unknown }), as, initOf(each))).status, JSON.stringify(as)).toBe(
        404,
      );
    }
  });
});

describe("anything unknown or invisible returns 404", () => {
  const notFound = { status: "error", code: "NOT_FOUND", message: "Not found" };
  const withPath = routeCases.filter((each) => pathParameters(each).length > 0);

  it.each(withPath.map(titled))("%s", async (_title, each) => {
    for (const ids of each.open ? [unknown] : [unknown, otherTenant]) {
      for (const name of pathParameters(each)) {
        const { status, body } = await send(
          requestOf(each, { ...valid, [name]: ids[name as keyof typeof ids] }),
          adminOf(each),
          initOf(each),
        );
        expect({ status, body }, name).toEqual({ status: 404, body: notFound });
      }
    }
  });

  it("a job of another camera", async () => {
    const { status, body } = await send(requestOf(caseOf(10), { ...full, jobId: elsewhere.jobId }), admin);
    expect({ status, body }).toEqual({ status: 404, body: notFound });
  });

  it.each([
    "/nothing",
    "/cameras/x/y",
    `/cameras/${full.cameraId}/alerts/first`,
    "/CAMERAS",
    "/user/x",
    "/files",
    "//cameras",
  ])("the path %s, with or without credentials", async (path) => {
    const expected = {
      status: 404,
      body: { status: "error", code: "NOT_FOUND", message: expect.any(String) },
    };
    expect(await send(`${gateway.url}${path}`, "nobody")).toMatchObject(expected);
    expect(await send(`${gateway.url}${path}`, admin)).toMatchObject(expected);
  });
});

describe("a missing permission returns 403 and is named", () => {
  it.each(reads.filter(({ permission }) => permission).map(titled))("%s", async (_title, each) => {
    const { status, body } = await send(requestOf(each, valid), lacking(each));
    expect({ status, body }).toEqual({
      status: 403,
      body: {
        status: "error",
        code: "FORBIDDEN",
        message: expect.stringContaining(each.permission as string),
      },
    });
    const key = await createApiKey(gateway.prisma, {
      workspaceId: full.workspaceId,
      permissions: ["cameras:write"],
    });
    expect((await send(requestOf(each, valid), key)).status).toBe(403);
    for (const as of [holderOf(each), limitedKey])
      expect((await gateway.fetch(requestOf(each, valid), { as })).status).toBe(200);
  });

  it.each(reads.filter(({ usersOnly }) => usersOnly).map(titled))(
    "%s, for an API key, which is not a user",
    async (_title, each) => {
      const { status, body } = await send(requestOf(each, valid), limitedKey);
      expect({ status, body }).toEqual({
        status: 403,
        body: { status: "error", code: "FORBIDDEN", message: expect.any(String) },
      });
    },
  );

  it.each(reads.filter((each) => !each.permission && !each.usersOnly).map(titled))(
    "but %s requires none",
    async (_title, each) => {
      expect((await send(requestOf(each, valid), site)).status).toBe(200);
    },
  );
});

describe("an unsupported method returns 405 with the allowed methods", () => {
  const paths = [...new Set(routeCases.map(({ path }) => path))];
  it.each(paths)("%s", async (path) => {
    const allowed = routeCases.filter((each) => each.path === path).map(({ method }) => method.toUpperCase());
    const allow = [...allowed, ...(allowed.includes("GET") ? ["HEAD"] : [])].sort().join(", ");
    const target = requestOf({ ...(routeCases.find((each) => each.path === path) as RouteCase) }, valid);
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].filter(
      (each) => !allowed.includes(each),
    )) {
      for (const as of [admin, "nobody"] as const) {
        const { status, body, headers } = await send(target, as, { method });
        expect({ status, code: body.code, allow: headers.get("allow") }, method).toEqual({
          status: 405,
          code: "METHOD_NOT_ALLOWED",
          allow,
        });
      }
    }
  });
});

describe("with several errors, the first in the contract's order is returned:", () => {
  const camera = caseOf(2);
  const list = caseOf(17);
  const guarded = caseOf(24);
  const missing = { ...unknown };
  const combinations: [string, number, string, Sender, string?][] = [
    ["an unknown path before a wrong method", 404, "/nothing", "nobody", "PUT"],
    ["an unknown path before missing credentials", 404, "/cameras/x/nothing", "nobody"],
    [
      "a wrong method before missing credentials and invalid input",
      405,
      requestOf(camera, { cameraId: "x" }),
      "nobody",
      "PUT",
    ],
    ["missing credentials before invalid input", 401, requestOf(camera, { cameraId: "x" }), "nobody"],
    ["a path that cannot be decoded counts as unknown", 404, "/cameras/%E0%A4%A", "nobody"],
    ["missing credentials before an unknown id", 401, requestOf(camera, missing), "nobody"],
    ["invalid input before an unknown id", 400, requestOf(list, missing, { start: "x" }), admin],
    ["start after end before an unknown id", 400, requestOf(list, missing, { start: "3", end: "2" }), admin],
    ["invalid text before an unknown id", 400, requestOf(list, missing, { type: "\0" }), admin],
    ["invalid input before a missing permission", 400, requestOf(guarded, { facilityId: "x" }), site],
    [
      "start after end before a permission held nowhere",
      400,
      requestOf(caseOf(22), {}, { start: "3", end: "2" }),
      reader,
    ],
    [
      "missing credentials before invalid input, where a ticket is accepted instead",
      401,
      requestOf(caseOf(22), {}, { start: "x" }),
      "nobody",
    ],
    ["an invisible id before a missing permission", 404, requestOf(guarded, { ...elsewhere }), site],
    ["an unknown id before a missing permission", 404, requestOf(guarded, missing), site],
    [
      "an invisible facility's cameras before a missing permission",
      404,
      requestOf(caseOf(13), { ...elsewhere }),
      site,
    ],
  ];
  it.each(combinations)("%s", async (_order, expected, target, as, method = "GET") => {
    expect((await send(target, as, { method })).status).toBe(expected);
  });

  // Each test uses its own addresses. Only the first test needs the requests of a caller
  // counted.
  let limited: Gateway;
  beforeAll(async () => {
    const environment = {
      RATE_LIMIT: "on",
      RATE_LIMIT_CALLER: "1",
      RATE_LIMIT_ADDRESS: "2",
      TRUST_PROXY: "1",
    };
    limited = await startGateway({ seed: "none", environment });
    await createFixedFleet(limited.prisma);
  });
  afterAll(() => limited.close());

  it("a caller's rate limit before invalid input, and an unknown path before that", async () => {
    expect((await limited.fetch("/facilities", { as: admin })).status).toBe(200);
    const response = await limited.fetch(requestOf(camera, { cameraId: "x" }), { as: admin });
    expect(response.status).toBe(429);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await response.json()).toMatchObject({ status: "error", code: "RATE_LIMITED" });
    expect((await limited.fetch("/nothing", { as: admin })).status).toBe(404);
    expect((await limited.fetch("/cameras", { method: "PUT", as: admin })).status).toBe(405);
  });

  it("an address's rate limit before missing credentials", async () => {
    const headers = { "x-forwarded-for": "198.51.100.1" };
    for (let sent = 0; sent < 2; sent += 1)
      expect((await limited.fetch("/facilities", { headers })).status).toBe(401);
    expect((await limited.fetch(`/cameras/x${queryOf(camera)}`, { headers })).status).toBe(429);
  });

  it("an address's rate limit, with or without credentials, before a wrong content type, invalid input, and an unknown id, by public endpoints", async () => {
    for (const each of routeCases.filter(({ open }) => open)) {
      const statusOf = async (request: string, init: RequestInit, as: Sender = "nobody") => {
        const headers = {
          ...(init.headers as Record<string, string>),
          "x-forwarded-for": `192.0.2.${each.number}`,
        };
        return (await limited.fetch(request, { as, ...init, headers })).status;
      };
      for (const as of ["nobody", admin] as const)
        expect(await statusOf(requestOf(each, valid), initOf(each), as)).toBe(200);
      const init = { method: "POST", headers: { "content-type": "text/plain" }, body: "x" };
      for (const requestId of [full.requestId, unknown.requestId, "x"]) {
        for (const as of ["nobody", admin] as const) {
          expect(await statusOf(requestOf(each, { requestId }), init, as)).toBe(429);
          expect(await statusOf(requestOf(each, { requestId }), initOf(each), as)).toBe(429);
        }
      }
      expect(await statusOf(requestOf(each, valid), { method: "PUT" })).toBe(405);
    }
  });
});
