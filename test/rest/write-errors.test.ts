import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApiKey, createUser, grantAccess } from "../support/factories.js";
import { type Gateway, type Sender, startGateway } from "../support/harness.js";
import {
  bodyOf,
  caseOf,
  initOf,
  type MemberKind,
  type PathValues,
  pathParameters,
  type RouteCase,
  requestOf,
  routeCases,
  titled,
} from "../support/route-cases.js";
import { type Bad, badValues } from "./bad-values.js";
import { unknown } from "./fleet.js";
import { createWorld, fitting, stateSettings, type Twins, tablesOf, type World } from "./write-world.js";

let gateway: Gateway;
let world: World;
let other: World;
let before: unknown;
const states = () => tablesOf(gateway);

beforeAll(async () => {
  gateway = await startGateway(stateSettings(new Date()));
  world = await createWorld(gateway.prisma, 1);
  other = await createWorld(gateway.prisma, 2);
  before = await states();
});
afterAll(() => gateway.close());

interface Failure {
  status: string;
  code: string;
  message: string;
  details?: { path: string; message: string }[];
}

/** Sends a request that must be refused; nothing may have changed after it. */
async function refused(target: string, init: RequestInit & { as: Sender }) {
  const response = await gateway.fetch(target, init);
  const answer = { status: response.status, body: (await response.json()) as Failure, headers: response.headers };
  const [was, is] = [before, await states()];
  // What one test lets through is not held against the next.
  before = is;
  expect(is).toEqual(was);
  return answer;
}

const writes = routeCases.filter(({ method }) => method !== "get");
const withBody = writes.filter(({ sends, form }) => sends && !form);
const withForm = writes.filter(({ form }) => form);
const json = { "content-type": "application/json" };
const codes: Record<number, string> = { 400: "BAD_REQUEST", 413: "PAYLOAD_TOO_LARGE", 415: "UNSUPPORTED_MEDIA_TYPE" };

/** What a part of a form cannot be: it is bytes, whatever is meant by them. */
const isNoPart = ([what, value]: Bad, kind: MemberKind) => kind === "name" && (typeof value !== "string" || /half a character/.test(what));

const faulty = [...withBody, ...withForm].flatMap((each) =>
  Object.entries(each.sends ?? {}).flatMap(([name, { kind, required, nullable }]) => {
    const nothing: Bad[] = [...(required ? [["missing", undefined] as Bad] : []), ...(nullable || each.form ? [] : [["null", null] as Bad])];
    const wrong = badValues[kind].filter((bad) => !each.form || !isNoPart(bad, kind));
    return [...nothing, ...wrong].map(([what, value, below]) => {
      const place = ["body", name, ...(below === undefined ? [] : [below])].join(".");
      return [each.number, name, what, { each, body: { [name]: value }, place }] as const;
    });
  }),
);

describe("a member of the body that is wrong is answered 400 and named, and nothing changes", () => {
  it.each(faulty)("endpoint %i, %s %s", async (_number, _name, _what, { each, body, place }) => {
    const answer = await refused(requestOf(each, world.ids), { as: fitting(each, world.admin), ...initOf(each, body) });
    const { status, code, message, details = [] } = answer.body;
    expect({ answered: answer.status, status, code }).toEqual({ answered: 400, status: "error", code: "BAD_REQUEST" });
    expect([...new Set(details.map((detail) => detail.path))]).toEqual([place]);
    expect(message).toMatch(new RegExp(`^${place}: \\S`));
  });

  it("and is said to be of the wrong type, not to have been given twice, when it is a list", async () => {
    const answer = await refused(requestOf(caseOf(25), world.ids), { as: world.admin.user, ...initOf(caseOf(25), { name: ["Gate", "Yard"] }) });
    expect(answer.body.details).toEqual([{ path: "body.name", message: "must be a text" }]);
  });
});

