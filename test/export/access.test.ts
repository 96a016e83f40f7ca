// Runs once: both kinds of databases run the same statements.
import { randomBytes, randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { permissions } from "../../src/access/permissions.js";
import { allTime, type CompleteFacility, createCompleteFacility } from "../support/complete-facility.js";
import { testSecrets } from "../support/environment.js";
import {
  createAlerts,
  createApiKey,
  createCamera,
  createUser,
  createWorkspace,
  grantAccess,
} from "../support/factories.js";
import { type Gateway, gatewayForTest, type Sender, sharedGateway } from "../support/harness.js";
import {
  type ExportFormat,
  type ExportLink,
  exportedIds,
  fileOf,
  idsByFormat,
  linkTo,
  pathOf,
} from "./exports.js";
import { rowsOf } from "./workbook.js";

const start = new Date();
const minute = 60_000;
const november = { start: "2026-11-01T00:00:00.000Z", end: "2026-12-01T00:00:00.000Z" };
const period = `start=${Date.parse(november.start)}&end=${Date.parse(november.end)}`;

let gateway: Gateway;
let clock: Date;
let workspaceId: string;
/** Three facilities of one workspace, and one of another tenant. */
let facilityA: CompleteFacility;
let facilityB: CompleteFacility;
let facilityC: CompleteFacility;
let otherTenant: CompleteFacility;
/** A deleted camera of facility A, and its alerts. */
let removed: { cameraId: string; alertIds: string[] };

beforeAll(async () => {
  clock = start;
  gateway = await sharedGateway({ now: () => clock });
  const { prisma } = gateway;
  workspaceId = await createWorkspace(prisma, {});
  const otherWorkspaceId = await createWorkspace(prisma, {});
  facilityA = await createCompleteFacility(prisma, {
    workspaceId,
    name: "A",
    alerts: 3,
    newest: "2026-11-20T12:00:00Z",
  });
  facilityB = await createCompleteFacility(prisma, {
    workspaceId,
    name: "B",
    alerts: 2,
    newest: "2026-11-20T11:00:00Z",
  });
  facilityC = await createCompleteFacility(prisma, {
    workspaceId,
    name: "C",
    alerts: 2,
    newest: "2026-11-20T10:00:00Z",
  });
  otherTenant = await createCompleteFacility(prisma, {
    workspaceId: otherWorkspaceId,
    name: "D",
    alerts: 4,
    newest: "2026-11-20T12:30:00Z",
  });
  const site = { workspaceId, facilityId: facilityA.facilityId };
  const cameraId = await createCamera(prisma, { ...site, removedAt: start });
  removed = {
    cameraId,
    alertIds: await createAlerts(prisma, [{ ...site, cameraId }], new Date("2026-11-20T12:15:00Z")),
  };
  await createUser(prisma, {
    workspaceId: otherWorkspaceId,
    authId: "exports|other",
    roles: [...permissions],
  });
});
beforeEach(() => {
  clock = start;
});

interface User {
  id: string;
  as: { user: string };
}

/** Creates a user with roles in the workspace and permissions at facilities. */
async function newUser({
  roles = [],
  ...accesses
}: {
  roles?: string[];
  facilityA?: string[];
  facilityB?: string[];
  facilityC?: string[];
}): Promise<User> {
  const authId = `test|${randomUUID()}`;
  const id = await createUser(gateway.prisma, { workspaceId, authId, roles });
  for (const [name, actions] of Object.entries(accesses)) {
    const { facilityId } = { facilityA, facilityB, facilityC }[name] as CompleteFacility;
    await grantAccess(gateway.prisma, { userId: id, facilityId, workspaceId, actions: actions as never });
  }
  return { id, as: { user: authId } };
}

const open = (link: Pick<ExportLink, "url">, as: Sender = "nobody") =>
  gateway.fetch(pathOf(link.url), { as });

/** Both APIs: export by the query parameters of REST and by the filter of GraphQL. */
type ExportApi = [string, (as: Sender, filter?: Record<string, string>) => Promise<Response>, ExportFormat];
const exportApis: ExportApi[] = [
  [
    "GET /alerts/export",
    (as, filter = {}) => gateway.fetch(`/alerts/export?${period}&${new URLSearchParams(filter)}`, { as }),
    "XLSX",
  ],
  [
    "the link of exportAlerts",
    async (as, { cameraId, ...filter } = {}) =>
      open(
        await linkTo(
          gateway,
          as,
          { ...november, ...filter, ...(cameraId && { cameraIds: [cameraId] }) },
          "NDJSON",
        ),
      ),
    "NDJSON",
  ],
];

it.each(["XLSX", "CSV"] as const)(
  "a link to %s has the alerts of the facilities at which its creator has alerts:read",
  async (format) => {
    const { as } = await newUser({ facilityA: ["alerts:read"], facilityB: ["facilities:read"] });
    expect(
      await idsByFormat[format](await fileOf(await open(await linkTo(gateway, as, november, format)))),
    ).toEqual(facilityA.alertIds);
  },
);

describe.each(exportApis)("by %s", (_name, exported, format) => {
  const idsFor = async (...of: Parameters<typeof exported>) =>
    idsByFormat[format](await fileOf(await exported(...of)));
  const alertsOf = (...sites: CompleteFacility[]) => sites.flatMap(({ alertIds }) => alertIds);

  it("a user with alerts:read in the workspace gets the alerts of all its facilities, without those of deleted cameras", async () => {
    const { as } = await newUser({ roles: ["alerts:read"] });
    expect(await idsFor(as)).toEqual(alertsOf(facilityA, facilityB, facilityC));
  });

  it("a user with alerts:read at some facilities gets only the alerts of these, not of other visible ones", async () => {
    const { as } = await newUser({
      facilityA: ["alerts:read"],
      facilityB: ["facilities:read", "cameras:write"],
      facilityC: ["alerts:read", "alerts:write"],
    });
    expect(await idsFor(as)).toEqual(alertsOf(facilityA, facilityC));
  });

  it("a user with other permissions in the workspace and alerts:read at one facility gets the alerts of that facility", async () => {
    const { as } = await newUser({
      roles: permissions.filter((each) => each !== "alerts:read"),
      facilityB: ["alerts:read"],
    });
    expect(await idsFor(as)).toEqual(alertsOf(facilityB));
  });

  it("a user with alerts:read in the workspace and other permissions at a facility gets the alerts of all", async () => {
    const { as } = await newUser({ roles: ["alerts:read"], facilityB: ["facilities:read"] });
    expect(await idsFor(as)).toEqual(alertsOf(facilityA, facilityB, facilityC));
  });

  it("an API key gets the alerts of its facilities", async () => {
    expect(
      await idsFor(await createApiKey(gateway.prisma, { workspaceId, permissions: ["alerts:read"] })),
    ).toEqual(alertsOf(facilityA, facilityB, facilityC));
    const facilityIds = [facilityB.facilityId, otherTenant.facilityId];
    expect(
      await idsFor(
        await createApiKey(gateway.prisma, { workspaceId, permissions: ["alerts:read"], facilityIds }),
      ),
    ).toEqual(alertsOf(facilityB));
  });

  it("an admin of another workspace gets the alerts of that workspace", async () => {
    expect(await idsFor({ user: "exports|other" })).toEqual(otherTenant.alertIds);
  });

  it("a filter by hidden objects matches nothing, like a filter by an unknown id", async () => {
    const { as } = await newUser({ facilityA: ["alerts:read"], facilityB: ["facilities:read"] });
    const idsOf = ({ facilityId, cameraId, areaId }: CompleteFacility): Record<string, string>[] => [
      { facilityId },
      { cameraId },
      { areaId },
    ];
    const filters = [
      ...[otherTenant, facilityB, facilityC].flatMap(idsOf),
      { facilityId: randomUUID() },
      { cameraId: removed.cameraId },
      { facilityId: facilityA.facilityId, cameraId: facilityB.cameraId },
    ];
    for (const filter of filters) expect(await idsFor(as, filter), JSON.stringify(filter)).toEqual([]);
    for (const filter of idsOf(facilityA))
      expect(await idsFor(as, filter), JSON.stringify(filter)).toEqual(facilityA.alertIds);
  });
});

it("the sheet with the filter names visible objects, and repeats the ids of hidden ones", async () => {
  const { as } = await newUser({ facilityA: ["alerts:read"], facilityC: ["facilities:read"] });
  const cameraIds = [facilityA.cameraId, facilityB.cameraId, otherTenant.cameraId, removed.cameraId];
  const named = async (filter: object) =>
    (await rowsOf(await fileOf(await open(await linkTo(gateway, as, { ...november, ...filter }))), 2))
      .filter(([name]) => name === "Facility" || name === "Camera")
      .map(([, value]) => value);
  expect(await named({ facilityId: facilityC.facilityId, cameraIds })).toEqual([
    "C",
    "A",
    ...cameraIds.slice(1),
  ]);
  expect(await named({ facilityId: facilityB.facilityId })).toEqual([facilityB.facilityId, "All"]);
});

describe("a caller without alerts:read is rejected, whatever they may see:", () => {
  const senders: [string, () => Promise<Sender>][] = [
    [
      "a user who sees a facility",
      async () => (await newUser({ facilityA: ["facilities:read", "alerts:write", "alerts:delete"] })).as,
    ],
    [
      "a user with every other permission",
      async () => (await newUser({ roles: permissions.filter((each) => each !== "alerts:read") })).as,
    ],
    ["a user without permissions", async () => (await newUser({ facilityA: [] })).as],
    [
      "an API key with other permissions",
      () => createApiKey(gateway.prisma, { workspaceId, permissions: ["facilities:read", "cameras:read"] }),
    ],
    [
      "an API key without facilities",
      () => createApiKey(gateway.prisma, { workspaceId, permissions: ["alerts:read"], facilityIds: [] }),
    ],
  ];
  it.each(senders)("%s", async (_who, sender) => {
    const as = await sender();
    for (const filter of ["", `facilityId=${facilityA.facilityId}`, `facilityId=${randomUUID()}`]) {
      const response = await gateway.fetch(`/alerts/export?${period}&${filter}`, { as });
      expect({ status: response.status, body: await response.json() }).toEqual({
        status: 403,
        body: { status: "error", code: "FORBIDDEN", message: expect.stringContaining("alerts:read") },
      });
      expect(response.headers.get("content-disposition")).toBeNull();
    }
    const { data, errors } = await gateway.graphql(`{ exportAlerts(filter: ${allTime()}) { url } }`, { as });
    expect({ data, codes: errors?.map(({ extensions }) => extensions.code) }).toEqual({
      data: null,
      codes: ["FORBIDDEN"],
    });
  });
});

it("a request without credentials and without a ticket gets a 401", async () => {
  expect((await gateway.fetch(`/alerts/export?${period}`)).status).toBe(401);
  expect(
    (await gateway.graphql(`{ exportAlerts(filter: ${allTime()}) { url } }`)).errors?.map(
      ({ extensions }) => extensions.code,
    ),
  ).toEqual(["UNAUTHENTICATED"]);
});

/** Expects the response that all invalid tickets get. */
async function expectNoLink(response: Response): Promise<void> {
  expect({
    status: response.status,
    body: await response.json(),
    disposition: response.headers.get("content-disposition"),
  }).toEqual({
    status: 404,
    body: { status: "error", code: "NOT_FOUND", message: "This link is invalid or has expired" },
    disposition: null,
  });
}

describe("a link to an export", () => {
  let creator: User;
  let link: ExportLink;
  let ticket: string;
  beforeAll(async () => {
    creator = await newUser({ facilityA: ["alerts:read"] });
    link = await linkTo(gateway, creator.as, november);
    ticket = new URL(link.url).searchParams.get("ticket") as string;
  });
  const openTicket = (given: string) => gateway.fetch(`/alerts/export?ticket=${encodeURIComponent(given)}`);

  it("works without credentials, more than once, and its response is not cached", async () => {
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const response = await open(link);
      expect([response.headers.get("cache-control"), response.headers.get("etag")]).toEqual([
        "private, no-store",
        null,
      ]);
      expect(await exportedIds(await fileOf(response))).toEqual(facilityA.alertIds);
    }
  });

  it("supports HEAD without reading alerts", async () => {
    gateway.clearStatements();
    const response = await gateway.fetch(pathOf(link.url), { method: "HEAD" });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-disposition")).toMatch(/^attachment; filename="[\w.-]+\.xlsx"$/);
    expect(gateway.statements.filter((sql) => sql.includes('"Alert"'))).toEqual([]);
  });

  it.each<[string, () => Promise<Sender> | Sender]>([
    ["invalid ones", () => ({ authorization: "Bearer garbage" })],
    ["malformed ones", () => ({ authorization: "x" })],
    ["those of another tenant", () => ({ user: "exports|other" })],
    ["those of a user with more permissions", async () => (await newUser({ roles: ["alerts:read"] })).as],
    ["those of a user without permissions", async () => (await newUser({})).as],
  ])("has the permissions of its creator, whatever credentials are sent: %s", async (_which, sender) => {
    expect(await exportedIds(await fileOf(await open(link, await sender())))).toEqual(facilityA.alertIds);
  });

  it("keeps its filter and format, whatever other query parameters are added", async () => {
    const more = `&start=x&end=0&facilityId=${otherTenant.facilityId}&type=NOTHING&format=CSV&unknown=1`;
    expect(await exportedIds(await fileOf(await gateway.fetch(`${pathOf(link.url)}${more}`)))).toEqual(
      facilityA.alertIds,
    );
  });

  it("starts with PUBLIC_URL", async () => {
    const gatewayBehindProxy = await gatewayForTest({
      seed: "none",
      environment: { PUBLIC_URL: "https://cameras.example" },
    });
    const proxiedWorkspaceId = await createWorkspace(gatewayBehindProxy.prisma, {});
    const key = await createApiKey(gatewayBehindProxy.prisma, {
      workspaceId: proxiedWorkspaceId,
      permissions: ["alerts:read"],
    });
    const { url } = await linkTo(gatewayBehindProxy, key, november);
    expect(url).toMatch(/^https:\/\/cameras\.example\/alerts\/export\?ticket=[\w.-]+$/);
    await fileOf(await gatewayBehindProxy.fetch(`/alerts/export${new URL(url).search}`));
    await fileOf(await gatewayBehindProxy.fetch(`/alerts/export?${period}`, { as: key }));
  });

  it.each([0, 1, 500, 999])(
    "is valid for five minutes, until its expiresAt, if created %i milliseconds after a full second",
    async (milliseconds) => {
      clock = new Date(Math.floor(start.getTime() / 1000) * 1000 + milliseconds);
      const created = await linkTo(gateway, creator.as, november);
      expect(Date.parse(created.expiresAt) - clock.getTime()).toBeGreaterThan(4.98 * minute);
      expect(Date.parse(created.expiresAt) - clock.getTime()).toBeLessThanOrEqual(5 * minute);
      clock = new Date(Date.parse(created.expiresAt) - 1);
      await fileOf(await open(created));
      clock = new Date(Date.parse(created.expiresAt));
      await expectNoLink(await open(created));
      clock = new Date(start.getTime() + 365 * 24 * 60 * minute);
      await expectNoLink(await open(created));
    },
  );

  const flipped = (text: string, index: number) =>
    text.slice(0, index) + (text[index] === "A" ? "B" : "A") + text.slice(index + 1);
  const signed = (
    secret: string,
    change: (of: SignJWT) => SignJWT = (of) => of,
    payload: object = { value: "q1YqS8wpTQUA" },
  ) =>
    change(
      new SignJWT({ ...payload })
        .setProtectedHeader({ alg: "HS256" })
        .setAudience("alerts/export")
        .setExpirationTime("5m"),
    ).sign(Buffer.from(secret));
  const forgeries: [string, () => Promise<string> | string][] = [
    ["empty", () => ""],
    ["not a ticket", () => "x"],
    ["only dots", () => ".."],
    ["another header", () => flipped(ticket, 5)],
    ["other content", () => flipped(ticket, ticket.indexOf(".") + 20)],
    ["another signature", () => flipped(ticket, ticket.length - 10)],
    ["no signature", () => ticket.slice(0, ticket.lastIndexOf(".") + 1)],
    ["a truncated signature", () => ticket.slice(0, -4)],
    ["extra characters", () => `${ticket}A`],
    [
      "the content of one ticket and the signature of another",
      async () => {
        const otherTicket = new URL(
          (await linkTo(gateway, { user: "exports|other" }, november)).url,
        ).searchParams.get("ticket") as string;
        return [...otherTicket.split(".").slice(0, 2), ticket.split(".")[2]].join(".");
      },
    ],
    [
      "no algorithm",
      () => {
        const [, content] = ticket.split(".");
        return `${Buffer.from('{"alg":"none"}').toString("base64url")}.${content}.`;
      },
    ],
    ["a user's token", () => signed(testSecrets.AUTH_JWT_SECRET, (of) => of.setSubject(creator.as.user))],
    [
      "its own content, signed as a user's token",
      () => {
        const content = JSON.parse(Buffer.from(ticket.split(".")[1] as string, "base64url").toString());
        return signed(testSecrets.AUTH_JWT_SECRET, undefined, content);
      },
    ],
    ["a ticket for another purpose", () => signed(testSecrets.LINK_SECRET, (of) => of.setAudience("files"))],
    [
      "a ticket without a purpose",
      async () =>
        new SignJWT({ value: "" })
          .setProtectedHeader({ alg: "HS256" })
          .setExpirationTime("5m")
          .sign(Buffer.from(testSecrets.LINK_SECRET)),
    ],
    [
      "the signature of a link to a picture",
      async () => {
        await gateway.prisma.alert.updateMany({
          where: { id: facilityA.alertIds[0] as string },
          data: { url: "alerts/export" },
        });
        const { alert } = await gateway.data<{ alert: { url: string } }>(
          `{ alert(id: "${facilityA.alertIds[0]}") { url } }`,
          { as: creator.as },
        );
        return new URL(alert.url).searchParams.get("signature") as string;
      },
    ],
  ];
  it.each(forgeries)("rejects a forged ticket: %s", async (_what, forge) => {
    gateway.clearStatements();
    const forged = await forge();
    gateway.clearStatements();
    await expectNoLink(await openTicket(forged));
    expect(gateway.statements).toEqual([]);
  });

  it("requires credentials if the ticket is repeated or only a picture signature is given", async () => {
    for (const query of [
      `ticket=${ticket}&ticket=${ticket}`,
      `ticket[]=${ticket}`,
      "expires=9999999999&signature=x",
    ]) {
      expect((await gateway.fetch(`/alerts/export?${query}`)).status, query.slice(0, 20)).toBe(401);
    }
  });

  it("opens nothing else, and its ticket is not a credential", async () => {
    for (const path of ["/alerts", "/facilities", "/files/alerts/export", "/user"]) {
      const status = path.startsWith("/files") ? 404 : 401;
      expect((await gateway.fetch(`${path}?${period}&ticket=${ticket}`)).status, path).toBe(status);
      for (const authorization of [
        `Bearer ${ticket}`,
        `Basic ${ticket}`,
        `Basic ${Buffer.from(`${ticket}:`).toString("base64")}`,
      ])
        expect((await gateway.fetch(`${path}?${period}`, { as: { authorization } })).status, path).toBe(
          status,
        );
    }
  });

  it.each([
    ["many names", () => Array.from({ length: 1000 }, () => `${randomUUID()}${randomUUID()}`)],
    ["long names that compress well", () => Array.from({ length: 1000 }, () => "字".repeat(200))],
  ])("is not created for a filter that is too long for a link: %s", async (_what, names) => {
    const query = "query ($filter: AlertFilter!) { exportAlerts(filter: $filter) { url } }";
    const { errors } = await gateway.graphql(query, {
      as: creator.as,
      variables: { filter: { ...november, types: names(), severities: names() } },
    });
    expect(
      errors?.map(({ extensions: { code, details } }) => [code, details?.map(({ path }) => path)]),
    ).toEqual([["BAD_REQUEST", ["filter"]]]);
  });

  it("rejects a query that is too long on REST as well, with an error in terms of the request", async () => {
    const types = Array.from({ length: 250 }, () => randomBytes(140).toString("base64url"));
    const response = await gateway.fetch(`/alerts/export?${period}&type=${types.join()}`, { as: creator.as });
    expect({ status: response.status, body: await response.json() }).toMatchObject({
      status: 400,
      body: { details: [{ path: "query" }] },
    });
  });

  it("works with a filter close to the maximum length", async () => {
    const types = [...Array.from({ length: 800 }, () => randomUUID()), "STATIC_DELIMITATION_AREA"];
    const long = await linkTo(gateway, creator.as, { ...november, types });
    expect(long.url.length).toBeGreaterThan(20_000);
    expect(await exportedIds(await fileOf(await open(long)))).toEqual(facilityA.alertIds);
  });
});

