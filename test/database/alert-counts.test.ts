import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { PrismaClient } from "../../src/generated/prisma/client.js";
import { runCommand } from "../operation/running-command.js";
import { createAlerts, createCamera, createFacility, createUser, createWorkspace } from "../support/factories.js";
import { gatewayForTest } from "../support/harness.js";
import { type Ground, newGround } from "../writes/ground.js";

const admin = { user: "test|admin" };

interface Place {
  workspaceId: string;
  facilityId: string;
  cameraId: string;
}

async function newPlace(prisma: PrismaClient, timeZoneId = "Europe/Istanbul"): Promise<Place> {
  const workspaceId = await createWorkspace(prisma, {});
  await createUser(prisma, { workspaceId, authId: admin.user, roles: ["alerts:read", "cameras:read", "cameras:write"] });
  const facilityId = await createFacility(prisma, { workspaceId, timeZoneId });
  return { workspaceId, facilityId, cameraId: await createCamera(prisma, { workspaceId, facilityId }) };
}

const at = (moment: string) => ({ createdAt: new Date(moment) });
const differences = (prisma: PrismaClient) => prisma.$queryRaw<object[]>`SELECT * FROM "alertCountDifferences"()`;
const days = (prisma: PrismaClient) =>
  prisma.$queryRaw<object[]>`SELECT "day"::text, sum("count")::int AS "count" FROM "AlertDayCount" GROUP BY 1 ORDER BY 1`;
const kinds = (prisma: PrismaClient) =>
  prisma.$queryRaw<object[]>`SELECT "name", "severity", sum("count")::int AS "count" FROM "AlertDayKindCount" GROUP BY 1, 2 ORDER BY 1, 2`;