describe("everything that is wrong is named at once, of", () => {
  it.each(withBody.map(titled))("%s", async (_title, each) => {
    const names = Object.keys(each.sends ?? {});
    const body = Object.fromEntries(names.map((name) => [name, true]));
    const path = Object.fromEntries(pathParameters(each).map((name) => [name, "x"]));
    const answer = await refused(requestOf(each, path), { as: fitting(each, world.admin), ...initOf(each, body) });
    const places = [...pathParameters(each).map((name) => `path.${name}`), ...names.map((name) => `body.${name}`)];
    expect({ status: answer.status, places: answer.body.details?.map((detail) => detail.path) }).toEqual({ status: 400, places });
  });
});

describe("a body that is no JSON object is refused, and nothing changes, by", () => {
  const bodies: [string, RequestInit, number][] = [
    ["cut off", { headers: json, body: '{"name": "Ga' }, 400],
    ["no JSON", { headers: json, body: "name=Gate" }, 400],
    ["a list", { headers: json, body: '[{"name": "Gate"}]' }, 400],
    ["a text", { headers: json, body: '"Gate"' }, 400],
    ["a number", { headers: json, body: "5" }, 400],
    ["null", { headers: json, body: "null" }, 400],
    ["nested too deep", { headers: json, body: `{"name": ${"[".repeat(64)}${"]".repeat(64)}}` }, 400],
    ["too large", { headers: json, body: JSON.stringify({ name: "x".repeat(2 ** 20) }) }, 413],
    ["too large, in many members", { headers: json, body: `{"name": "Gate"${" ".repeat(2 ** 20)}}` }, 413],
    ["a form", { headers: { "content-type": "application/x-www-form-urlencoded" }, body: "name=Gate" }, 415],
    ["plain text", { headers: { "content-type": "text/plain" }, body: '{"name": "Gate"}' }, 415],
    ["of no type", { headers: { "content-type": "" }, body: new TextEncoder().encode('{"name": "Gate"}') }, 415],
    ["in an unknown character set", { headers: { "content-type": "application/json; charset=x-none" }, body: "{}" }, 415],
    ["in an unknown encoding", { headers: { ...json, "content-encoding": "x-none" }, body: "{}" }, 415],
  ];

  describe.each(withBody.map(titled))("%s", (_title, each) => {
    it.each(bodies)("which is %s", async (_what, init, status) => {
      const answer = await refused(requestOf(each, world.ids), { as: fitting(each, world.admin), method: each.method.toUpperCase(), ...init });
      expect({ status: answer.status, body: answer.body }).toMatchObject({ status, body: { status: "error", code: codes[status] } });
    });
  });

  it.each(withBody.filter((each) => Object.keys(bodyOf(each)).length > 0).map(titled))(
    "%s, as no body lacks what is required",
    async (_title, each) => {
      const required = Object.keys(bodyOf(each)).map((name) => ({ path: `body.${name}`, message: "is required" }));
      for (const init of [{}, { headers: json }, { headers: json, body: "{}" }]) {
        const answer = await refused(requestOf(each, world.ids), { as: fitting(each, world.admin), method: each.method.toUpperCase(), ...init });
        expect({ status: answer.status, details: answer.body.details }).toEqual({ status: 400, details: required });
      }
    },
  );
});

describe("a form that is none is refused, and nothing changes, by", () => {
  const form = { "content-type": "multipart/form-data; boundary=edge" };
  const bodies: [string, RequestInit, number][] = [
    ["absent", {}, 415],
    ["JSON", { headers: json, body: "{}" }, 415],
    ["a form without files", { headers: { "content-type": "application/x-www-form-urlencoded" }, body: "cameraName=Gate" }, 415],
    ["without a boundary", { headers: { "content-type": "multipart/form-data" }, body: "--edge--\r\n" }, 400],
    ["empty", { headers: form, body: "" }, 400],
    ["cut off", { headers: form, body: '--edge\r\nContent-Disposition: form-data; name="cameraName"\r\n\r\nGa' }, 400],
    ["too large", { headers: form, body: new Uint8Array(11 * 2 ** 20 + 1) }, 413],
  ];

  describe.each(withForm.map(titled))("%s", (_title, each) => {
    it.each(bodies)("which is %s", async (_what, init, status) => {
      const answer = await refused(requestOf(each, world.ids), { as: fitting(each, world.admin), method: each.method.toUpperCase(), ...init });
      expect({ status: answer.status, body: answer.body }).toMatchObject({ status, body: { status: "error", code: codes[status] } });
    });

    it("which has no part, as it lacks what is required", async () => {
      const init = { headers: form, body: "--edge--\r\n" };
      const answer = await refused(requestOf(each, world.ids), { as: fitting(each, world.admin), method: each.method.toUpperCase(), ...init });
      const details = Object.keys(bodyOf(each)).map((name) => ({ path: `body.${name}`, message: "is required" }));
      expect({ status: answer.status, details: answer.body.details }).toEqual({ status: 400, details });
    });
  });
});

