// Runs once: both kinds of databases run the same statements.
import { type Permission, permissions } from "../../src/engine/access/permissions.js";
import type { Prisma } from "../../src/generated/prisma/client.js";
import {
  createAdmin,
  createAlerts,
  createApiKey,
  createCamera,
  createFacility,
  createTestUser,
  createWorkspace,
  type TestUser,
  unknownId,
} from "../support/factories.js";
import { type Call, refusal, run } from "../support/harness.js";
import { TestSite } from "../support/test-site.js";

interface Place {
  workspaceId: string;
  facilityId: string;
  cameraId: string;
}

const start = new Date(Math.floor(Date.now() / 1000) * 1000);
const later = (seconds: number) => new Date(start.getTime() + seconds * 1000);
const hour = 3600;
const period = { start: "2000-01-01T00:00:00Z", end: "2100-01-01T00:00:00Z" };
const notFound = { code: "NOT_FOUND", message: "Not found" };

let clock = start;

const testSite = await TestSite.open();
const gateway = await testSite.start({ now: () => clock });
afterAll(async () => {
  await gateway.close();
  await testSite.remove();
});

/** A workspace of its own, as filters match all alerts of one. */
async function newSite() {
  clock = start;
  const { prisma } = gateway;
  const workspaceId = await createWorkspace(prisma);
  const newPlace = async (name: string): Promise<Place> => {
    const facilityId = await createFacility(prisma, { workspaceId, name, timeZoneId: "Europe/Berlin" });
    return { workspaceId, facilityId, cameraId: await createCamera(prisma, { workspaceId, facilityId }) };
  };
  const [here, there] = [await newPlace("A"), await newPlace("B")];
  return {
    workspaceId,
    here,
    there,
    admin: await createAdmin(prisma, workspaceId),
    newUser: (actions: readonly Permission[], ...places: Place[]) =>
      createTestUser(prisma, {
        workspaceId,
        at: Object.fromEntries(places.map(({ facilityId }) => [facilityId, [...actions]])),
      }),
    marksOf: (id: string) => prisma.alert.findFirstOrThrow({ where: { workspaceId, id } }),
  };
}
const newAlerts = (...values: (Place & Partial<Prisma.AlertUncheckedCreateInput>)[]) =>
  createAlerts(gateway.prisma, values);

interface Changed {
  alertIds: string[];
  changeId: string | null;
}
const mark = (marks: object, filter: object = {}): Call => [
  `mutation ($filter: AlertFilter!, $marks: AlertMarksInput!) {
    changed: markMatchingAlerts(filter: $filter, marks: $marks) { alertIds changeId } }`,
  { filter: { ...period, ...filter }, marks },
];
const undo = (changeId: string | null): Call => [
  "mutation ($id: UUID!) { changed: undoMarks(changeId: $id) { alertIds changeId } }",
  { id: changeId },
];
const changedBy = async (caller: Pick<TestUser, "as">, call: Call) => {
  const { changed } = await run<{ changed: Changed }>(gateway, caller, call);
  return { ...changed, alertIds: changed.alertIds.toSorted() };
};
const markOne = (id: string, marks: object): Call => [
  "mutation ($ids: [UUID!]!, $marks: AlertMarksInput!) { markAlerts(ids: $ids, marks: $marks) { alerts { id } } }",
  { ids: [id], marks },
];
const countDifferences = () => gateway.prisma.$queryRaw`SELECT * FROM "alertCountDifferences"()`;

