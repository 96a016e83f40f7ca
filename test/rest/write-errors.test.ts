// Runs once: no database can influence what is tested here.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApiKey, createUser, grantAccess } from "../support/factories.js";
import { unknown } from "../support/fixed-fleet.js";
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
import {
  type CallerPair,
  createTestWorkspace,
  senderFor,
  stateSettings,
  type TestWorkspace,
  tablesOf,
  walPosition,
} from "../support/test-workspace.js";
import { type InvalidValue, invalidValues } from "./bad-values.js";

let gateway: Gateway;
let workspace: TestWorkspace;
let other: TestWorkspace;
let before: unknown;
let facilityParameter: string;

/**
 * Fingerprints of all tables, recomputed only if anything was written since the last
 * call.
 */
async function states(): Promise<unknown> {
  const position = await walPosition(gateway);
  if (position === facilityParameter) return before;
  const tables = await tablesOf(gateway);
  facilityParameter = position;
  return tables;
}

beforeAll(async () => {
  gateway = await startGateway(stateSettings(new Date()));
  workspace = await createTestWorkspace(gateway.prisma, 1);
  other = await createTestWorkspace(gateway.prisma, 2);
  before = await states();
});
afterAll(() => gateway.close());

interface Failure {
  status: string;
  code: string;
  message: string;
  details?: { path: string; message: string }[];
}

/** Sends a request that must be rejected without changing anything. */
async function expectRejected(target: string, init: RequestInit & { as: Sender }) {
  const response = await gateway.fetch(target, init);
  const result = {
    status: response.status,
    body: (await response.json()) as Failure,
    headers: response.headers,
  };
  const [expected, actual] = [before, await states()];
  // A change let through by one test must not fail the next.
  before = actual;
  expect(actual).toEqual(expected);
  return result;
}

const writes = routeCases.filter(({ method }) => method !== "get");
const withBody = writes.filter(({ sends, form }) => sends && !form);
const withForm = writes.filter(({ form }) => form);
const json = { "content-type": "application/json" };
const codes: Record<number, string> = {
  400: "BAD_REQUEST",
  413: "PAYLOAD_TOO_LARGE",
  415: "UNSUPPORTED_MEDIA_TYPE",
};

/** Values that a part of a form cannot express, because it has only bytes. */
const isNotFormPart = ([what, value]: InvalidValue, kind: MemberKind) =>
  kind === "name" && (typeof value !== "string" || /a lone surrogate/.test(what));

/**
 * The members that are sent every invalid value: the first of each kind. The others have
 * the same rules.
 */
const firstOfKind = new Map<MemberKind, string>();
for (const each of [...withBody, ...withForm])
  for (const [name, { kind }] of Object.entries(each.sends ?? {}))
    if (!firstOfKind.has(kind)) firstOfKind.set(kind, `${each.number} ${name}`);

/** One value of a wrong type, the bounds, and one of another kind of fault. */
const isSentToAll = ([what]: InvalidValue, index: number, { length }: InvalidValue[]) =>
  index === 0 || index === length - 1 || ["empty", "blank", "too long"].includes(what);

const invalid = [...withBody, ...withForm].flatMap((each) =>
  Object.entries(each.sends ?? {}).flatMap(([name, { kind, required, nullable }]) => {
    const nothing: InvalidValue[] = [
      ...(required ? [["missing", undefined] as InvalidValue] : []),
      ...(nullable || each.form ? [] : [["null", null] as InvalidValue]),
    ];
    const possible = invalidValues[kind].filter((candidate) => !each.form || !isNotFormPart(candidate, kind));
    const wrong =
      firstOfKind.get(kind) === `${each.number} ${name}` ? possible : possible.filter(isSentToAll);
    return [...nothing, ...wrong].map(([what, value, below]) => {
      const path = ["body", name, ...(below === undefined ? [] : [below])].join(".");
      return [each.number, name, what, { each, body: { [name]: value }, path }] as const;
    });
  }),
);

