// Runs once: REST runs the statements of GraphQL, which are tested on every kind of
// database.
import { describe, expect, it } from "vitest";
import { createAlerts } from "../support/factories.js";
import { fixedId } from "../support/test-workspace.js";
import { restSessionOfFile } from "./rest-session.js";

const session = restSessionOfFile();

describe("20 and 21 delete alerts", () => {
  it("20 a single one", async () => {
    await session.done(20);
    expect(await session.alertIds()).toEqual([
      ...session.workspace.alertIds.slice(1),
      session.workspace.beside.alertId,
    ]);
    expect(
      (
        await session.data<{ alert: null }>("query ($id: UUID!) { alert(id: $id) { id } }", {
          id: session.workspace.ids.alertId,
        })
      ).alert,
    ).toBeNull();
    expect(await session.send(20)).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
  });

  const forms: [string, (ids: string[]) => string][] = [
    ["repeated", (ids) => ids.map((id) => `alertId=${id}`).join("&")],
    ["comma-separated", (ids) => `alertId=${ids.join(",")}`],
    ["with brackets", (ids) => ids.map((id) => `alertId[]=${id}`).join("&")],
    ["with encoded brackets", (ids) => ids.map((id) => `alertId%5B%5D=${id}`).join("&")],
    ["in mixed notation", ([first, ...more]) => `alertId=${first}&alertId[]=${more.join(",")}`],
    ["more than once", (ids) => [...ids, ...ids].map((id) => `alertId=${id}`).join("&")],
    ["in upper and lower case", (ids) => `alertId=${ids.map((id) => id.toUpperCase())}&alertId=${ids}`],
  ];
  it.each(forms)("21 several, with ids %s", async (_form, queryOf) => {
    await session.done(21, { query: queryOf(session.workspace.alertIds.slice(0, 3)) });
    expect(await session.alertIds()).toEqual([
      session.workspace.alertIds[3],
      session.workspace.beside.alertId,
    ]);
  });

  it("21 several in different facilities", async () => {
    await session.done(21, {
      query: `alertId=${session.workspace.alertIds[0]},${session.workspace.beside.alertId}`,
    });
    expect(await session.alertIds()).toEqual(session.workspace.alertIds.slice(1));
  });

  it.each([
    ["that does not exist", () => fixedId(session.workspace.number, 999), () => session.workspace.admin.user],
    [
      "at a facility the caller cannot see",
      () => session.workspace.beside.alertId,
      () => session.workspace.local.user,
    ],
    [
      "at a facility the API key cannot see",
      () => session.workspace.beside.alertId,
      () => session.workspace.local.key,
    ],
  ])("21 none when one has an id %s", async (_whose, missing, as) => {
    for (const query of [
      `alertId=${session.workspace.alertIds},${missing()}`,
      `alertId=${missing()},${session.workspace.alertIds}`,
    ]) {
      expect(await session.send(21, { query, as: as() })).toMatchObject({
        status: 404,
        body: { status: "error", code: "NOT_FOUND", message: "Not found" },
      });
    }
    expect(await session.alertIds()).toEqual([
      ...session.workspace.alertIds,
      session.workspace.beside.alertId,
    ]);
  });

  it("21 none when the permission is missing at one facility", async () => {
    await session.done(33, { body: { actions: ["alerts:delete"], userId: session.workspace.memberId } });
    await session.gateway.prisma.facilityAccess.create({
      data: {
        userId: session.workspace.memberId,
        facilityId: session.workspace.beside.facilityId,
        workspaceId: session.workspace.ids.workspaceId,
        actions: ["alerts:read"],
      },
    });
    const response = await session.send(21, {
      query: `alertId=${session.workspace.alertIds},${session.workspace.beside.alertId}`,
      as: session.workspace.member,
    });
    expect(response).toMatchObject({
      status: 403,
      body: { code: "FORBIDDEN", message: expect.stringContaining("alerts:delete") },
    });
    expect(await session.alertIds()).toEqual([
      ...session.workspace.alertIds,
      session.workspace.beside.alertId,
    ]);
    await session.done(21, { query: `alertId=${session.workspace.alertIds}`, as: session.workspace.member });
    expect(await session.alertIds()).toEqual([session.workspace.beside.alertId]);
  });

  it("21 up to 1000 at once", async () => {
    const { workspaceId, facilityId, cameraId } = session.workspace.ids;
    const ids = Array.from({ length: 1001 }, (_, index) => fixedId(session.workspace.number, 10_000 + index));
    await createAlerts(
      session.gateway.prisma,
      ids.map((id) => ({ id, workspaceId, facilityId, cameraId })),
    );
    const repeated = (list: string[]) => list.map((id) => `alertId=${id}`).join("&");
    const tooMany = await session.send(21, { query: repeated(ids) });
    expect(tooMany).toMatchObject({
      status: 400,
      body: { code: "BAD_REQUEST", details: [{ path: "query.alertId" }] },
    });
    const total = async () =>
      (await session.read("/alerts?start=0&end=253402300799999&count=1")).body.data.total;
    expect(await total()).toBe(1006);
    await session.done(21, { query: repeated(ids.slice(0, 1000)) });
    expect(await total()).toBe(6);
  });
});