describe("the permissions of its creator are checked whenever a link is opened:", () => {
  it("a user who lost the role is rejected", async () => {
    const { id, as } = await newUser({ roles: ["alerts:read"] });
    const link = await linkTo(gateway, as, november);
    await gateway.prisma.user.updateMany({ where: { id }, data: { roles: ["facilities:read"] } });
    const response = await open(link);
    expect({ status: response.status, body: await response.json() }).toMatchObject({
      status: 403,
      body: { code: "FORBIDDEN" },
    });
  });

  it("a user who lost access to one facility gets the alerts of the others", async () => {
    const { id, as } = await newUser({ facilityA: ["alerts:read"], facilityB: ["alerts:read"] });
    const link = await linkTo(gateway, as, november);
    await gateway.prisma.facilityAccess.deleteMany({
      where: { userId: id, facilityId: facilityA.facilityId },
    });
    expect(await exportedIds(await fileOf(await open(link)))).toEqual(facilityB.alertIds);
  });

  it("a user who was granted more gets more", async () => {
    const { id, as } = await newUser({ facilityC: ["alerts:read"] });
    const link = await linkTo(gateway, as, november);
    await grantAccess(gateway.prisma, {
      userId: id,
      facilityId: facilityB.facilityId,
      workspaceId,
      actions: ["alerts:read"],
    });
    expect(await exportedIds(await fileOf(await open(link)))).toEqual([
      ...facilityB.alertIds,
      ...facilityC.alertIds,
    ]);
  });

  it("a removed user gets nothing", async () => {
    const { id, as } = await newUser({ facilityA: ["alerts:read"] });
    const link = await linkTo(gateway, as, november);
    await gateway.prisma.user.deleteMany({ where: { id } });
    await expectNoLink(await open(link));
  });

  const newKey = (expiresAt?: Date) =>
    createApiKey(gateway.prisma, {
      workspaceId,
      permissions: ["alerts:read"],
      facilityIds: [facilityA.facilityId],
      ...(expiresAt && { expiresAt }),
    });

  it("a valid key gets the alerts that it may see", async () => {
    expect(
      await exportedIds(await fileOf(await open(await linkTo(gateway, await newKey(), november)))),
    ).toEqual(facilityA.alertIds);
  });

  it("a key that lost its permission is rejected", async () => {
    const key = await newKey();
    const link = await linkTo(gateway, key, november);
    await gateway.prisma.apiKey.updateMany({
      where: { id: key.id },
      data: { permissions: ["cameras:read"] },
    });
    expect((await open(link)).status).toBe(403);
  });

  it("a revoked key gets nothing", async () => {
    const key = await newKey();
    const link = await linkTo(gateway, key, november);
    await gateway.prisma.apiKey.updateMany({ where: { id: key.id }, data: { revokedAt: clock } });
    await expectNoLink(await open(link));
  });

  it("a key that expired before the link gets nothing", async () => {
    const link = await linkTo(gateway, await newKey(new Date(start.getTime() + minute)), november);
    clock = new Date(start.getTime() + minute - 1);
    await fileOf(await open(link));
    clock = new Date(start.getTime() + minute);
    await expectNoLink(await open(link));
  });

  it("a deleted key gets nothing", async () => {
    const key = await newKey();
    const link = await linkTo(gateway, key, november);
    await gateway.prisma.apiKey.deleteMany({ where: { id: key.id } });
    await expectNoLink(await open(link));
  });

  it("data deleted since then is not exported", async () => {
    const site = await createCompleteFacility(gateway.prisma, {
      workspaceId,
      name: "E",
      alerts: 2,
      newest: "2026-11-20T09:00:00Z",
    });
    const key = await createApiKey(gateway.prisma, {
      workspaceId,
      permissions: ["alerts:read"],
      facilityIds: [site.facilityId],
    });
    const link = await linkTo(gateway, key, november);
    expect(await exportedIds(await fileOf(await open(link)))).toEqual(site.alertIds);
    await gateway.prisma.camera.updateMany({ where: { id: site.cameraId }, data: { removedAt: clock } });
    expect(await exportedIds(await fileOf(await open(link)))).toEqual([]);
  });
});

