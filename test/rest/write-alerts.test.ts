import { describe, expect, it } from "vitest";
import { createAlerts } from "../support/factories.js";
import { sessionOfFile } from "./write-session.js";
import { worldId } from "./write-world.js";

const session = sessionOfFile();

describe("20 and 21 delete alerts", () => {
  it("20 one of them", async () => {
    await session.done(20);
    expect(await session.alertIds()).toEqual([...session.world.alertIds.slice(1), session.world.beside.alertId]);
    expect((await session.data<{ alert: null }>("query ($id: UUID!) { alert(id: $id) { id } }", { id: session.world.ids.alertId })).alert).toBeNull();
    expect(await session.send(20)).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
  });

  const forms: [string, (ids: string[]) => string][] = [
    ["repeated", (ids) => ids.map((id) => `alertId=${id}`).join("&")],
    ["separated by commas", (ids) => `alertId=${ids.join(",")}`],
    ["with brackets", (ids) => ids.map((id) => `alertId[]=${id}`).join("&")],
    ["with encoded brackets", (ids) => ids.map((id) => `alertId%5B%5D=${id}`).join("&")],
    ["in all these forms", ([first, ...more]) => `alertId=${first}&alertId[]=${more.join(",")}`],
    ["more than once", (ids) => [...ids, ...ids].map((id) => `alertId=${id}`).join("&")],
    ["in upper and lower case", (ids) => `alertId=${ids.map((id) => id.toUpperCase())}&alertId=${ids}`],
  ];
  it.each(forms)("21 those whose ids are given %s", async (_form, queryOf) => {
    await session.done(21, { query: queryOf(session.world.alertIds.slice(0, 3)) });
    expect(await session.alertIds()).toEqual([session.world.alertIds[3], session.world.beside.alertId]);
  });

  it("21 of several facilities", async () => {
    await session.done(21, { query: `alertId=${session.world.alertIds[0]},${session.world.beside.alertId}` });
    expect(await session.alertIds()).toEqual(session.world.alertIds.slice(1));
  });

  it.each([
    ["that never existed", () => worldId(session.world.number, 999), () => session.world.admin.user],
    ["of a facility that the caller does not see", () => session.world.beside.alertId, () => session.world.local.user],
    ["of a facility that the caller's key does not see", () => session.world.beside.alertId, () => session.world.local.key],
  ])("21 none of them when one is an id %s", async (_whose, missing, as) => {
    for (const query of [`alertId=${session.world.alertIds},${missing()}`, `alertId=${missing()},${session.world.alertIds}`]) {
      expect(await session.send(21, { query, as: as() })).toMatchObject({
        status: 404,
        body: { status: "error", code: "NOT_FOUND", message: "Not found" },
      });
    }
    expect(await session.alertIds()).toEqual([...session.world.alertIds, session.world.beside.alertId]);
  });

  it("21 none of them when the permission is missing at one facility", async () => {
    await session.done(33, { body: { actions: ["alerts:delete"], userId: session.world.memberId } });
    await session.gateway.prisma.facilityAccess.create({
      data: {
        userId: session.world.memberId,
        facilityId: session.world.beside.facilityId,
        workspaceId: session.world.ids.workspaceId,
        actions: ["alerts:read"],
      },
    });
    const answer = await session.send(21, { query: `alertId=${session.world.alertIds},${session.world.beside.alertId}`, as: session.world.member });
    expect(answer).toMatchObject({ status: 403, body: { code: "FORBIDDEN", message: expect.stringContaining("alerts:delete") } });
    expect(await session.alertIds()).toEqual([...session.world.alertIds, session.world.beside.alertId]);
    await session.done(21, { query: `alertId=${session.world.alertIds}`, as: session.world.member });
    expect(await session.alertIds()).toEqual([session.world.beside.alertId]);
  });

  it("21 a thousand at once, and none of a thousand and one", async () => {
    const { workspaceId, facilityId, cameraId } = session.world.ids;
    const ids = Array.from({ length: 1001 }, (_, index) => worldId(session.world.number, 10_000 + index));
    await createAlerts(
      session.gateway.prisma,
      ids.map((id) => ({ id, workspaceId, facilityId, cameraId })),
    );
    const repeated = (some: string[]) => some.map((id) => `alertId=${id}`).join("&");
    const tooMany = await session.send(21, { query: repeated(ids) });
    expect(tooMany).toMatchObject({ status: 400, body: { code: "BAD_REQUEST", details: [{ path: "query.alertId" }] } });
    const total = async () => (await session.read("/alerts?start=0&end=253402300799999&count=1")).body.data.total;
    expect(await total()).toBe(1006);
    await session.done(21, { query: repeated(ids.slice(0, 1000)) });
    expect(await total()).toBe(6);
  });
});