describe("markMatchingAlerts", () => {
  it("marks the matching alerts that lack a mark, and keeps who set others first", async () => {
    const { here, there, admin, marksOf } = await newSite();
    const [open = "", acknowledged = "", smoke = "", beside = ""] = await newAlerts(
      { ...here, name: "FENCE" },
      { ...here, name: "FENCE" },
      { ...here, name: "SMOKE" },
      { ...there, name: "FENCE" },
    );
    await run(gateway, admin, markOne(acknowledged, { acknowledged: true }));
    const before = await marksOf(acknowledged);
    clock = later(10);
    const filter = { types: ["FENCE"] };
    const { alertIds, changeId } = await changedBy(admin, mark({ acknowledged: true }, filter));
    expect([alertIds, changeId]).toEqual([[open, beside].toSorted(), expect.any(String)]);
    expect(await marksOf(open)).toMatchObject({ acknowledgedById: admin.id, acknowledgedAt: later(10) });
    expect(await marksOf(acknowledged)).toEqual(before);
    expect(await marksOf(smoke)).toMatchObject({ acknowledgedAt: null });
    expect(await countDifferences()).toEqual([]);
  });

  it("takes each kind of filter, such as local times and open alerts", async () => {
    const { here, admin } = await newSite();
    const [night = ""] = await newAlerts(
      { ...here, createdAt: new Date("2026-11-20T22:30:00Z") },
      { ...here, createdAt: new Date("2026-11-20T12:00:00Z") },
      { ...here, createdAt: new Date("2026-11-20T22:30:00Z"), observation: true },
    );
    const lastNight = {
      start: null,
      end: null,
      localDays: { from: "2026-11-20", to: "2026-11-20" },
      localTimes: { from: "22:00", to: "06:00" },
      open: true,
    };
    expect((await changedBy(admin, mark({ bookmark: true }, lastNight))).alertIds).toEqual([night]);
  });

  it("changes nothing, and has nothing to undo, where all have the mark", async () => {
    const { here, admin, workspaceId } = await newSite();
    await newAlerts({ ...here, bookmark: true });
    expect(await changedBy(admin, mark({ bookmark: true }))).toEqual({ alertIds: [], changeId: null });
    expect(await gateway.prisma.auditEntry.count({ where: { workspaceId } })).toBe(0);
  });

  it("marks up to 10,000, and refuses more with their number", async () => {
    const { here, admin, workspaceId } = await newSite();
    await newAlerts(...Array(10_000).fill(here));
    const { alertIds, changeId } = await changedBy(admin, mark({ acknowledged: true }));
    expect(new Set(alertIds).size).toBe(10_000);
    expect((await changedBy(admin, undo(changeId))).alertIds).toEqual(alertIds);
    await newAlerts(here);
    expect(await refusal(gateway, admin, mark({ acknowledged: true }))).toMatchObject({
      code: "BAD_REQUEST",
      message: "filter: matches 10001 alerts: at most 10000 can be marked at once",
    });
    expect(await gateway.prisma.alert.count({ where: { workspaceId, acknowledgedAt: { not: null } } })).toBe(
      0,
    );
    expect(await countDifferences()).toEqual([]);
  });

  it("requires alerts:write at every facility with a match, names the others, and marks none then", async () => {
    const { here, there, newUser, marksOf } = await newSite();
    const [id = ""] = await newAlerts(here, there);
    const caller = await newUser(["alerts:read"], there);
    await gateway.prisma.facilityAccess.create({
      data: {
        workspaceId: here.workspaceId,
        userId: caller.id,
        facilityId: here.facilityId,
        actions: ["alerts:write"],
      },
    });
    expect(await refusal(gateway, caller, mark({ bookmark: true }))).toEqual({
      code: "FORBIDDEN",
      message: "This needs the permission alerts:write at the facilities: B",
    });
    expect(await marksOf(id)).toMatchObject({ bookmark: false });
    const ofOne = mark({ bookmark: true }, { facilityIds: [here.facilityId] });
    expect((await changedBy(caller, ofOne)).alertIds).toEqual([id]);
  });
});