describe("rate limits", () => {
  async function limited(environment: Record<string, string>) {
    const strict = await gatewayForTest({ seed: "none", environment: { RATE_LIMIT: "on", ...environment } });
    const id = await createWorkspace(strict.prisma, {});
    const key = await createApiKey(strict.prisma, { workspaceId: id, permissions: ["alerts:read"] });
    return { strict, key };
  }

  it("count an invalid ticket against the address, with or without credentials, and one of a revoked key", async () => {
    const { strict, key } = await limited({ RATE_LIMIT_ADDRESS: "3" });
    const { url } = await linkTo(strict, key, november);
    await strict.prisma.apiKey.updateMany({ where: { id: key.id }, data: { revokedAt: new Date() } });
    const targets: [string, Sender][] = [
      ["/alerts/export?ticket=x", "nobody"],
      [pathOf(url), "nobody"],
      ["/alerts/export?ticket=", key],
    ];
    for (const [target, as] of targets) expect((await strict.fetch(target, { as })).status).toBe(404);
    for (const [target, as] of targets) {
      const refused = await strict.fetch(target, { as });
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    }
  });

  it("count a valid ticket against its creator, not against the address", async () => {
    const { strict, key } = await limited({ RATE_LIMIT_CALLER: "3", RATE_LIMIT_ADDRESS: "1" });
    const { url } = await linkTo(strict, key, november);
    for (let attempt = 0; attempt < 2; attempt += 1) await fileOf(await strict.fetch(pathOf(url)));
    expect((await strict.fetch(pathOf(url))).status).toBe(429);
    expect((await strict.fetch("/facilities")).status).toBe(401);
  });
});
