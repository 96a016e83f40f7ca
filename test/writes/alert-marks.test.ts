import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Permission, permissions } from "../../src/access/permissions.js";
import type { Prisma } from "../../src/generated/prisma/client.js";
import { createAlerts, createApiKey, createCamera, createFacility, createWorkspace } from "../support/factories.js";
import type { Gateway } from "../support/harness.js";
import { TestSite } from "../support/test-site.js";
import { type Call, createTestUser, refusal, run, type TestUser, unknownId } from "../support/test-user.js";

type CameraLocation = { workspaceId: string; facilityId: string; cameraId: string };

const start = new Date(Math.floor(Date.now() / 1000) * 1000);
const at = (seconds: number) => new Date(start.getTime() + seconds * 1000);

let testSite: TestSite;
let gateway: Gateway;
let clock = start;
let here: CameraLocation;
let there: CameraLocation;
let elsewhere: CameraLocation;
let admin: TestUser;
let otherTenant: TestUser;
beforeAll(async () => {
  testSite = await TestSite.open();
  gateway = await testSite.start({ now: () => clock });
  const { prisma } = gateway;
  const newLocation = async (workspaceId: string): Promise<CameraLocation> => {
    const facilityId = await createFacility(prisma, { workspaceId });
    return { workspaceId, facilityId, cameraId: await createCamera(prisma, { workspaceId, facilityId }) };
  };
  const workspaceId = await createWorkspace(prisma, {});
  here = await newLocation(workspaceId);
  there = await newLocation(workspaceId);
  elsewhere = await newLocation(await createWorkspace(prisma, {}));
  admin = await createTestUser(prisma, { workspaceId, roles: permissions });
  otherTenant = await createTestUser(prisma, { workspaceId: elsewhere.workspaceId, roles: permissions });
});
afterAll(async () => {
  await gateway.close();
  await testSite.remove();
});

const newAlert = async (location = here, values: Partial<Prisma.AlertUncheckedCreateInput> = {}) =>
  (await createAlerts(gateway.prisma, [{ ...location, ...values }]))[0] as string;
const stored = (id: string, { workspaceId } = here) => gateway.prisma.alert.findUnique({ where: { workspaceId_id: { workspaceId, id } } });
const newUser = (actions: readonly Permission[], locations = [here]) =>
  createTestUser(gateway.prisma, {
    workspaceId: here.workspaceId,
    at: Object.fromEntries(locations.map((location) => [location.facilityId, [...actions]])),
  });
const remove = (...ids: string[]): Call => ["mutation ($ids: [UUID!]!) { deleteAlerts(ids: $ids) { deletedIds } }", { ids }];

