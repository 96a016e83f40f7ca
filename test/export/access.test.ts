import { randomBytes, randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { permissions } from "../../src/access/permissions.js";
import { allTime, createSite, type Site } from "../access/fleet.js";
import { testSecrets } from "../support/environment.js";
import { createAlerts, createApiKey, createCamera, createUser, createWorkspace, grantAccess } from "../support/factories.js";
import { type Gateway, gatewayForTest, type Sender, startGateway } from "../support/harness.js";
import { type ExportLink, exportedIds, fileOf, linkTo, pathOf } from "./exports.js";

const start = new Date();
const minute = 60_000;
const november = { start: "2026-11-01T00:00:00.000Z", end: "2026-12-01T00:00:00.000Z" };
const period = `start=${Date.parse(november.start)}&end=${Date.parse(november.end)}`;

let gateway: Gateway;
let clock: Date;
let workspaceId: string;
/** Three facilities of one workspace, and one of another. */
let near: Site;
let far: Site;
let third: Site;
let other: Site;
/** Alerts of a camera of the first that was deleted. */
let removed: { cameraId: string; alertIds: string[] };

beforeAll(async () => {
  clock = start;
  gateway = await startGateway({ seed: "none", now: () => clock });
  const { prisma } = gateway;
  workspaceId = await createWorkspace(prisma, {});
  const otherWorkspaceId = await createWorkspace(prisma, {});
  near = await createSite(prisma, { workspaceId, name: "A", alerts: 3, newest: "2026-11-20T12:00:00Z" });
  far = await createSite(prisma, { workspaceId, name: "B", alerts: 2, newest: "2026-11-20T11:00:00Z" });
  third = await createSite(prisma, { workspaceId, name: "C", alerts: 2, newest: "2026-11-20T10:00:00Z" });
  other = await createSite(prisma, { workspaceId: otherWorkspaceId, name: "D", alerts: 4, newest: "2026-11-20T12:30:00Z" });
  const place = { workspaceId, facilityId: near.facilityId };
  const cameraId = await createCamera(prisma, { ...place, removedAt: start });
  removed = { cameraId, alertIds: await createAlerts(prisma, [{ ...place, cameraId }], new Date("2026-11-20T12:15:00Z")) };
  await createUser(prisma, { workspaceId: otherWorkspaceId, authId: "other|admin", roles: [...permissions] });
});
beforeEach(() => {
  clock = start;
});
afterAll(() => gateway.close());

interface User {
  id: string;
  as: { user: string };
}

/** A user of the workspace with roles and accesses. */
async function newUser({ roles = [], ...accesses }: { roles?: string[]; near?: string[]; far?: string[]; third?: string[] }): Promise<User> {
  const authId = `test|${randomUUID()}`;
  const id = await createUser(gateway.prisma, { workspaceId, authId, roles });
  for (const [name, actions] of Object.entries(accesses)) {
    const { facilityId } = { near, far, third }[name] as Site;
    await grantAccess(gateway.prisma, { userId: id, facilityId, workspaceId, actions: actions as never });
  }
  return { id, as: { user: authId } };
}

const open = (link: Pick<ExportLink, "url">, as: Sender = "nobody") => gateway.fetch(pathOf(link.url), { as });

/** Both doors: what is answered to who asks for an export, by the query of REST and the filter of GraphQL. */
const doors: [string, (as: Sender, filter?: Record<string, string>) => Promise<Response>][] = [
  ["GET /alerts/export", (as, filter = {}) => gateway.fetch(`/alerts/export?${period}&${new URLSearchParams(filter)}`, { as })],
  [
    "the link of exportAlerts",
    async (as, { cameraId, ...filter } = {}) =>
      open(await linkTo(gateway, as, { ...november, ...filter, ...(cameraId && { cameraIds: [cameraId] }) })),
  ],
];

describe.each(doors)("by %s", (_door, exported) => {
  const idsFor = async (...of: Parameters<typeof exported>) => exportedIds(await fileOf(await exported(...of)));
  const alertsOf = (...sites: Site[]) => sites.flatMap(({ alertIds }) => alertIds);

  it("who holds alerts:read in the workspace gets the alerts of all its facilities and of no other, without those of deleted cameras", async () => {
    const { as } = await newUser({ roles: ["alerts:read"] });
    expect(await idsFor(as)).toEqual(alertsOf(near, far, third));
  });

  it("who holds it at some facilities gets those of these, and not of those that are only seen", async () => {
    const { as } = await newUser({ near: ["alerts:read"], far: ["facilities:read", "cameras:write"], third: ["alerts:read", "alerts:write"] });
    expect(await idsFor(as)).toEqual(alertsOf(near, third));
  });

  it("who holds other things in the workspace and it at one facility gets those of that", async () => {
    const { as } = await newUser({ roles: permissions.filter((each) => each !== "alerts:read"), far: ["alerts:read"] });
    expect(await idsFor(as)).toEqual(alertsOf(far));
  });

  it("who holds it in the workspace and other things at a facility gets those of all", async () => {
    const { as } = await newUser({ roles: ["alerts:read"], far: ["facilities:read"] });
    expect(await idsFor(as)).toEqual(alertsOf(near, far, third));
  });

  it("an API key gets those of its facilities", async () => {
    expect(await idsFor(await createApiKey(gateway.prisma, { workspaceId, permissions: ["alerts:read"] }))).toEqual(alertsOf(near, far, third));
    const facilityIds = [far.facilityId, other.facilityId];
    expect(await idsFor(await createApiKey(gateway.prisma, { workspaceId, permissions: ["alerts:read"], facilityIds }))).toEqual(alertsOf(far));
  });

  it("the admin of another workspace gets the alerts of that one", async () => {
    expect(await idsFor({ user: "other|admin" })).toEqual(other.alertIds);
  });

  it("a filter by what is not there for the caller finds nothing, like one by what never was", async () => {
    const { as } = await newUser({ near: ["alerts:read"], far: ["facilities:read"] });
    const idsOf = ({ facilityId, cameraId, areaId }: Site): Record<string, string>[] => [{ facilityId }, { cameraId }, { areaId }];
    const filters = [
      ...[other, far, third].flatMap(idsOf),
      { facilityId: randomUUID() },
      { cameraId: removed.cameraId },
      { facilityId: near.facilityId, cameraId: far.cameraId },
    ];
    for (const filter of filters) expect(await idsFor(as, filter), JSON.stringify(filter)).toEqual([]);
    for (const filter of idsOf(near)) expect(await idsFor(as, filter), JSON.stringify(filter)).toEqual(near.alertIds);
  });
});

describe("a caller who holds alerts:read nowhere is refused, whatever they see:", () => {
  const senders: [string, () => Promise<Sender>][] = [
    ["who sees a facility", async () => (await newUser({ near: ["facilities:read", "alerts:write", "alerts:delete"] })).as],
    ["who holds everything else", async () => (await newUser({ roles: permissions.filter((each) => each !== "alerts:read") })).as],
    ["who holds nothing", async () => (await newUser({ near: [] })).as],
    ["an API key of other things", () => createApiKey(gateway.prisma, { workspaceId, permissions: ["facilities:read", "cameras:read"] })],
    ["an API key of no facility", () => createApiKey(gateway.prisma, { workspaceId, permissions: ["alerts:read"], facilityIds: [] })],
  ];
  it.each(senders)("%s", async (_who, sender) => {
    const as = await sender();
    for (const filter of ["", `facilityId=${near.facilityId}`, `facilityId=${randomUUID()}`]) {
      const response = await gateway.fetch(`/alerts/export?${period}&${filter}`, { as });
      expect({ status: response.status, body: await response.json() }).toEqual({
        status: 403,
        body: { status: "error", code: "FORBIDDEN", message: expect.stringContaining("alerts:read") },
      });
      expect(response.headers.get("content-disposition")).toBeNull();
    }
    const { data, errors } = await gateway.graphql(`{ exportAlerts(filter: ${allTime()}) { url } }`, { as });
    expect({ data, codes: errors?.map(({ extensions }) => extensions.code) }).toEqual({ data: null, codes: ["FORBIDDEN"] });
  });
});

it("nobody is answered 401 without credentials and without a ticket", async () => {
  expect((await gateway.fetch(`/alerts/export?${period}`)).status).toBe(401);
  expect((await gateway.graphql(`{ exportAlerts(filter: ${allTime()}) { url } }`)).errors?.map(({ extensions }) => extensions.code)).toEqual([
    "UNAUTHENTICATED",
  ]);
});

/** The one answer for all tickets that are not good. */
async function expectNoLink(response: Response): Promise<void> {
  expect({ status: response.status, body: await response.json(), disposition: response.headers.get("content-disposition") }).toEqual({
    status: 404,
    body: { status: "error", code: "NOT_FOUND", message: "This link is not good, or no longer" },
    disposition: null,
  });
}

describe("a link to an export", () => {
  let maker: User;
  let link: ExportLink;
  let ticket: string;
  beforeAll(async () => {
    maker = await newUser({ near: ["alerts:read"] });
    link = await linkTo(gateway, maker.as, november);
    ticket = new URL(link.url).searchParams.get("ticket") as string;
  });
  const openTicket = (given: string) => gateway.fetch(`/alerts/export?ticket=${encodeURIComponent(given)}`);

  it("opens without credentials, more than once, and nobody keeps what it opens", async () => {
    for (let time = 0; time < 2; time += 1) {
      const response = await open(link);
      expect([response.headers.get("cache-control"), response.headers.get("etag")]).toEqual(["private, no-store", null]);
      expect(await exportedIds(await fileOf(response))).toEqual(near.alertIds);
    }
  });

  it("answers HEAD too, and reads no alert for it", async () => {
    gateway.clearStatements();
    const response = await gateway.fetch(pathOf(link.url), { method: "HEAD" });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-disposition")).toMatch(/^attachment; filename="[\w.-]+\.xlsx"$/);
    expect(gateway.statements.filter((sql) => sql.includes('"Alert"'))).toEqual([]);
  });

  it.each<[string, () => Promise<Sender> | Sender]>([
    ["bad ones", () => ({ authorization: "Bearer garbage" })],
    ["no form of any", () => ({ authorization: "x" })],
    ["those of another workspace", () => ({ user: "other|admin" })],
    ["those of who may see more", async () => (await newUser({ roles: ["alerts:read"] })).as],
    ["those of who may see nothing", async () => (await newUser({})).as],
  ])("opens for its maker, whatever credentials come with it: %s", async (_which, sender) => {
    expect(await exportedIds(await fileOf(await open(link, await sender())))).toEqual(near.alertIds);
  });

  it("means what it was made for, whatever else the address says", async () => {
    const more = `&start=x&end=0&facilityId=${other.facilityId}&type=NOTHING&unknown=1`;
    expect(await exportedIds(await fileOf(await gateway.fetch(`${pathOf(link.url)}${more}`)))).toEqual(near.alertIds);
  });

  it("begins with PUBLIC_URL", async () => {
    const away = await gatewayForTest({ seed: "none", environment: { PUBLIC_URL: "https://cameras.example/base" } });
    const awayId = await createWorkspace(away.prisma, {});
    const key = await createApiKey(away.prisma, { workspaceId: awayId, permissions: ["alerts:read"] });
    const { url } = await linkTo(away, key, november);
    expect(url).toMatch(/^https:\/\/cameras\.example\/base\/alerts\/export\?ticket=[\w.-]+$/);
    await fileOf(await away.fetch(`/alerts/export${new URL(url).search}`));
    await fileOf(await away.fetch(`/alerts/export?${period}`, { as: key }));
  });

  it.each([0, 1, 500, 999])("opens for the five minutes that it names, made %i milliseconds after a second", async (milliseconds) => {
    clock = new Date(Math.floor(start.getTime() / 1000) * 1000 + milliseconds);
    const made = await linkTo(gateway, maker.as, november);
    expect(Date.parse(made.expiresAt) - clock.getTime()).toBeGreaterThan(4.98 * minute);
    expect(Date.parse(made.expiresAt) - clock.getTime()).toBeLessThanOrEqual(5 * minute);
    clock = new Date(Date.parse(made.expiresAt) - 1);
    await fileOf(await open(made));
    clock = new Date(Date.parse(made.expiresAt));
    await expectNoLink(await open(made));
    clock = new Date(start.getTime() + 365 * 24 * 60 * minute);
    await expectNoLink(await open(made));
  });

  const flipped = (text: string, index: number) => text.slice(0, index) + (text[index] === "A" ? "B" : "A") + text.slice(index + 1);
  const signed = (secret: string, change: (of: SignJWT) => SignJWT = (of) => of, payload: object = { value: "q1YqS8wpTQUA" }) =>
    change(new SignJWT({ ...payload }).setProtectedHeader({ alg: "HS256" }).setAudience("alerts/export").setExpirationTime("5m")).sign(
      Buffer.from(secret),
    );
  const forgeries: [string, () => Promise<string> | string][] = [
    ["empty", () => ""],
    ["no ticket", () => "x"],
    ["dots alone", () => ".."],
    ["another header", () => flipped(ticket, 5)],
    ["other content", () => flipped(ticket, ticket.indexOf(".") + 20)],
    ["another signature", () => flipped(ticket, ticket.length - 10)],
    ["no signature", () => ticket.slice(0, ticket.lastIndexOf(".") + 1)],
    ["a signature that is cut off", () => ticket.slice(0, -4)],
    ["something behind it", () => `${ticket}A`],
    [
      "the content of one and the signature of another",
      async () => {
        const theirs = new URL((await linkTo(gateway, { user: "other|admin" }, november)).url).searchParams.get("ticket") as string;
        return [...theirs.split(".").slice(0, 2), ticket.split(".")[2]].join(".");
      },
    ],
    [
      "no algorithm",
      () => {
        const [, content] = ticket.split(".");
        return `${Buffer.from('{"alg":"none"}').toString("base64url")}.${content}.`;
      },
    ],
    ["a token of a user", () => signed(testSecrets.AUTH_JWT_SECRET, (of) => of.setSubject(maker.as.user))],
    [
      "its own content, signed as a token of a user",
      () => {
        const content = JSON.parse(Buffer.from(ticket.split(".")[1] as string, "base64url").toString());
        return signed(testSecrets.AUTH_JWT_SECRET, undefined, content);
      },
    ],
    ["a ticket for something else", () => signed(testSecrets.LINK_SECRET, (of) => of.setAudience("files"))],
    [
      "a ticket for nothing in particular",
      async () => new SignJWT({ value: "" }).setProtectedHeader({ alg: "HS256" }).setExpirationTime("5m").sign(Buffer.from(testSecrets.LINK_SECRET)),
    ],
    [
      "the signature of a link to a picture",
      async () => {
        await gateway.prisma.alert.updateMany({ where: { id: near.alertIds[0] as string }, data: { url: "alerts/export" } });
        const { alert } = await gateway.data<{ alert: { url: string } }>(`{ alert(id: "${near.alertIds[0]}") { url } }`, { as: maker.as });
        return new URL(alert.url).searchParams.get("signature") as string;
      },
    ],
  ];
  it.each(forgeries)("does not open with a ticket that is not its own: %s", async (_what, forge) => {
    gateway.clearStatements();
    const forged = await forge();
    gateway.clearStatements();
    await expectNoLink(await openTicket(forged));
    expect(gateway.statements).toEqual([]);
  });

  it("needs credentials when it comes twice, or with the signature of a picture alone", async () => {
    for (const query of [`ticket=${ticket}&ticket=${ticket}`, `ticket[]=${ticket}`, "expires=9999999999&signature=x"]) {
      expect((await gateway.fetch(`/alerts/export?${query}`)).status, query.slice(0, 20)).toBe(401);
    }
  });

  it("does not open anything else, nor does its ticket prove who somebody is", async () => {
    for (const path of ["/alerts", "/facilities", "/files/alerts/export", "/user"]) {
      const status = path.startsWith("/files") ? 404 : 401;
      expect((await gateway.fetch(`${path}?${period}&ticket=${ticket}`)).status, path).toBe(status);
      for (const authorization of [`Bearer ${ticket}`, `Basic ${ticket}`, `Basic ${Buffer.from(`${ticket}:`).toString("base64")}`])
        expect((await gateway.fetch(`${path}?${period}`, { as: { authorization } })).status, path).toBe(status);
    }
  });

  it.each([
    ["many types", () => Array.from({ length: 1000 }, () => `${randomUUID()}${randomUUID()}`)],
    ["one endless type that packs well", () => ["a".repeat(1_200_000)]],
  ])("is not made for more than a link can carry: %s", async (_what, types) => {
    const query = "query ($filter: AlertFilter!) { exportAlerts(filter: $filter) { url } }";
    const { errors } = await gateway.graphql(query, { as: maker.as, variables: { filter: { ...november, types: types() } } });
    expect(errors?.map(({ extensions: { code, details } }) => [code, details?.map(({ path }) => path)])).toEqual([["BAD_REQUEST", ["filter"]]]);
  });

  it("is not made by REST for more than that either, which is said in words of the request", async () => {
    const type = randomBytes(36_000).toString("base64url");
    const response = await gateway.fetch(`/alerts/export?${period}&type=${type}`, { as: maker.as });
    expect({ status: response.status, body: await response.json() }).toMatchObject({ status: 400, body: { details: [{ path: "query" }] } });
  });

  it("opens when it carries nearly as much as a link can", async () => {
    const types = [...Array.from({ length: 800 }, () => randomUUID()), "STATIC_DELIMITATION_AREA"];
    const long = await linkTo(gateway, maker.as, { ...november, types });
    expect(long.url.length).toBeGreaterThan(20_000);
    expect(await exportedIds(await fileOf(await open(long)))).toEqual(near.alertIds);
  });
});

describe("when a link is opened it is found out anew what its maker may do:", () => {
  it("who lost the role is refused", async () => {
    const { id, as } = await newUser({ roles: ["alerts:read"] });
    const link = await linkTo(gateway, as, november);
    await gateway.prisma.user.update({ where: { id }, data: { roles: ["facilities:read"] } });
    const response = await open(link);
    expect({ status: response.status, body: await response.json() }).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
  });

  it("who lost the access at one facility gets the alerts of the others", async () => {
    const { id, as } = await newUser({ near: ["alerts:read"], far: ["alerts:read"] });
    const link = await linkTo(gateway, as, november);
    await gateway.prisma.facilityAccess.delete({ where: { userId_facilityId: { userId: id, facilityId: near.facilityId } } });
    expect(await exportedIds(await fileOf(await open(link)))).toEqual(far.alertIds);
  });

  it("who was given more gets more", async () => {
    const { id, as } = await newUser({ third: ["alerts:read"] });
    const link = await linkTo(gateway, as, november);
    await grantAccess(gateway.prisma, { userId: id, facilityId: far.facilityId, workspaceId, actions: ["alerts:read"] });
    expect(await exportedIds(await fileOf(await open(link)))).toEqual([...far.alertIds, ...third.alertIds]);
  });

  it("who is gone opens nothing", async () => {
    const { id, as } = await newUser({ near: ["alerts:read"] });
    const link = await linkTo(gateway, as, november);
    await gateway.prisma.user.delete({ where: { id } });
    await expectNoLink(await open(link));
  });

  const newKey = (expiresAt?: Date) =>
    createApiKey(gateway.prisma, { workspaceId, permissions: ["alerts:read"], facilityIds: [near.facilityId], ...(expiresAt && { expiresAt }) });

  it("a key that is in force opens what it may see", async () => {
    expect(await exportedIds(await fileOf(await open(await linkTo(gateway, await newKey(), november))))).toEqual(near.alertIds);
  });

  it("a key that lost its permission is refused", async () => {
    const key = await newKey();
    const link = await linkTo(gateway, key, november);
    await gateway.prisma.apiKey.update({ where: { id: key.id }, data: { permissions: ["cameras:read"] } });
    expect((await open(link)).status).toBe(403);
  });

  it("a key that was revoked opens nothing", async () => {
    const key = await newKey();
    const link = await linkTo(gateway, key, november);
    await gateway.prisma.apiKey.update({ where: { id: key.id }, data: { revokedAt: clock } });
    await expectNoLink(await open(link));
  });

  it("a key that expired before the link opens nothing", async () => {
    const link = await linkTo(gateway, await newKey(new Date(start.getTime() + minute)), november);
    clock = new Date(start.getTime() + minute - 1);
    await fileOf(await open(link));
    clock = new Date(start.getTime() + minute);
    await expectNoLink(await open(link));
  });

  it("a key that was deleted opens nothing", async () => {
    const key = await newKey();
    const link = await linkTo(gateway, key, november);
    await gateway.prisma.apiKey.delete({ where: { id: key.id } });
    await expectNoLink(await open(link));
  });

  it("what was deleted since is out", async () => {
    const site = await createSite(gateway.prisma, { workspaceId, name: "E", alerts: 2, newest: "2026-11-20T09:00:00Z" });
    const key = await createApiKey(gateway.prisma, { workspaceId, permissions: ["alerts:read"], facilityIds: [site.facilityId] });
    const link = await linkTo(gateway, key, november);
    expect(await exportedIds(await fileOf(await open(link)))).toEqual(site.alertIds);
    await gateway.prisma.camera.update({ where: { id: site.cameraId }, data: { removedAt: clock } });
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

  it("count a bad ticket against its address, with credentials or without, and one whose maker is gone", async () => {
    const { strict, key } = await limited({ RATE_LIMIT_ADDRESS: "3" });
    const { url } = await linkTo(strict, key, november);
    await strict.prisma.apiKey.update({ where: { id: key.id }, data: { revokedAt: new Date() } });
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

  it("count a good ticket against its maker, and not against the address", async () => {
    const { strict, key } = await limited({ RATE_LIMIT_CALLER: "3", RATE_LIMIT_ADDRESS: "1" });
    const { url } = await linkTo(strict, key, november);
    for (let time = 0; time < 2; time += 1) await fileOf(await strict.fetch(pathOf(url)));
    expect((await strict.fetch(pathOf(url))).status).toBe(429);
    expect((await strict.fetch("/facilities")).status).toBe(401);
  });
});
