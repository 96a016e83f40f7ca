import { inject } from "vitest";
import type { PrismaClient } from "../../src/generated/prisma/client.js";
import {
  createAlerts,
  createCamera,
  createFacility,
  createUser,
  createWorkspace,
} from "../support/factories.js";
import { gatewayForTest, ownGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { runCommand } from "../support/running-command.js";
import { TestSite } from "../support/test-site.js";

const { server } = inject("resources");

const admin = { user: "test|admin" };

const gateway = await ownGateway();
beforeEach(async () => {
  // Waits for purges of the previous test.
  await gateway.app.idle();
  // TRUNCATE would make new files for every table and index, which takes seconds on the
  // embedded database.
  const tables = [
    "Alert",
    "AlertDayCount",
    "AlertDayKindCount",
    "OpenAlertCount",
    "Camera",
    "Facility",
    "AuthIdLookup",
    "User",
    "Workspace",
  ];
  for (const table of tables) await gateway.prisma.$executeRawUnsafe(`DELETE FROM "${table}"`);
});

interface CameraLocation {
  workspaceId: string;
  facilityId: string;
  cameraId: string;
}

async function newCameraLocation(
  prisma: PrismaClient,
  timeZoneId = "Europe/Istanbul",
): Promise<CameraLocation> {
  const workspaceId = await createWorkspace(prisma);
  await createUser(prisma, {
    workspaceId,
    authId: admin.user,
    roles: [
      "alerts:read",
      "alerts:write",
      "alerts:delete",
      "cameras:read",
      "cameras:write",
      "facilities:write",
    ],
  });
  const facilityId = await createFacility(prisma, { workspaceId, timeZoneId });
  return { workspaceId, facilityId, cameraId: await createCamera(prisma, { workspaceId, facilityId }) };
}

const at = (time: string) => ({ createdAt: new Date(time) });
const differences = (prisma: PrismaClient) =>
  prisma.$queryRaw<object[]>`SELECT * FROM "alertCountDifferences"()`;
const days = (prisma: PrismaClient) =>
  prisma.$queryRaw<
    object[]
  >`SELECT "day"::text, sum("count")::int AS "count" FROM "AlertDayCount" GROUP BY 1 ORDER BY 1`;
const kinds = (prisma: PrismaClient) =>
  prisma.$queryRaw<
    object[]
  >`SELECT "name", "severity", sum("count")::int AS "count" FROM "AlertDayKindCount" GROUP BY 1, 2 ORDER BY 1, 2`;

const openOnes = async (prisma: PrismaClient) =>
  (
    await prisma.$queryRaw<
      { count: number }[]
    >`SELECT coalesce(sum("count"), 0)::int AS "count" FROM "OpenAlertCount"`
  )[0]?.count;

describe("counts of open alerts", () => {
  it("follow alerts that are recorded, marked in whatever way, moved, and deleted", async () => {
    const { prisma } = gateway;
    const location = await newCameraLocation(prisma);
    const acknowledged = { acknowledgedAt: new Date(), acknowledgedById: location.workspaceId };
    const ids = await createAlerts(prisma, [
      location,
      location,
      location,
      { ...location, observation: true },
      { ...location, falsePositive: true },
      { ...location, ...acknowledged },
    ]);
    const [first = "", second = "", third = "", observation = "", falsePositive = ""] = ids;
    const set = async (id: string, data: object) => {
      await prisma.alert.updateMany({ where: { id }, data });
      expect(await differences(prisma)).toEqual([]);
      return openOnes(prisma);
    };
    expect(await openOnes(prisma)).toBe(3);
    expect(await set(first, acknowledged)).toBe(2);
    expect(await set(first, { falsePositive: true })).toBe(2);
    expect(await set(first, { acknowledgedAt: null })).toBe(2);
    expect(await set(first, { falsePositive: false })).toBe(3);
    expect(await set(second, { bookmark: true })).toBe(3);
    expect(await set(observation, { observation: false })).toBe(4);
    const { workspaceId, facilityId } = location;
    expect(await set(third, { cameraId: await createCamera(prisma, { workspaceId, facilityId }) })).toBe(4);
    await prisma.alert.deleteMany({ where: { id: { in: [first, third, falsePositive] } } });
    expect([await openOnes(prisma), await differences(prisma)]).toEqual([2, []]);
    await prisma.alert.deleteMany({});
    expect([await openOnes(prisma), await differences(prisma)]).toEqual([0, []]);
  });

  it("end with their camera, and are there again if the mark of its removal is taken back", async () => {
    const { prisma } = gateway;
    const location = await newCameraLocation(prisma);
    await createAlerts(prisma, [location, location]);
    // Set directly, so that the purge does not run.
    const where = { id: location.cameraId };
    await prisma.camera.updateMany({ where, data: { removedAt: new Date() } });
    await createAlerts(prisma, [location]);
    await prisma.alert.updateMany({ data: { falsePositive: true } });
    expect(await openOnes(prisma)).toBe(0);
    await prisma.alert.updateMany({ data: { falsePositive: false } });
    await prisma.camera.updateMany({ where, data: { removedAt: null } });
    expect([await openOnes(prisma), await differences(prisma)]).toEqual([3, []]);
  });
});

describe("daily counts", () => {
  it("follow alerts that are created, changed, and deleted, and end with the last one", async () => {
    const { prisma } = gateway;
    const location = await newCameraLocation(prisma);
    const [first = "", second = "", third = ""] = await createAlerts(prisma, [
      { ...location, ...at("2026-11-19T20:59:59.999Z"), name: "FENCE" },
      { ...location, ...at("2026-11-19T21:00:00.000Z"), name: "FENCE" },
      { ...location, ...at("2026-11-19T21:00:00.001Z"), name: "SMOKE", severity: "HIGH" },
    ]);
    expect(await days(prisma)).toEqual([
      { day: "2026-11-19", count: 1 },
      { day: "2026-11-20", count: 2 },
    ]);
    const where = { id: { in: [first, third] } };
    // One after the other: each alone moves an alert to another count.
    await prisma.alert.updateMany({ where, data: { name: "CROWD" } });
    await prisma.alert.updateMany({ where, data: { severity: "LOW" } });
    expect(await kinds(prisma)).toEqual([
      { name: "CROWD", severity: "LOW", count: 2 },
      { name: "FENCE", severity: null, count: 1 },
    ]);
    await prisma.alert.updateMany({ where: { id: first }, data: at("2026-11-20T12:00:00.000Z") });
    expect(await days(prisma)).toEqual([{ day: "2026-11-20", count: 3 }]);
    await prisma.alert.deleteMany({ where: { id: { in: [first, second] } } });
    expect(await days(prisma)).toEqual([{ day: "2026-11-20", count: 1 }]);
    await prisma.alert.deleteMany({});
    expect([await days(prisma), await kinds(prisma)]).toEqual([[], []]);
  });

  it("are not updated by marks on alerts", async () => {
    const { prisma } = gateway;
    await createAlerts(prisma, [await newCameraLocation(prisma)]);
    const versions = () =>
      prisma.$queryRaw`SELECT "ctid"::text, "xmin"::text FROM "AlertDayCount" UNION ALL SELECT "ctid"::text, "xmin"::text FROM "AlertDayKindCount" ORDER BY 1, 2`;
    const before = await versions();
    await prisma.alert.updateMany({ data: { bookmark: true, falsePositive: true, observation: true } });
    expect(await versions()).toEqual(before);
  });

  it("are cleared when all alerts are truncated", async () => {
    const { prisma } = gateway;
    await createAlerts(prisma, [await newCameraLocation(prisma)]);
    await prisma.$executeRaw`TRUNCATE "Alert" CASCADE`;
    expect([await days(prisma), await kinds(prisma)]).toEqual([[], []]);
    expect(await openOnes(prisma)).toBe(0);
  });

  it("are moved with the time zone of the alerts' facility, wherever their camera is by now", async () => {
    const { prisma } = gateway;
    const location = await newCameraLocation(prisma);
    const facilityId = await createFacility(prisma, {
      workspaceId: location.workspaceId,
      timeZoneId: "America/Havana",
    });
    await createAlerts(prisma, [
      { ...location, ...at("2026-11-19T22:00:00Z") },
      { ...location, facilityId, ...at("2026-11-19T22:00:00Z") },
    ]);
    await gateway.data(
      'mutation ($id: UUID!) { updateFacility(id: $id, input: { timeZoneId: "Asia/Tokyo" }) { id } }',
      { as: admin, variables: { id: facilityId } },
    );
    expect(await days(prisma)).toEqual([{ day: "2026-11-20", count: 2 }]);
    expect(await differences(prisma)).toEqual([]);
  });
});

describe("deleting a camera", () => {
  it("removes its counts immediately, and its alerts later without negative counts", async () => {
    const { prisma } = gateway;
    const location = await newCameraLocation(prisma);
    const kept = {
      ...location,
      cameraId: await createCamera(
        prisma,
        location.cameraId ? { workspaceId: location.workspaceId, facilityId: location.facilityId } : location,
      ),
    };
    // More than are deleted at once.
    await createAlerts(prisma, [
      ...Array(2_100).fill({ ...location, ...at("2026-11-19T12:00:00Z") }),
      { ...kept, ...at("2026-11-19T12:00:00Z") },
    ]);
    await gateway.data("mutation ($id: UUID!) { deleteCamera(id: $id) { id } }", {
      as: admin,
      variables: { id: location.cameraId },
    });
    expect(await days(prisma)).toEqual([{ day: "2026-11-19", count: 1 }]);
    expect(await kinds(prisma)).toMatchObject([{ count: 1 }]);
    const { facilities } = await gateway.data<{ facilities: object[] }>(
      "{ facilities { alerts { totalCount } } }",
      { as: admin },
    );
    expect(facilities).toEqual([{ alerts: { totalCount: 1 } }]);
    await expect
      .poll(() => prisma.camera.count({ where: { id: location.cameraId, keptUntil: null } }))
      .toBe(0);
    expect(await days(prisma)).toEqual([{ day: "2026-11-19", count: 1 }]);
    expect(await differences(prisma)).toEqual([]);
  });

  it("excludes alerts that still arrive for it", async () => {
    const { prisma } = gateway;
    const location = await newCameraLocation(prisma);
    // Set directly, so that the purge does not run.
    await prisma.camera.updateMany({ where: { id: location.cameraId }, data: { removedAt: new Date() } });
    await createAlerts(prisma, [location, location]);
    expect([await days(prisma), await kinds(prisma)]).toEqual([[], []]);
  });
});

describe.runIf(server)("on a server", () => {
  let testSite: TestSite;
  beforeAll(async () => {
    testSite = await TestSite.open();
  });
  afterAll(() => testSite.remove());

  it("eight writers of the same days cause no deadlock, and the counts stay correct", async () => {
    const { prisma } = await gatewayForTest({ environment: { DATABASE_POOL_SIZE: "12" } });
    const first = await newCameraLocation(prisma);
    const locations = [first];
    for (let camera = 1; camera < 6; camera += 1)
      locations.push({
        ...first,
        cameraId: await createCamera(prisma, {
          workspaceId: first.workspaceId,
          facilityId: first.facilityId,
        }),
      });
    const pick = <Item>(items: readonly Item[]) => items[Math.floor(Math.random() * items.length)] as Item;
    const newAlert = () => ({
      ...pick(locations),
      ...at(`2026-11-${pick(["17", "18", "19"])}T${pick(["12", "21"])}:00:00Z`),
      name: pick(["FENCE", "SMOKE"]),
      severity: pick(["HIGH", null]),
    });
    const ids: string[] = [];
    const batch = () => listOf(30, () => pick(ids));
    // Locks alerts in the order of their ids, as the gateway does, so that they cause no
    // deadlock themselves.
    const inWorkspace = `"workspaceId" = '${first.workspaceId}'`;
    const held = `${inWorkspace} AND "id" IN (SELECT "id" FROM "Alert" WHERE ${inWorkspace} AND "id" = ANY($1::uuid[]) ORDER BY "id" FOR UPDATE)`;
    const changes = () => [
      `UPDATE "Alert" SET "falsePositive" = NOT "falsePositive", "observation" = "falsePositive" WHERE ${held}`,
      `DELETE FROM "Alert" WHERE ${held}`,
      `DELETE FROM "Alert" WHERE ${held}`,
      `UPDATE "Alert" SET "name" = 'CROWD', "createdAt" = '2026-11-${pick(["16", "17", "18"])}T12:00:00Z' WHERE ${held}`,
    ];
    const writers = listOf(8, async () => {
      for (let round = 0; round < 40; round += 1) {
        if (ids.length < 100 || Math.random() < 0.4)
          ids.push(...(await createAlerts(prisma, Array.from({ length: 30 }, newAlert))));
        else await prisma.$executeRawUnsafe(pick(changes()), batch());
      }
    });
    const others = (async () => {
      for (const timeZoneId of ["Asia/Kathmandu", "America/Havana", "Europe/Istanbul"])
        await prisma.facility.updateMany({ where: { id: first.facilityId }, data: { timeZoneId } });
      for (const removedAt of [new Date(), null, new Date()])
        await prisma.camera.updateMany({
          where: { id: locations[3]?.cameraId as string },
          data: { removedAt },
        });
      await prisma.$queryRaw`SELECT "rebuildAlertCounts"()::text`;
    })();
    await Promise.all([...writers, others]);
    expect(await differences(prisma)).toEqual([]);
    expect(await prisma.$queryRaw`SELECT * FROM "AlertDayKindCount" WHERE "count" < 1`).toEqual([]);
    expect((await days(prisma)).length).toBeGreaterThan(0);
  });

  it("the command reports every difference and repairs it", async () => {
    const gateway = await testSite.start();
    const { prisma } = gateway;
    const location = await newCameraLocation(prisma);
    await createAlerts(prisma, [
      { ...location, ...at("2026-11-19T12:00:00Z"), name: "FENCE", severity: "HIGH" },
      { ...location, ...at("2026-11-20T12:00:00Z"), name: "SMOKE" },
    ]);
    const counts = (...parameters: string[]) =>
      runCommand("commands/counts", { environment: testSite.variables, parameters });
    expect(await counts("--verify")).toEqual({
      code: 0,
      output: "The counts match the alerts\n",
      errors: "",
    });
    await prisma.$executeRaw`UPDATE "AlertDayCount" SET "count" = 3 WHERE "day" = '2026-11-19'`;
    await prisma.$executeRaw`DELETE FROM "AlertDayKindCount" WHERE "name" = 'SMOKE'`;
    await prisma.$executeRaw`UPDATE "AlertDayKindCount" SET "name" = 'FALL'`;
    await prisma.$executeRaw`UPDATE "OpenAlertCount" SET "count" = 5`;
    expect(await counts("--verify")).toEqual({
      code: 1,
      output: [
        `AlertDayCount: camera ${location.cameraId}, 2026-11-19: 3 instead of 1\n`,
        `AlertDayKindCount: camera ${location.cameraId}, 2026-11-19, FALL, HIGH: 1 instead of no row\n`,
        `AlertDayKindCount: camera ${location.cameraId}, 2026-11-19, FENCE, HIGH: no row instead of 1\n`,
        `AlertDayKindCount: camera ${location.cameraId}, 2026-11-20, SMOKE, no severity: no row instead of 1\n`,
        `OpenAlertCount: camera ${location.cameraId}: 5 instead of 2\n`,
      ].join(""),
      errors: "5 counts are wrong; repair them with `npm run counts -- --rebuild`\n",
    });
    expect(await counts("--rebuild")).toEqual({ code: 0, output: "The counts were rebuilt\n", errors: "" });
    expect(await counts("--verify")).toMatchObject({ code: 0 });
    await gateway.close();
  });

  it.each([[[]], [["--verify", "--rebuild"]], [["--mend"]]])(
    "the command rejects the parameters %j",
    async (parameters) => {
      const { code, output, errors } = await runCommand("commands/counts", {
        environment: testSite.variables,
        parameters,
      });
      expect({ code, output }).toEqual({ code: 1, output: "" });
      expect(errors).not.toBe("");
    },
  );
});