describe("credentials that are missing or of the wrong kind are answered 401, and nothing changes", () => {
  it.each(writes.filter(({ open }) => !open).map(titled))("nobody's, by %s", async (_title, each) => {
    const answer = await refused(requestOf(each, world.ids), { as: "nobody", ...initOf(each) });
    expect(answer).toMatchObject({ status: 401, body: { code: "UNAUTHENTICATED" } });
    expect(answer.headers.get("www-authenticate")).toMatch(each.basicOnly ? /^Basic realm="[^"]+"/ : /^Bearer .*, Basic /);
  });

  it.each(writes.filter(({ basicOnly }) => basicOnly).map(titled))(
    "a Bearer token where only an API key is accepted, by %s",
    async (_title, each) => {
      const answer = await refused(requestOf(each, world.ids), { as: world.admin.user, ...initOf(each) });
      expect(answer).toMatchObject({ status: 401, body: { code: "UNAUTHENTICATED" } });
      expect(answer.headers.get("www-authenticate")).toMatch(/^Basic realm="[^"]+"/);
      expect(answer.headers.get("www-authenticate")).not.toContain("Bearer");
    },
  );

  it.each(writes.filter(({ basicOnly, open }) => !basicOnly && !open).map(titled))(
    "but a key is as good as a token, but for users' own data, by %s",
    async (_title, each) => {
      const answer = await refused(requestOf(each, { ...unknown }), {
        as: world.admin.key,
        ...initOf(each, each.sends?.userId && { userId: world.memberId }),
      });
      expect(answer.status).toBe(each.usersOnly ? 403 : 404);
    },
  );
});

describe("a permission that is missing is answered 403 and named, and nothing changes", () => {
  const guarded = writes.filter(({ permission }) => permission);
  const onlookers: [string, (each: RouteCase) => Sender][] = [
    ["a user", (each) => fitting(each, world.onlooker)],
    ["a key", () => world.onlooker.key],
  ];
  for (const [who, as] of onlookers) {
    it.each(guarded.map(titled))(`to ${who} who sees the thing, by %s`, async (_title, each) => {
      const body = each.sends?.userId && { userId: world.memberId };
      const answer = await refused(requestOf(each, world.ids), { as: as(each), ...initOf(each, body) });
      expect({ status: answer.status, body: answer.body }).toEqual({
        status: 403,
        body: { status: "error", code: "FORBIDDEN", message: expect.stringContaining(each.permission as string) },
      });
    });
  }

  it.each(writes.filter(({ usersOnly }) => usersOnly).map(titled))("to an API key, which is no user, by %s", async (_title, each) => {
    const answer = await refused(requestOf(each, world.ids), { as: world.admin.key, ...initOf(each) });
    expect(answer).toMatchObject({ status: 403, body: { status: "error", code: "FORBIDDEN" } });
  });
});