describe("the counts of days", () => {
  it("follow alerts that come, change and go, and end with the last of them", async () => {
    const { prisma } = await gatewayForTest({ seed: "none" });
    const place = await newPlace(prisma);
    const [first = "", second = "", third = ""] = await createAlerts(prisma, [
      { ...place, ...at("2026-11-19T20:59:59.999Z"), name: "FENCE" },
      { ...place, ...at("2026-11-19T21:00:00.000Z"), name: "FENCE" },
      { ...place, ...at("2026-11-19T21:00:00.001Z"), name: "SMOKE", severity: "HIGH" },
    ]);
    expect(await days(prisma)).toEqual([
      { day: "2026-11-19", count: 1 },
      { day: "2026-11-20", count: 2 },
    ]);
    await prisma.alert.updateMany({ where: { id: { in: [first, third] } }, data: { name: "CROWD", severity: "LOW" } });
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

  it("are not touched by marks on alerts", async () => {
    const { prisma } = await gatewayForTest({ seed: "none" });
    await createAlerts(prisma, [await newPlace(prisma)]);
    const versions = () =>
      prisma.$queryRaw`SELECT "ctid"::text, "xmin"::text FROM "AlertDayCount" UNION ALL SELECT "ctid"::text, "xmin"::text FROM "AlertDayKindCount"`;
    const before = await versions();
    await prisma.alert.updateMany({ data: { bookmark: true, falsePositive: true, observation: true } });
    expect(await versions()).toEqual(before);
  });

  it("are of the facility that an alert names, wherever its camera is", async () => {
    const { prisma } = await gatewayForTest({ seed: "none" });
    const place = await newPlace(prisma);
    const facilityId = await createFacility(prisma, { workspaceId: place.workspaceId, timeZoneId: "America/Havana" });
    await createAlerts(prisma, [
      { ...place, ...at("2026-11-19T22:00:00Z") },
      { ...place, facilityId, ...at("2026-11-19T22:00:00Z") },
    ]);
    expect(await days(prisma)).toEqual([
      { day: "2026-11-19", count: 1 },
      { day: "2026-11-20", count: 1 },
    ]);
  });

  it("go with all alerts at once", async () => {
    const { prisma } = await gatewayForTest({ seed: "none" });
    await createAlerts(prisma, [await newPlace(prisma)]);
    await prisma.$executeRaw`TRUNCATE "Alert"`;
    expect([await days(prisma), await kinds(prisma)]).toEqual([[], []]);
  });

  it("move to other days with the facility's time zone", async () => {
    const { prisma } = await gatewayForTest({ seed: "none" });
    const place = await newPlace(prisma);
    await createAlerts(prisma, [
      { ...place, ...at("2026-11-19T20:00:00Z") },
      { ...place, ...at("2026-11-19T22:00:00Z") },
    ]);
    await prisma.facility.update({ where: { id: place.facilityId }, data: { timeZoneId: "America/Sao_Paulo" } });
    expect(await days(prisma)).toEqual([{ day: "2026-11-19", count: 2 }]);
    expect(await differences(prisma)).toEqual([]);
  });
});

describe("a camera that is deleted", () => {
  it("takes its counts with it at once, and its alerts later without counting below nothing", async () => {
    const gateway = await gatewayForTest({ seed: "none" });
    const { prisma } = gateway;
    const place = await newPlace(prisma);
    const kept = {
      ...place,
      cameraId: await createCamera(prisma, place.cameraId ? { workspaceId: place.workspaceId, facilityId: place.facilityId } : place),
    };
    await createAlerts(prisma, [...Array(4_500).fill({ ...place, ...at("2026-11-19T12:00:00Z") }), { ...kept, ...at("2026-11-19T12:00:00Z") }]);
    await gateway.data("mutation ($id: UUID!) { deleteCamera(id: $id) { id } }", { as: admin, variables: { id: place.cameraId } });
    expect(await days(prisma)).toEqual([{ day: "2026-11-19", count: 1 }]);
    expect(await kinds(prisma)).toMatchObject([{ count: 1 }]);
    const { facilities } = await gateway.data<{ facilities: object[] }>("{ facilities { alerts { totalCount } } }", { as: admin });
    expect(facilities).toEqual([{ alerts: { totalCount: 1 } }]);
    await expect.poll(() => prisma.camera.count({ where: { id: place.cameraId } }), { timeout: 10_000 }).toBe(0);
    expect(await days(prisma)).toEqual([{ day: "2026-11-19", count: 1 }]);
    expect(await differences(prisma)).toEqual([]);
  });

  it("is counted no more when alerts of it still arrive", async () => {
    const { prisma } = await gatewayForTest({ seed: "none" });
    const place = await newPlace(prisma);
    // Marked by hand, so that nothing purges it meanwhile.
    await prisma.camera.update({ where: { id: place.cameraId }, data: { removedAt: new Date() } });
    await createAlerts(prisma, [place, place]);
    expect([await days(prisma), await kinds(prisma)]).toEqual([[], []]);
  });
});

describe.runIf(inject("templates").server)("on a server", () => {
  let ground: Ground;
  beforeAll(async () => {
    ground = await newGround();
  });
  afterAll(() => ground.remove());

  it("eight writers of the same days meet no deadlock, and the counts are right in the end", async () => {
    const { prisma } = await gatewayForTest({ seed: "none", environment: { DATABASE_POOL_SIZE: "12" } });
    const first = await newPlace(prisma);
    const places = [first];
    for (let camera = 1; camera < 6; camera += 1)
      places.push({ ...first, cameraId: await createCamera(prisma, { workspaceId: first.workspaceId, facilityId: first.facilityId }) });
    const pick = <Item>(items: readonly Item[]) => items[Math.floor(Math.random() * items.length)] as Item;
    const newAlert = () => ({
      ...pick(places),
      ...at(`2026-11-${pick(["17", "18", "19"])}T${pick(["12", "21"])}:00:00Z`),
      name: pick(["FENCE", "SMOKE"]),
      severity: pick(["HIGH", null]),
    });
    const ids: string[] = [];
    const batch = () => Array.from({ length: 30 }, () => pick(ids));
    // As the gateway does, in the order of the ids: alerts themselves are not to be waited for in a circle.
    const held = 'SELECT "id" FROM "Alert" WHERE "id" = ANY($1::uuid[]) ORDER BY "id" FOR UPDATE';
    const writers = Array.from({ length: 8 }, async () => {
      for (let round = 0; round < 40; round += 1) {
        const work = Math.random();
        if (ids.length < 100 || work < 0.45) ids.push(...(await createAlerts(prisma, Array.from({ length: 30 }, newAlert))));
        else if (work < 0.85) await prisma.$executeRawUnsafe(`DELETE FROM "Alert" WHERE "id" IN (${held})`, batch());
        else
          await prisma.$executeRawUnsafe(
            `UPDATE "Alert" SET "name" = 'CROWD', "createdAt" = "createdAt" - interval '1 day' WHERE "id" IN (${held})`,
            batch(),
          );
      }
    });
    const others = (async () => {
      for (const timeZoneId of ["Asia/Kathmandu", "America/Havana", "Europe/Istanbul"])
        await prisma.facility.update({ where: { id: first.facilityId }, data: { timeZoneId } });
      for (const removedAt of [new Date(), null, new Date()])
        await prisma.camera.update({ where: { id: places[3]?.cameraId as string }, data: { removedAt } });
      await prisma.$queryRaw`SELECT "rebuildAlertCounts"()::text`;
    })();
    await Promise.all([...writers, others]);
    expect(await differences(prisma)).toEqual([]);
    expect(await prisma.$queryRaw`SELECT * FROM "AlertDayKindCount" WHERE "count" < 1`).toEqual([]);
    expect((await days(prisma)).length).toBeGreaterThan(0);
  });

  it("the command tells every difference, and mends them", async () => {
    const gateway = await ground.start();
    const { prisma } = gateway;
    const place = await newPlace(prisma);
    await createAlerts(prisma, [
      { ...place, ...at("2026-11-19T12:00:00Z"), name: "FENCE", severity: "HIGH" },
      { ...place, ...at("2026-11-20T12:00:00Z"), name: "SMOKE" },
    ]);
    const counts = (...parameters: string[]) => runCommand("commands/counts", { environment: ground.variables, parameters });
    expect(await counts("--verify")).toEqual({ code: 0, output: "The counts are what the alerts say\n", errors: "" });
    await prisma.$executeRaw`UPDATE "AlertDayCount" SET "count" = 3 WHERE "day" = '2026-11-19'`;
    await prisma.$executeRaw`DELETE FROM "AlertDayKindCount" WHERE "name" = 'SMOKE'`;
    await prisma.$executeRaw`UPDATE "AlertDayKindCount" SET "name" = 'FALL'`;
    expect(await counts("--verify")).toEqual({
      code: 1,
      output: [
        `AlertDayCount: camera ${place.cameraId}, 2026-11-19: 3 instead of 1\n`,
        `AlertDayKindCount: camera ${place.cameraId}, 2026-11-19, FALL, HIGH: 1 instead of no row\n`,
        `AlertDayKindCount: camera ${place.cameraId}, 2026-11-19, FENCE, HIGH: no row instead of 1\n`,
        `AlertDayKindCount: camera ${place.cameraId}, 2026-11-20, SMOKE, no severity: no row instead of 1\n`,
      ].join(""),
      errors: "4 counts are wrong; `npm run counts -- --rebuild` mends them\n",
    });
    expect(await counts("--rebuild")).toEqual({ code: 0, output: "The counts were rebuilt\n", errors: "" });
    expect(await counts("--verify")).toMatchObject({ code: 0 });
    await gateway.close();
  });

  it.each([[[]], [["--verify", "--rebuild"]], [["--mend"]]])("the command is not to be called with %j", async (parameters) => {
    const { code, output, errors } = await runCommand("commands/counts", { environment: ground.variables, parameters });
    expect({ code, output }).toEqual({ code: 1, output: "" });
    expect(errors).not.toBe("");
  });
});