describe("an invalid body member returns 400 with its path, and nothing changes", () => {
  it.each(invalid)("endpoint %i, %s %s", async (_number, _name, _what, { each, body, path }) => {
    const result = await expectRejected(requestOf(each, workspace.ids), {
      as: senderFor(each, workspace.admin),
      ...initOf(each, body),
    });
    const { status, code, message, details = [] } = result.body;
    expect({ answered: result.status, status, code }).toEqual({
      answered: 400,
      status: "error",
      code: "BAD_REQUEST",
    });
    expect([...new Set(details.map((detail) => detail.path))]).toEqual([path]);
    expect(message).toMatch(new RegExp(`^${path}: \\S`));
  });

  it("and a list is reported as a wrong type, not as a repeated member", async () => {
    const result = await expectRejected(requestOf(caseOf(25), workspace.ids), {
      as: workspace.admin.user,
      ...initOf(caseOf(25), { name: ["Gate", "Yard"] }),
    });
    expect(result.body.details).toEqual([{ path: "body.name", message: "must be a string" }]);
  });
});

describe("every error is reported at once by", () => {
  it.each(withBody.map(titled))("%s", async (_title, each) => {
    const names = Object.keys(each.sends ?? {});
    const body = Object.fromEntries(names.map((name) => [name, true]));
    const path = Object.fromEntries(pathParameters(each).map((name) => [name, "x"]));
    const result = await expectRejected(requestOf(each, path), {
      as: senderFor(each, workspace.admin),
      ...initOf(each, body),
    });
    const targets = [
      ...pathParameters(each).map((name) => `path.${name}`),
      ...names.map((name) => `body.${name}`),
    ];
    expect({ status: result.status, targets: result.body.details?.map((detail) => detail.path) }).toEqual({
      status: 400,
      targets,
    });
  });
});

describe("a body that is not a JSON object is rejected, and nothing changes, by", () => {
  const bodies: [string, RequestInit, number][] = [
    ["truncated", { headers: json, body: '{"name": "Ga' }, 400],
    ["not JSON", { headers: json, body: "name=Gate" }, 400],
    ["a list", { headers: json, body: '[{"name": "Gate"}]' }, 400],
    ["a string", { headers: json, body: '"Gate"' }, 400],
    ["a number", { headers: json, body: "5" }, 400],
    ["null", { headers: json, body: "null" }, 400],
    ["nested too deeply", { headers: json, body: `{"name": ${"[".repeat(64)}${"]".repeat(64)}}` }, 400],
    ["too large", { headers: json, body: JSON.stringify({ name: "x".repeat(2 ** 20) }) }, 413],
    ["too large, in many members", { headers: json, body: `{"name": "Gate"${" ".repeat(2 ** 20)}}` }, 413],
    ["a form", { headers: { "content-type": "application/x-www-form-urlencoded" }, body: "name=Gate" }, 415],
    ["plain text", { headers: { "content-type": "text/plain" }, body: '{"name": "Gate"}' }, 415],
    [
      "without a content type",
      { headers: { "content-type": "" }, body: new TextEncoder().encode('{"name": "Gate"}') },
      415,
    ],
    [
      "in an unknown character set",
      { headers: { "content-type": "application/json; charset=x-none" }, body: "{}" },
      415,
    ],
    ["in an unknown encoding", { headers: { ...json, "content-encoding": "x-none" }, body: "{}" }, 415],
  ];

  // One function reads the bodies of all: each refuses one of each status.
  const ofEachStatus = bodies.filter(([what]) => ["truncated", "too large", "a form"].includes(what));

  describe.each(withBody.map(titled))("%s", (_title, each) => {
    it.each(each === withBody[0] ? bodies : ofEachStatus)("if it is %s", async (_what, init, status) => {
      const result = await expectRejected(requestOf(each, workspace.ids), {
        as: senderFor(each, workspace.admin),
        method: each.method.toUpperCase(),
        ...init,
      });
      expect({ status: result.status, body: result.body }).toMatchObject({
        status,
        body: { status: "error", code: codes[status] },
      });
    });
  });

  it.each(withBody.filter((each) => Object.keys(bodyOf(each)).length > 0).map(titled))(
    "%s, if required members are missing",
    async (_title, each) => {
      const required = Object.keys(bodyOf(each)).map((name) => ({
        path: `body.${name}`,
        message: "is required",
      }));
      for (const init of [{}, { headers: json }, { headers: json, body: "{}" }]) {
        const result = await expectRejected(requestOf(each, workspace.ids), {
          as: senderFor(each, workspace.admin),
          method: each.method.toUpperCase(),
          ...init,
        });
        expect({ status: result.status, details: result.body.details }).toEqual({
          status: 400,
          details: required,
        });
      }
    },
  );
});