describe("what is not there, or not to be seen, is answered 404, and nothing changes", () => {
  const notFound = { status: "error", code: "NOT_FOUND", message: "Not found" };
  const pointing = writes.filter((each) => !each.open && (pathParameters(each).length > 0 || each.query));
  const places: [string, () => PathValues, () => Twins][] = [
    ["that never existed", () => ({ ...unknown }), () => world.admin],
    ["of another workspace", () => ({ ...other.ids }), () => world.admin],
    ["of another facility, to who holds everything at one", () => ({ ...world.beside }), () => world.local],
    ["of another facility, to who holds too little at one", () => ({ ...world.beside }), () => world.onlooker],
  ];
  describe.each(places)("an id %s", (_whose, ids, who) => {
    it.each(pointing.map(titled))("by %s", async (_title, each) => {
      const answer = await refused(requestOf(each, ids()), { as: fitting(each, who()), ...initOf(each) });
      expect({ status: answer.status, body: answer.body }).toEqual({ status: 404, body: notFound });
    });
  });

  it.each(writes.filter(({ open }) => open).map(titled))("a capability that never was, whoever asks, by %s", async (_title, each) => {
    for (const as of ["nobody", world.admin.user, world.admin.key] as const) {
      const answer = await refused(requestOf(each, { ...unknown }), { as, ...initOf(each) });
      expect({ status: answer.status, body: answer.body }).toEqual({ status: 404, body: notFound });
    }
  });

  it.each([33, 34])("a user of another workspace, or none, by %i", async (number) => {
    for (const userId of [other.memberId, other.adminId, unknown.cameraId, world.ids.facilityId]) {
      for (const as of [world.admin.user, world.admin.key, world.local.user]) {
        const answer = await refused(requestOf(caseOf(number), world.ids), { as, ...initOf(caseOf(number), { userId }) });
        expect({ status: answer.status, body: answer.body }).toEqual({ status: 404, body: notFound });
      }
    }
  });

  it("one of several alerts", async () => {
    const each = caseOf(21);
    for (const missing of [unknown.alertId, other.ids.alertId]) {
      const answer = await refused(requestOf(each, world.ids, { alertId: [...world.alertIds, missing] }), { as: world.admin.user, ...initOf(each) });
      expect({ status: answer.status, body: answer.body }).toEqual({ status: 404, body: notFound });
    }
  });
});

describe("an API key that names no user is answered 400, as it is none itself, and nothing changes", () => {
  it.each([33, 34])("by %i", async (number) => {
    for (const userId of [undefined, null]) {
      for (const key of [world.admin.key, world.local.key]) {
        const answer = await refused(requestOf(caseOf(number), world.ids), { as: key, ...initOf(caseOf(number), { userId }) });
        expect(answer).toMatchObject({
          status: 400,
          body: { code: "BAD_REQUEST", details: [{ path: "body.userId", message: expect.stringMatching(/^is required/) }] },
        });
      }
    }
  });
});

describe("nobody gives what they do not hold there, and nothing changes", () => {
  const steward: Sender = { user: "steward" };
  let stewardKey: Sender;
  beforeAll(async () => {
    const { workspaceId, facilityId } = world.ids;
    const userId = await createUser(gateway.prisma, { workspaceId, authId: "steward", roles: ["facilities:read"] });
    await grantAccess(gateway.prisma, { userId, facilityId, workspaceId, actions: ["users:write", "alerts:read"] });
    stewardKey = await createApiKey(gateway.prisma, { workspaceId, permissions: ["users:write", "alerts:read"], facilityIds: [facilityId] });
    before = await states();
  });
  const give = (as: Sender, body: object) => refused(requestOf(caseOf(33), world.ids), { as, ...initOf(caseOf(33), body) });

  it.each([
    ["to themselves", () => steward, {}],
    ["to another", () => steward, () => ({ userId: world.memberId })],
    ["to another, by a key", () => stewardKey, () => ({ userId: world.memberId })],
  ] as [string, () => Sender, object][])("%s", async (_whom, as, body) => {
    const given = typeof body === "function" ? body() : body;
    for (const actions of [["cameras:write"], ["alerts:read", "alerts:delete"], ["api-keys:write", "users:write"]]) {
      const answer = await give(as(), { actions, ...given });
      const missing = actions.find((action) => !["users:write", "alerts:read"].includes(action)) as string;
      expect(answer).toMatchObject({ status: 403, body: { code: "FORBIDDEN", message: expect.stringContaining(missing) } });
    }
  });

  it("nor where they hold it elsewhere", async () => {
    const target = requestOf(caseOf(33), { ...world.beside });
    const answer = await refused(target, { as: steward, ...initOf(caseOf(33), { actions: ["alerts:read"] }) });
    expect(answer).toMatchObject({ status: 403, body: { message: expect.stringContaining("users:write") } });
  });
});