describe.each([
  { mutation: "setAlertBookmark", mark: "bookmark", other: "falsePositive" },
  { mutation: "setAlertFalsePositive", mark: "falsePositive", other: "bookmark" },
] as const)("$mutation", ({ mutation, mark, other }) => {
  const fields = `id createdAt name bookmark bookmarkChangedById bookmarkChangedAt falsePositive falsePositiveChangedById falsePositiveChangedAt`;
  const set = (id: string, value: boolean): Call => [
    `mutation ($id: UUID!, $value: Boolean!) { alert: ${mutation}(id: $id, ${mark}: $value) { ${fields} } }`,
    { id, value },
  ];

  it("stores the mark with who set it and when, and shows it immediately", async () => {
    const id = await newAlert();
    clock = at(10);
    const { alert } = await run<{ alert: object }>(gateway, admin, set(id, true));
    expect(alert).toMatchObject({
      id,
      [mark]: true,
      [`${mark}ChangedById`]: admin.id,
      [`${mark}ChangedAt`]: at(10).toISOString(),
      [other]: false,
      [`${other}ChangedById`]: null,
      [`${other}ChangedAt`]: null,
    });
    expect(await gateway.data(`query ($id: UUID!) { alert(id: $id) { ${fields} } }`, { ...admin, variables: { id } })).toEqual({ alert });
  });

  it("clears the mark and stores who cleared it and when", async () => {
    const id = await newAlert(here, { [mark]: true });
    const caller = await newUser(["alerts:write"]);
    clock = at(20);
    expect(await run(gateway, caller, set(id, false))).toMatchObject({
      alert: { [mark]: false, [`${mark}ChangedById`]: caller.id, [`${mark}ChangedAt`]: at(20).toISOString() },
    });
  });

  it("does nothing when the mark already has that value, and keeps who set it first", async () => {
    const id = await newAlert();
    clock = at(30);
    const first = await run(gateway, admin, set(id, true));
    clock = at(40);
    expect(await run(gateway, await newUser(["alerts:write"]), set(id, true))).toEqual(first);
    const untouched = await newAlert();
    expect(await run(gateway, admin, set(untouched, false))).toMatchObject({ alert: { [mark]: false, [`${mark}ChangedById`]: null } });
  });

  it("records the API key that set it", async () => {
    const key = await createApiKey(gateway.prisma, { workspaceId: here.workspaceId, permissions: ["alerts:write"], facilityIds: [here.facilityId] });
    expect(await run(gateway, { as: key }, set(await newAlert(), true))).toMatchObject({ alert: { [`${mark}ChangedById`]: key.id } });
  });

  it("requires alerts:write at the facility", async () => {
    const id = await newAlert();
    const caller = await newUser(permissions.filter((each) => each !== "alerts:write"));
    expect(await refusal(gateway, caller, set(id, true))).toEqual({
      code: "FORBIDDEN",
      message: "This needs the permission alerts:write at the facility",
    });
    expect(await stored(id)).toMatchObject({ [mark]: false });
  });

  it("treats an alert the caller cannot see exactly like an unknown one", async () => {
    const caller = await newUser(permissions);
    const notFound = await refusal(gateway, caller, set(unknownId, true));
    expect(notFound).toEqual({ code: "NOT_FOUND", message: "Not found" });
    for (const location of [there, elsewhere]) {
      const id = await newAlert(location);
      expect(await refusal(gateway, caller, set(id, true))).toEqual(notFound);
      expect(await stored(id, location)).toMatchObject({ [mark]: false });
    }
  });

  it("does not touch an alert with the same id in another workspace", async () => {
    const id = randomUUID();
    for (const location of [here, elsewhere]) await newAlert(location, { id });
    await run(gateway, admin, set(id, true));
    expect(await stored(id, here)).toMatchObject({ [mark]: true });
    expect(await stored(id, elsewhere)).toMatchObject({ [mark]: false, [`${mark}ChangedById`]: null });
  });

  it("reloads an alert that is marked twice in one document", async () => {
    const variables = { id: await newAlert() };
    const query = `mutation ($id: UUID!) { a: ${mutation}(id: $id, ${mark}: true) { ${mark} } b: ${mutation}(id: $id, ${mark}: false) { ${mark} } }`;
    expect(await gateway.data(query, { ...admin, variables })).toEqual({ a: { [mark]: true }, b: { [mark]: false } });
  });
});