describe("an invalid form is rejected, and nothing changes, by", () => {
  const form = { "content-type": "multipart/form-data; boundary=edge" };
  const bodies: [string, RequestInit, number][] = [
    ["absent", {}, 415],
    ["JSON", { headers: json, body: "{}" }, 415],
    [
      "a URL-encoded form",
      { headers: { "content-type": "application/x-www-form-urlencoded" }, body: "cameraName=Gate" },
      415,
    ],
    ["without a boundary", { headers: { "content-type": "multipart/form-data" }, body: "--edge--\r\n" }, 400],
    ["empty", { headers: form, body: "" }, 400],
    [
      "truncated",
      { headers: form, body: '--edge\r\nContent-Disposition: form-data; name="cameraName"\r\n\r\nGa' },
      400,
    ],
    ["too large", { headers: form, body: new Uint8Array(11 * 2 ** 20 + 1) }, 413],
  ];

  describe.each(withForm.map(titled))("%s", (_title, each) => {
    it.each(bodies)("if it is %s", async (_what, init, status) => {
      const result = await expectRejected(requestOf(each, workspace.ids), {
        as: senderFor(each, workspace.admin),
        method: each.method.toUpperCase(),
        ...init,
      });
      expect({ status: result.status, body: result.body }).toMatchObject({
        status,
        body: { status: "error", code: codes[status] },
      });
    });

    it("if it has no parts, as required members are missing", async () => {
      const init = { headers: form, body: "--edge--\r\n" };
      const result = await expectRejected(requestOf(each, workspace.ids), {
        as: senderFor(each, workspace.admin),
        method: each.method.toUpperCase(),
        ...init,
      });
      const details = Object.keys(bodyOf(each)).map((name) => ({
        path: `body.${name}`,
        message: "is required",
      }));
      expect({ status: result.status, details: result.body.details }).toEqual({ status: 400, details });
    });
  });
});

describe("missing or wrong credentials return 401, and nothing changes", () => {
  it.each(writes.filter(({ open }) => !open).map(titled))("no credentials, by %s", async (_title, each) => {
    const result = await expectRejected(requestOf(each, workspace.ids), { as: "nobody", ...initOf(each) });
    expect(result).toMatchObject({ status: 401, body: { code: "UNAUTHENTICATED" } });
    expect(result.headers.get("www-authenticate")).toMatch(
      each.basicOnly ? /^Basic realm="[^"]+"/ : /^Bearer .*, Basic /,
    );
  });

  it.each(writes.filter(({ basicOnly }) => basicOnly).map(titled))(
    "a Bearer token where only an API key is accepted, by %s",
    async (_title, each) => {
      const result = await expectRejected(requestOf(each, workspace.ids), {
        as: workspace.admin.user,
        ...initOf(each),
      });
      expect(result).toMatchObject({ status: 401, body: { code: "UNAUTHENTICATED" } });
      expect(result.headers.get("www-authenticate")).toMatch(/^Basic realm="[^"]+"/);
      expect(result.headers.get("www-authenticate")).not.toContain("Bearer");
    },
  );

  it.each(writes.filter(({ basicOnly, open }) => !basicOnly && !open).map(titled))(
    "but an API key is accepted like a token, except for users' own data, by %s",
    async (_title, each) => {
      const result = await expectRejected(requestOf(each, { ...unknown }), {
        as: workspace.admin.key,
        ...initOf(each, each.sends?.userId && { userId: workspace.memberId }),
      });
      expect(result.status).toBe(each.usersOnly ? 403 : 404);
    },
  );
});

