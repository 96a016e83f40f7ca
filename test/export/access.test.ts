// Runs once: both kinds of databases run the same statements.

import { randomBytes, randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import { permissions } from "../../src/engine/access/permissions.js";
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
import { gatewayForTest, type Sender, sharedWorkspace } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
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

let clock: Date = start;
const { gateway, prisma, workspaceId } = await sharedWorkspace({ now: () => clock });
const otherWorkspaceId = await createWorkspace(prisma);
/** Three facilities of one workspace, and one of another tenant. */
const facilityA = await createCompleteFacility(prisma, {
  workspaceId,
  name: "A",
  alerts: 3,
  newest: "2026-11-20T12:00:00Z",
});
const facilityB = await createCompleteFacility(prisma, {
  workspaceId,
  name: "B",
  alerts: 2,
  newest: "2026-11-20T11:00:00Z",
});
const facilityC = await createCompleteFacility(prisma, {
  workspaceId,
  name: "C",
  alerts: 2,
  newest: "2026-11-20T10:00:00Z",
});
const otherTenant = await createCompleteFacility(prisma, {
  workspaceId: otherWorkspaceId,
  name: "D",
  alerts: 4,
  newest: "2026-11-20T12:30:00Z",
});
const site = { workspaceId, facilityId: facilityA.facilityId };
const cameraId = await createCamera(prisma, { ...site, removedAt: start });
/** A deleted camera of facility A, and its alerts. */
const removed = {
  cameraId,
  alertIds: await createAlerts(prisma, [{ ...site, cameraId }], new Date("2026-11-20T12:15:00Z")),
};
await createUser(prisma, {
  workspaceId: otherWorkspaceId,
  authId: "exports|other",
  roles: [...permissions],
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
  const id = await createUser(prisma, { workspaceId, authId, roles });
  for (const [name, actions] of Object.entries(accesses)) {
    const { facilityId } = { facilityA, facilityB, facilityC }[name] as CompleteFacility;
    await grantAccess(prisma, { userId: id, facilityId, workspaceId, actions: actions as never });
  }
  return { id, as: { user: authId } };
}

const open = (link: Pick<ExportLink, "url">, as: Sender = "nobody") =>
  gateway.fetch(pathOf(link.url), { as });

const exportApis: [string, (as: Sender) => Promise<Response>, ExportFormat][] = [
  ["GET /alerts/export", (as) => gateway.fetch(`/alerts/export?${period}`, { as }), "XLSX"],
  ["the link of exportAlerts", async (as) => open(await linkTo(gateway, as, november, "NDJSON")), "NDJSON"],
];

it.each(exportApis)(
  "by %s, a user with alerts:read at some facilities gets the alerts of these, not of other visible ones or deleted cameras",
  async (_name, exported, format) => {
    const { as } = await newUser({
      facilityA: ["alerts:read"],
      facilityB: ["facilities:read", "cameras:write"],
      facilityC: ["alerts:read", "alerts:write"],
    });
    const ids = await idsByFormat[format](await fileOf(await exported(as)));
    expect(ids).toEqual([...facilityA.alertIds, ...facilityC.alertIds]);
  },
);

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

  it.each<[string, () => Promise<Sender> | Sender]>([
    ["invalid ones", () => ({ authorization: "Bearer garbage" })],
    ["those of another tenant", () => ({ user: "exports|other" })],
  ])("has the permissions of its creator, whatever credentials are sent: %s", async (_which, sender) => {
    expect(await exportedIds(await fileOf(await open(link, await sender())))).toEqual(facilityA.alertIds);
  });

  it.each([0, 999])(
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
  const signed = (secret: string, change: (of: SignJWT) => SignJWT) =>
    change(
      new SignJWT({ value: "q1YqS8wpTQUA" })
        .setProtectedHeader({ alg: "HS256" })
        .setAudience("alerts/export")
        .setExpirationTime("5m"),
    ).sign(Buffer.from(secret));
  const forgeries: [string, () => Promise<string> | string][] = [
    ["empty", () => ""],
    ["other content", () => flipped(ticket, ticket.indexOf(".") + 20)],
    ["another signature", () => flipped(ticket, ticket.length - 10)],
    ["no signature", () => ticket.slice(0, ticket.lastIndexOf(".") + 1)],
    [
      "no algorithm",
      () => {
        const [, content] = ticket.split(".");
        return `${Buffer.from('{"alg":"none"}').toString("base64url")}.${content}.`;
      },
    ],
    ["a user's token", () => signed(testSecrets.AUTH_JWT_SECRET, (of) => of.setSubject(creator.as.user))],
    ["a ticket for another purpose", () => signed(testSecrets.LINK_SECRET, (of) => of.setAudience("files"))],
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

  it("is not created for a filter that is too long for a link", async () => {
    const names = () => listOf(1000, () => `${randomUUID()}${randomUUID()}`);
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
    const types = listOf(250, () => randomBytes(140).toString("base64url"));
    const response = await gateway.fetch(`/alerts/export?${period}&type=${types.join()}`, { as: creator.as });
    expect({ status: response.status, body: await response.json() }).toMatchObject({
      status: 400,
      body: { details: [{ path: "query" }] },
    });
  });

  it("works with a filter close to the maximum length", async () => {
    const types = [...listOf(800, () => randomUUID()), "STATIC_DELIMITATION_AREA"];
    const long = await linkTo(gateway, creator.as, { ...november, types });
    expect(long.url.length).toBeGreaterThan(20_000);
    expect(await exportedIds(await fileOf(await open(long)))).toEqual(facilityA.alertIds);
  });
});

describe("the permissions of its creator are checked whenever a link is opened:", () => {
  it("a user who lost the role is rejected", async () => {
    const { id, as } = await newUser({ roles: ["alerts:read"] });
    const link = await linkTo(gateway, as, november);
    await prisma.user.updateMany({ where: { id }, data: { roles: ["facilities:read"] } });
    const response = await open(link);
    expect({ status: response.status, body: await response.json() }).toMatchObject({
      status: 403,
      body: { code: "FORBIDDEN" },
    });
  });

  it("a user who lost access to one facility gets the alerts of the others", async () => {
    const { id, as } = await newUser({ facilityA: ["alerts:read"], facilityB: ["alerts:read"] });
    const link = await linkTo(gateway, as, november);
    await prisma.facilityAccess.deleteMany({
      where: { userId: id, facilityId: facilityA.facilityId },
    });
    expect(await exportedIds(await fileOf(await open(link)))).toEqual(facilityB.alertIds);
  });

  it("a removed user gets nothing", async () => {
    const { id, as } = await newUser({ facilityA: ["alerts:read"] });
    const link = await linkTo(gateway, as, november);
    await prisma.user.deleteMany({ where: { id } });
    await expectNoLink(await open(link));
  });

  const newKey = (expiresAt?: Date) =>
    createApiKey(prisma, {
      workspaceId,
      permissions: ["alerts:read"],
      facilityIds: [facilityA.facilityId],
      ...(expiresAt && { expiresAt }),
    });

  it("a key that expired before the link gets nothing", async () => {
    const link = await linkTo(gateway, await newKey(new Date(start.getTime() + minute)), november);
    clock = new Date(start.getTime() + minute - 1);
    await fileOf(await open(link));
    clock = new Date(start.getTime() + minute);
    await expectNoLink(await open(link));
  });
});

describe("rate limits", () => {
  async function limited(environment: Record<string, string>) {
    const strict = await gatewayForTest({ environment: { RATE_LIMIT: "on", ...environment } });
    const id = await createWorkspace(strict.prisma);
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