describe("deleteAlerts", () => {
  const visible = (id: string, { as } = admin) =>
    gateway
      .data<{ alert: object | null }>("query ($id: UUID!) { alert(id: $id) { id } }", { as, variables: { id } })
      .then(({ alert }) => alert !== null);

  it("immediately deletes the given alerts, duplicates included, and no others", async () => {
    const [first, second, kept] = [await newAlert(), await newAlert(there), await newAlert()];
    const { deleteAlerts } = await run<{ deleteAlerts: { deletedIds: string[] } }>(gateway, admin, remove(first, second.toUpperCase(), first));
    expect(deleteAlerts.deletedIds.toSorted()).toEqual([first, second].toSorted());
    expect([await visible(first), await visible(second), await visible(kept)]).toEqual([false, false, true]);
  });

  it("deletes 1000 alerts at once", async () => {
    const ids = await createAlerts(gateway.prisma, Array(1000).fill(here));
    await run(gateway, admin, remove(...ids));
    expect(await gateway.prisma.alert.count({ where: { id: { in: ids } } })).toBe(0);
  });

  it.each<[string, () => Promise<string>]>([
    ["does not exist", async () => unknownId],
    ["is not visible to the caller", () => newAlert(there)],
    ["belongs to another workspace", () => newAlert(elsewhere)],
    [
      "was deleted before",
      async () => {
        const id = await newAlert();
        await run(gateway, admin, remove(id));
        return id;
      },
    ],
  ])("deletes nothing when one alert %s", async (_case, other) => {
    const caller = await newUser(permissions);
    const [id, missing] = [await newAlert(), await other()];
    const count = await gateway.prisma.alert.count();
    expect(await refusal(gateway, caller, remove(id, missing))).toEqual({ code: "NOT_FOUND", message: "Not found" });
    expect(await gateway.prisma.alert.count()).toBe(count);
  });

  it("requires alerts:delete at the facility of every alert, or deletes nothing", async () => {
    const others = permissions.filter((each) => each !== "alerts:delete");
    const at = { [here.facilityId]: [...permissions], [there.facilityId]: others };
    const caller = await createTestUser(gateway.prisma, { workspaceId: here.workspaceId, at });
    const [near, far] = [await newAlert(here), await newAlert(there)];
    expect(await refusal(gateway, caller, remove(near, far))).toEqual({
      code: "FORBIDDEN",
      message: "This needs the permission alerts:delete at the facility",
    });
    expect([await visible(near), await visible(far)]).toEqual([true, true]);
    await run(gateway, caller, remove(near));
    expect(await visible(near)).toBe(false);
  });

  it("does not touch an alert with the same id in another workspace", async () => {
    const id = randomUUID();
    for (const location of [here, elsewhere]) await newAlert(location, { id });
    await run(gateway, admin, remove(id));
    expect(await visible(id)).toBe(false);
    expect(await visible(id, otherTenant)).toBe(true);
  });

  it.each<[string, () => string[], string]>([
    ["an empty list", () => [], "ids"],
    ["1001 ids", () => Array.from({ length: 1001 }, () => randomUUID()), "ids"],
    ["an invalid id", () => [unknownId, "1"], "ids.1"],
  ])("rejects %s", async (_what, ids, path) => {
    expect(await refusal(gateway, admin, remove(...ids()))).toMatchObject({ code: "BAD_REQUEST", paths: [path] });
  });

  it("deletes the stored images and keeps those of other alerts", async () => {
    const [url, thumbnailUrl, other] = [`alerts/${randomUUID()}.jpg`, `alerts/${randomUUID()}.webp`, `alerts/${randomUUID()}.png`];
    for (const key of [url, thumbnailUrl, other]) await testSite.storePicture(key);
    await newAlert(here, { url: other });
    await run(gateway, admin, remove(await newAlert(here, { url, thumbnailUrl })));
    await expect.poll(() => [url, thumbnailUrl].filter((key) => testSite.isStored(key))).toEqual([]);
    expect(testSite.isStored(other)).toBe(true);
  });

  it("ignores absolute URLs and images that are already gone", async () => {
    const last = await testSite.storePicture(`alerts/${randomUUID()}.jpg`);
    const absolute = await newAlert(here, { url: "https://images.example/alerts/1.jpg", thumbnailUrl: "HTTP://images.example/1.jpg" });
    await run(gateway, admin, remove(absolute));
    await run(gateway, admin, remove(await newAlert(here, { url: `alerts/${randomUUID()}.jpg` })));
    await run(gateway, admin, remove(await newAlert(here, { url: last })));
    await expect.poll(() => testSite.isStored(last)).toBe(false);
    await expect.poll(() => gateway.prisma.objectRemoval.count()).toBe(0);
  });

  it("keeps the images when the deletion is rejected", async () => {
    const url = await testSite.storePicture(`alerts/${randomUUID()}.jpg`);
    await refusal(gateway, admin, remove(await newAlert(here, { url }), unknownId));
    expect(await gateway.prisma.objectRemoval.count({ where: { key: url } })).toBe(0);
    expect(testSite.isStored(url)).toBe(true);
  });

  it("still deletes other images when one stored name is not a valid key", async () => {
    const url = await testSite.storePicture(`alerts/${randomUUID()}.jpg`);
    await run(gateway, admin, remove(await newAlert(here, { url: "../Not a key" })));
    await run(gateway, admin, remove(await newAlert(here, { url })));
    await expect.poll(() => gateway.prisma.objectRemoval.count()).toBe(0);
    expect(testSite.isStored(url)).toBe(false);
  });
});