describe("a missing permission returns 403 and is named, and nothing changes", () => {
  const guarded = writes.filter(({ permission }) => permission);
  const readOnlyCallers: [string, (each: RouteCase) => Sender][] = [
    ["a user", (each) => senderFor(each, workspace.onlooker)],
    ["a key", () => workspace.onlooker.key],
  ];
  for (const [who, as] of readOnlyCallers) {
    it.each(guarded.map(titled))(`to ${who} who can see the target, by %s`, async (_title, each) => {
      const body = each.sends?.userId && { userId: workspace.memberId };
      const result = await expectRejected(requestOf(each, workspace.ids), {
        as: as(each),
        ...initOf(each, body),
      });
      expect({ status: result.status, body: result.body }).toEqual({
        status: 403,
        body: {
          status: "error",
          code: "FORBIDDEN",
          message: expect.stringContaining(each.permission as string),
        },
      });
    });
  }

  it.each(writes.filter(({ usersOnly }) => usersOnly).map(titled))(
    "to an API key, which is not a user, by %s",
    async (_title, each) => {
      const result = await expectRejected(requestOf(each, workspace.ids), {
        as: workspace.admin.key,
        ...initOf(each),
      });
      expect(result).toMatchObject({ status: 403, body: { status: "error", code: "FORBIDDEN" } });
    },
  );
});

describe("an unknown or invisible id returns 404, and nothing changes", () => {
  const notFound = { status: "error", code: "NOT_FOUND", message: "Not found" };
  const withTarget = writes.filter((each) => !each.open && (pathParameters(each).length > 0 || each.query));
  const targets: [string, () => PathValues, () => CallerPair][] = [
    ["that does not exist", () => ({ ...unknown }), () => workspace.admin],
    ["of another workspace", () => ({ ...other.ids }), () => workspace.admin],
    [
      "of another facility, for a caller with all permissions at one facility",
      () => ({ ...workspace.beside }),
      () => workspace.local,
    ],
    [
      "of another facility, for a caller with few permissions at one facility",
      () => ({ ...workspace.beside }),
      () => workspace.onlooker,
    ],
  ];
  describe.each(targets)("an id %s", (_whose, ids, who) => {
    it.each(withTarget.map(titled))("by %s", async (_title, each) => {
      const result = await expectRejected(requestOf(each, ids()), {
        as: senderFor(each, who()),
        ...initOf(each),
      });
      expect({ status: result.status, body: result.body }).toEqual({ status: 404, body: notFound });
    });
  });

  it.each(writes.filter(({ open }) => open).map(titled))(
    "an unknown requestId, with any credentials, by %s",
    async (_title, each) => {
      for (const as of ["nobody", workspace.admin.user, workspace.admin.key] as const) {
        const result = await expectRejected(requestOf(each, { ...unknown }), { as, ...initOf(each) });
        expect({ status: result.status, body: result.body }).toEqual({ status: 404, body: notFound });
      }
    },
  );

  it.each([33, 34])("a user of another workspace or an unknown one, by %i", async (number) => {
    for (const userId of [other.memberId, other.adminId, unknown.cameraId, workspace.ids.facilityId]) {
      for (const as of [workspace.admin.user, workspace.admin.key, workspace.local.user]) {
        const result = await expectRejected(requestOf(caseOf(number), workspace.ids), {
          as,
          ...initOf(caseOf(number), { userId }),
        });
        expect({ status: result.status, body: result.body }).toEqual({ status: 404, body: notFound });
      }
    }
  });

  it("one of several alerts", async () => {
    const each = caseOf(21);
    for (const missing of [unknown.alertId, other.ids.alertId]) {
      const result = await expectRejected(
        requestOf(each, workspace.ids, { alertId: [...workspace.alertIds, missing] }),
        {
          as: workspace.admin.user,
          ...initOf(each),
        },
      );
      expect({ status: result.status, body: result.body }).toEqual({ status: 404, body: notFound });
    }
  });
});