describe("of several faults the first in the contract's order is answered, and nothing changes:", () => {
  const large = { headers: json, body: JSON.stringify({ name: "x".repeat(2 ** 20) }) };
  const form = { headers: { "content-type": "application/x-www-form-urlencoded" }, body: "name=Gate" };
  const bad = { headers: json, body: '{"name": 5}' };
  const good = { headers: json, body: '{"name": "Gate"}' };
  const camera = caseOf(3);
  const orders: [string, number, PathValues | undefined, RequestInit, () => Sender][] = [
    ["missing credentials before a wrong type", 401, undefined, form, () => "nobody"],
    ["missing credentials before a large body", 401, undefined, large, () => "nobody"],
    ["missing credentials before bad input", 401, { cameraId: "x" }, bad, () => "nobody"],
    ["a wrong type before a bad id", 415, { cameraId: "x" }, form, () => world.admin.user],
    ["a wrong type before what does not exist", 415, { ...unknown }, form, () => world.admin.user],
    ["a large body before a bad id", 413, { cameraId: "x" }, large, () => world.admin.user],
    ["a large body before a missing permission", 413, undefined, large, () => world.onlooker.user],
    ["bad input before what does not exist", 400, { ...unknown }, bad, () => world.admin.user],
    ["bad input before a missing permission", 400, undefined, bad, () => world.onlooker.user],
    ["what does not exist before a missing permission", 404, { ...unknown }, good, () => world.onlooker.user],
  ];
  it.each(orders)("%s", async (_order, status, ids, init, as) => {
    const answer = await refused(requestOf(camera, ids ?? world.ids), { as: as(), method: "PATCH", ...init });
    expect(answer.status).toBe(status);
  });

  const callbackOrders: [string, number, PathValues, RequestInit][] = [
    ["a wrong type before a bad capability", 415, { requestId: "x" }, form],
    ["a wrong type before one that never was", 415, { ...unknown }, form],
    ["a large body before a bad capability", 413, { requestId: "x" }, large],
    ["bad input before a capability that never was", 400, { ...unknown }, bad],
  ];
  describe.each(callbackOrders)("where no credentials are needed, %s", (_order, status, ids, init) => {
    it.each(writes.filter(({ open }) => open).map(titled))("by %s", async (_title, each) => {
      expect((await refused(requestOf(each, ids), { as: "nobody", method: each.method.toUpperCase(), ...init })).status).toBe(status);
    });
  });

  const keyFaults: [string, number, number, PathValues | undefined, object][] = [
    ["a member that is wrong before the lack of a user", 400, 30, undefined, { firstName: "" }],
    ["a number that is none before the lack of a user", 400, 32, undefined, { phoneNumber: "123" }],
    ["a region that is none before the lack of a user", 400, 32, undefined, { region: "XX" }],
    ["the lack of a userId before what does not exist", 400, 33, { ...unknown }, {}],
    ["the lack of a userId before what does not exist", 400, 34, { ...unknown }, {}],
  ];
  it.each(keyFaults)("for an API key, %s", async (_order, status, number, ids, body) => {
    const each = caseOf(number);
    expect((await refused(requestOf(each, ids ?? world.ids), { as: world.admin.key, ...initOf(each, body) })).status).toBe(status);
  });

  it("a user who does not exist before what is not held, but not before a missing permission, which would tell of users", async () => {
    const give = (as: Sender) => refused(requestOf(caseOf(33), world.ids), { as, ...initOf(caseOf(33), { userId: unknown.cameraId }) });
    expect((await give(world.local.user)).status).toBe(404);
    expect((await give(world.onlooker.user)).status).toBe(403);
  });

  it("a thousand and one alerts before those that do not exist", async () => {
    const ids = Array.from({ length: 1001 }, () => unknown.alertId);
    const answer = await refused(requestOf(caseOf(21), world.ids, { alertId: ids }), { as: world.onlooker.user, method: "DELETE" });
    expect(answer).toMatchObject({ status: 400, body: { details: [{ path: "query.alertId" }] } });
  });
});
