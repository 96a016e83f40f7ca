// Runs once: both kinds of databases run the same statements.
import { randomUUID } from "node:crypto";
import { type Permission, permissions } from "../../src/engine/access/permissions.js";
import type { Prisma } from "../../src/generated/prisma/client.js";
import {
  createAdmin,
  createAlerts,
  createCamera,
  createFacility,
  createTestUser,
  createWorkspace,
  type TestUser,
  unknownId,
} from "../support/factories.js";
import { type Call, refusal, run } from "../support/harness.js";
import { TestSite } from "../support/test-site.js";

type CameraLocation = { workspaceId: string; facilityId: string; cameraId: string };

const start = new Date(Math.floor(Date.now() / 1000) * 1000);
const at = (seconds: number) => new Date(start.getTime() + seconds * 1000);

let clock = start;

const testSite = await TestSite.open();
const gateway = await testSite.start({ now: () => clock });

const { prisma } = gateway;
const newLocation = async (workspaceId: string): Promise<CameraLocation> => {
  const facilityId = await createFacility(prisma, { workspaceId });
  return { workspaceId, facilityId, cameraId: await createCamera(prisma, { workspaceId, facilityId }) };
};
const workspaceId = await createWorkspace(prisma);
const here = await newLocation(workspaceId);
const there = await newLocation(workspaceId);
const admin = await createAdmin(prisma, workspaceId);
afterAll(async () => {
  await gateway.close();
  await testSite.remove();
});

const newAlert = async (location = here, values: Partial<Prisma.AlertUncheckedCreateInput> = {}) =>
  (await createAlerts(gateway.prisma, [{ ...location, ...values }]))[0] as string;
const stored = (id: string, { workspaceId } = here) =>
  gateway.prisma.alert.findUnique({ where: { workspaceId_id: { workspaceId, id } } });
const newUser = (actions: readonly Permission[], locations = [here]) =>
  createTestUser(gateway.prisma, {
    workspaceId: here.workspaceId,
    at: Object.fromEntries(locations.map((location) => [location.facilityId, [...actions]])),
  });
const remove = (...ids: string[]): Call => [
  "mutation ($ids: [UUID!]!) { deleteAlerts(ids: $ids) { deletedIds } }",
  { ids },
];

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
    expect(
      await gateway.data(`query ($id: UUID!) { alert(id: $id) { ${fields} } }`, {
        ...admin,
        variables: { id },
      }),
    ).toEqual({ alert });
  });

  it("does nothing when the mark already has that value, and keeps who set it first", async () => {
    const id = await newAlert();
    clock = at(30);
    const first = await run(gateway, admin, set(id, true));
    clock = at(40);
    expect(await run(gateway, await newUser(["alerts:write"]), set(id, true))).toEqual(first);
    const untouched = await newAlert();
    expect(await run(gateway, admin, set(untouched, false))).toMatchObject({
      alert: { [mark]: false, [`${mark}ChangedById`]: null },
    });
  });
});

const marked =
  "id bookmark bookmarkChangedAt bookmarkChangedById falsePositive falsePositiveChangedAt falsePositiveChangedById acknowledgedAt acknowledgedById";
type Marked = {
  id: string;
  acknowledgedAt: string | null;
  acknowledgedById: string | null;
  bookmarkChangedById: string | null;
};
const mark = (ids: string[], marks: object): Call => [
  `mutation ($ids: [UUID!]!, $marks: AlertMarksInput!) { markAlerts(ids: $ids, marks: $marks) { alerts { ${marked} } } }`,
  { ids, marks },
];
const marking = async (caller: Pick<TestUser, "as">, ids: string[], marks: object) =>
  (await run<{ markAlerts: { alerts: Marked[] } }>(gateway, caller, mark(ids, marks))).markAlerts.alerts;