describe("an API key without a userId returns 400, because it is not a user, and nothing changes", () => {
  it.each([33, 34])("by %i", async (number) => {
    for (const userId of [undefined, null]) {
      for (const key of [workspace.admin.key, workspace.local.key]) {
        const result = await expectRejected(requestOf(caseOf(number), workspace.ids), {
          as: key,
          ...initOf(caseOf(number), { userId }),
        });
        expect(result).toMatchObject({
          status: 400,
          body: {
            code: "BAD_REQUEST",
            details: [{ path: "body.userId", message: expect.stringMatching(/^is required/) }],
          },
        });
      }
    }
  });
});

describe("a caller cannot grant permissions that they do not hold at the facility, and nothing changes", () => {
  const steward: Sender = { user: "steward" };
  let stewardKey: Sender;
  beforeAll(async () => {
    const { workspaceId, facilityId } = workspace.ids;
    const userId = await createUser(gateway.prisma, {
      workspaceId,
      authId: "steward",
      roles: ["facilities:read"],
    });
    await grantAccess(gateway.prisma, {
      userId,
      facilityId,
      workspaceId,
      actions: ["users:write", "alerts:read"],
    });
    stewardKey = await createApiKey(gateway.prisma, {
      workspaceId,
      permissions: ["users:write", "alerts:read"],
      facilityIds: [facilityId],
    });
    before = await states();
  });
  const grant = (as: Sender, body: object) =>
    expectRejected(requestOf(caseOf(33), workspace.ids), { as, ...initOf(caseOf(33), body) });

  it.each([
    ["to themselves", () => steward, {}],
    ["to another user", () => steward, () => ({ userId: workspace.memberId })],
    ["to another user, by a key", () => stewardKey, () => ({ userId: workspace.memberId })],
  ] as [string, () => Sender, object][])("%s", async (_whom, as, body) => {
    const given = typeof body === "function" ? body() : body;
    for (const actions of [
      ["cameras:write"],
      ["alerts:read", "alerts:delete"],
      ["api-keys:write", "users:write"],
    ]) {
      const result = await grant(as(), { actions, ...given });
      const missing = actions.find((action) => !["users:write", "alerts:read"].includes(action)) as string;
      expect(result).toMatchObject({
        status: 403,
        body: { code: "FORBIDDEN", message: expect.stringContaining(missing) },
      });
    }
  });

  it("nor at a facility other than where they hold it", async () => {
    const target = requestOf(caseOf(33), { ...workspace.beside });
    const result = await expectRejected(target, {
      as: steward,
      ...initOf(caseOf(33), { actions: ["alerts:read"] }),
    });
    expect(result).toMatchObject({ status: 403, body: { message: expect.stringContaining("users:write") } });
  });
});