describe("undoMarks", () => {
  it("puts back what the marks were, with who set them and when", async () => {
    const { here, admin, newUser, marksOf } = await newSite();
    const [id = ""] = await newAlerts(here);
    const other = await newUser(["alerts:write"], here);
    await run(gateway, other, markOne(id, { bookmark: true, falsePositive: true, acknowledged: true }));
    const before = await marksOf(id);
    clock = later(10);
    const marks = { bookmark: false, falsePositive: false, acknowledged: false };
    const { changeId } = await changedBy(admin, mark(marks));
    expect(await marksOf(id)).toMatchObject({ bookmark: false, falsePositive: false, acknowledgedAt: null });
    clock = later(10 + hour - 1);
    expect(await changedBy(admin, undo(changeId))).toEqual({ alertIds: [id], changeId: null });
    expect(await marksOf(id)).toEqual(before);
    expect(await countDifferences()).toEqual([]);
  });

  it("leaves what was changed since, mark by mark, and what is gone", async () => {
    const { here, admin, newUser, marksOf } = await newSite();
    const [same = "", changed = "", setAgain = "", deleted = ""] = await newAlerts(here, here, here, here);
    const { changeId } = await changedBy(admin, mark({ bookmark: true, acknowledged: true }));
    clock = later(10);
    const other = await newUser(["alerts:write"], here);
    await run(gateway, other, markOne(changed, { acknowledged: false }));
    await run(gateway, other, markOne(setAgain, { bookmark: false }));
    await run(gateway, other, markOne(setAgain, { bookmark: true }));
    await run(gateway, admin, [
      "mutation ($id: UUID!) { deleteAlerts(ids: [$id]) { deletedIds } }",
      { id: deleted },
    ]);
    const { alertIds } = await changedBy(admin, undo(changeId));
    expect(alertIds).toEqual([same, changed, setAgain].toSorted());
    expect(await marksOf(same)).toMatchObject({ bookmark: false, acknowledgedAt: null });
    expect(await marksOf(changed)).toMatchObject({ bookmark: false, acknowledgedAt: null });
    expect(await marksOf(setAgain)).toMatchObject({
      bookmark: true,
      bookmarkChangedById: other.id,
      acknowledgedAt: null,
    });
  });

  it("finds a change once, for an hour, and for its caller alone", async () => {
    const { here, admin, newUser } = await newSite();
    await newAlerts(here);
    const first = await changedBy(admin, mark({ bookmark: true }));
    const other = await newUser(permissions, here);
    expect(await refusal(gateway, other, undo(first.changeId))).toEqual(notFound);
    expect(await refusal(gateway, admin, undo(unknownId))).toEqual(notFound);
    const outcomes = await Promise.allSettled([1, 2].map(() => changedBy(admin, undo(first.changeId))));
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(await refusal(gateway, admin, undo(first.changeId))).toEqual(notFound);
    const second = await changedBy(admin, mark({ bookmark: true }));
    clock = later(hour);
    expect(await refusal(gateway, admin, undo(second.changeId))).toEqual(notFound);
  });

  it("is for API keys, too", async () => {
    const { here, workspaceId, marksOf } = await newSite();
    const [id = ""] = await newAlerts(here);
    const as = await createApiKey(gateway.prisma, { workspaceId, permissions: ["alerts:write"] });
    const { changeId } = await changedBy({ as }, mark({ falsePositive: true }));
    expect(await marksOf(id)).toMatchObject({ falsePositive: true, falsePositiveChangedById: as.id });
    expect((await changedBy({ as }, undo(changeId))).alertIds).toEqual([id]);
  });
});

it("what can no longer be undone is purged after the hour", async () => {
  const { here, admin, workspaceId } = await newSite();
  const ids = await newAlerts(here, here, here, here);
  await changedBy(admin, mark({ bookmark: true }));
  const key = await createApiKey(gateway.prisma, { workspaceId, permissions: [...permissions] });
  // Workers look what is due after a deletion.
  const keptAt = async (time: Date) => {
    clock = time;
    await run(gateway, { as: key }, [
      "mutation ($id: UUID!) { deleteAlerts(ids: [$id]) { deletedIds } }",
      { id: ids.pop() },
    ]);
    await gateway.app.idle();
    return gateway.prisma.alertMarkChange.count({ where: { workspaceId } });
  };
  expect(await keptAt(later(hour - 1))).toBe(4);
  expect(await keptAt(later(2 * hour))).toBe(0);
});