describe("markAlerts", () => {
  it("sets several marks on alerts of several facilities, and returns each once in the given order", async () => {
    const [first, second] = [await newAlert(), await newAlert(there)];
    clock = at(50);
    const by = { who: admin.id, when: at(50).toISOString() };
    const shown = (id: string) => ({
      ...{ id, bookmark: true, bookmarkChangedById: by.who, bookmarkChangedAt: by.when },
      ...{ falsePositive: false, falsePositiveChangedById: null, falsePositiveChangedAt: null },
      ...{ acknowledgedById: by.who, acknowledgedAt: by.when },
    });
    const alerts = await marking(admin, [second, first, second.toUpperCase()], {
      bookmark: true,
      falsePositive: false,
      acknowledged: true,
    });
    expect(alerts).toEqual([shown(second), shown(first)]);
  });

  it("leaves marks alone that are omitted or null", async () => {
    const id = await newAlert(here, { bookmark: true, acknowledgedAt: at(0), acknowledgedById: admin.id });
    const [alert] = await marking(admin, [id], { falsePositive: true, bookmark: null });
    expect(alert).toMatchObject({
      bookmark: true,
      bookmarkChangedById: null,
      falsePositive: true,
      acknowledgedAt: at(0).toISOString(),
    });
  });

  it("writes nothing when all alerts already have the marks", async () => {
    const ids = [await newAlert(), await newAlert()];
    const first = await marking(admin, ids, { acknowledged: true, bookmark: true });
    const other = await newUser(["alerts:write"]);
    gateway.clearStatements();
    expect(await marking(other, ids, { acknowledged: true, bookmark: true })).toEqual(first);
    expect(gateway.statements.filter((sql) => /^(?:INSERT|UPDATE)/.test(sql))).toEqual([]);
  });

  it("marks 1000 alerts in as many statements as one", async () => {
    const statementsFor = async (count: number) => {
      const ids = await createAlerts(gateway.prisma, Array(count).fill(here));
      await gateway.data("{ me { id } }", admin);
      gateway.clearStatements();
      const alerts = await marking(admin, ids, { bookmark: true, falsePositive: true, acknowledged: true });
      expect(alerts.map(({ id }) => id)).toEqual(ids);
      return gateway.statements.length;
    };
    expect(await statementsFor(1000)).toBe(await statementsFor(1));
  });

  it.each<[string, Permission, (ids: string[]) => Call]>([
    ["markAlerts", "alerts:write", (ids) => mark(ids, { acknowledged: true })],
    ["deleteAlerts", "alerts:delete", (ids) => remove(...ids)],
  ])("%s requires %s at the facility of every alert, or changes nothing", async (_mutation, needed, call) => {
    const others = permissions.filter((each) => each !== needed);
    const at = { [here.facilityId]: [needed], [there.facilityId]: others };
    const caller = await createTestUser(gateway.prisma, { workspaceId: here.workspaceId, at });
    const [near, far] = [await newAlert(here), await newAlert(there)];
    expect(await refusal(gateway, caller, call([near, far]))).toEqual({
      code: "FORBIDDEN",
      message: `This needs the permission ${needed} at the facility`,
    });
    expect(await stored(near)).toMatchObject({ acknowledgedAt: null });
  });
});

describe("deleteAlerts", () => {
  const visible = (id: string, { as } = admin) =>
    gateway
      .data<{ alert: object | null }>("query ($id: UUID!) { alert(id: $id) { id } }", {
        as,
        variables: { id },
      })
      .then(({ alert }) => alert !== null);

  it("immediately deletes the given alerts, duplicates included, and no others", async () => {
    const [first, second, kept] = [await newAlert(), await newAlert(there), await newAlert()];
    const { deleteAlerts } = await run<{ deleteAlerts: { deletedIds: string[] } }>(
      gateway,
      admin,
      remove(first, second.toUpperCase(), first),
    );
    expect(deleteAlerts.deletedIds.toSorted()).toEqual([first, second].toSorted());
    expect([await visible(first), await visible(second), await visible(kept)]).toEqual([false, false, true]);
  });

  it("deletes 1000 alerts at once", async () => {
    const ids = await createAlerts(gateway.prisma, Array(1000).fill(here));
    await run(gateway, admin, remove(...ids));
    expect(await gateway.prisma.alert.count({ where: { id: { in: ids } } })).toBe(0);
  });

  it("deletes nothing, and no image, when one alert does not exist", async () => {
    const url = await testSite.storePicture(`alerts/${randomUUID()}.jpg`);
    const id = await newAlert(here, { url });
    expect(await refusal(gateway, admin, remove(id, unknownId))).toMatchObject({ code: "NOT_FOUND" });
    expect(await visible(id)).toBe(true);
    expect(await gateway.prisma.objectRemoval.count({ where: { key: url } })).toBe(0);
  });

  it("deletes the stored images and keeps those of other alerts", async () => {
    const [url, thumbnailUrl, other] = [
      `alerts/${randomUUID()}.jpg`,
      `alerts/${randomUUID()}.webp`,
      `alerts/${randomUUID()}.png`,
    ];
    for (const key of [url, thumbnailUrl, other]) await testSite.storePicture(key);
    await newAlert(here, { url: other });
    await run(gateway, admin, remove(await newAlert(here, { url, thumbnailUrl })));
    await expect.poll(() => [url, thumbnailUrl].filter((key) => testSite.isStored(key))).toEqual([]);
    expect(testSite.isStored(other)).toBe(true);
  });

  it("ignores absolute URLs, names that are no keys, and images that are already gone", async () => {
    const last = await testSite.storePicture(`alerts/${randomUUID()}.jpg`);
    const absolute = {
      url: "https://images.example/alerts/1.jpg",
      thumbnailUrl: "HTTP://images.example/1.jpg",
    };
    const gone = { url: `alerts/${randomUUID()}.jpg` };
    for (const pictures of [absolute, gone, { url: "../Not a key" }, { url: last }])
      await run(gateway, admin, remove(await newAlert(here, pictures)));
    await expect.poll(() => testSite.isStored(last)).toBe(false);
    await expect.poll(() => gateway.prisma.objectRemoval.count()).toBe(0);
  });
});