describe("with several errors, the first in the contract's order is returned, and nothing changes:", () => {
  const large = { headers: json, body: JSON.stringify({ name: "x".repeat(2 ** 20) }) };
  const form = { headers: { "content-type": "application/x-www-form-urlencoded" }, body: "name=Gate" };
  const invalidBody = { headers: json, body: '{"name": 5}' };
  const validBody = { headers: json, body: '{"name": "Gate"}' };
  const camera = caseOf(3);
  const orders: [string, number, PathValues | undefined, RequestInit, () => Sender][] = [
    ["missing credentials before a wrong content type", 401, undefined, form, () => "nobody"],
    ["missing credentials before a large body", 401, undefined, large, () => "nobody"],
    ["missing credentials before invalid input", 401, { cameraId: "x" }, invalidBody, () => "nobody"],
    ["a wrong content type before an invalid id", 415, { cameraId: "x" }, form, () => workspace.admin.user],
    ["a wrong content type before an unknown id", 415, { ...unknown }, form, () => workspace.admin.user],
    ["a large body before an invalid id", 413, { cameraId: "x" }, large, () => workspace.admin.user],
    ["a large body before a missing permission", 413, undefined, large, () => workspace.onlooker.user],
    ["invalid input before an unknown id", 400, { ...unknown }, invalidBody, () => workspace.admin.user],
    ["invalid input before a missing permission", 400, undefined, invalidBody, () => workspace.onlooker.user],
    [
      "an unknown id before a missing permission",
      404,
      { ...unknown },
      validBody,
      () => workspace.onlooker.user,
    ],
  ];
  it.each(orders)("%s", async (_order, status, ids, init, as) => {
    const result = await expectRejected(requestOf(camera, ids ?? workspace.ids), {
      as: as(),
      method: "PATCH",
      ...init,
    });
    expect(result.status).toBe(status);
  });

  const callbackOrders: [string, number, PathValues, RequestInit][] = [
    ["a wrong content type before an invalid requestId", 415, { requestId: "x" }, form],
    ["a wrong content type before an unknown requestId", 415, { ...unknown }, form],
    ["a large body before an invalid requestId", 413, { requestId: "x" }, large],
    ["invalid input before an unknown requestId", 400, { ...unknown }, invalidBody],
  ];
  describe.each(callbackOrders)("on public endpoints, %s", (_order, status, ids, init) => {
    it.each(writes.filter(({ open }) => open).map(titled))("by %s", async (_title, each) => {
      expect(
        (
          await expectRejected(requestOf(each, ids), {
            as: "nobody",
            method: each.method.toUpperCase(),
            ...init,
          })
        ).status,
      ).toBe(status);
    });
  });

  const keyOrders: [string, number, number, PathValues | undefined, object][] = [
    ["an invalid member before a missing user", 400, 30, undefined, { firstName: "" }],
    ["an invalid number before a missing user", 400, 32, undefined, { phoneNumber: "123" }],
    ["an invalid region before a missing user", 400, 32, undefined, { region: "XX" }],
    ["a missing userId before an unknown id", 400, 33, { ...unknown }, {}],
    ["a missing userId before an unknown id", 400, 34, { ...unknown }, {}],
  ];
  it.each(keyOrders)("for an API key, %s", async (_order, status, number, ids, body) => {
    const each = caseOf(number);
    expect(
      (
        await expectRejected(requestOf(each, ids ?? workspace.ids), {
          as: workspace.admin.key,
          ...initOf(each, body),
        })
      ).status,
    ).toBe(status);
  });

  it("an unknown user before a permission the caller lacks to grant, but after users:write, to keep users private", async () => {
    const grant = (as: Sender) =>
      expectRejected(requestOf(caseOf(33), workspace.ids), {
        as,
        ...initOf(caseOf(33), { userId: unknown.cameraId }),
      });
    expect((await grant(workspace.local.user)).status).toBe(404);
    expect((await grant(workspace.onlooker.user)).status).toBe(403);
  });

  it("too many alerts before unknown ones", async () => {
    const ids = Array.from({ length: 1001 }, () => unknown.alertId);
    const result = await expectRejected(requestOf(caseOf(21), workspace.ids, { alertId: ids }), {
      as: workspace.onlooker.user,
      method: "DELETE",
    });
    expect(result).toMatchObject({ status: 400, body: { details: [{ path: "query.alertId" }] } });
  });
});
