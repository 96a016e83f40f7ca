import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Permission, permissions } from "../../src/access/permissions.js";
import type { Prisma } from "../../src/generated/prisma/client.js";
import { createAlerts, createApiKey, createCamera, createFacility, createWorkspace } from "../support/factories.js";
import type { Gateway } from "../support/harness.js";
import { type Ground, newGround } from "./ground.js";
import { type Call, newWriter, refusal, run, unknownId, type Writer } from "./writer.js";

type Place = { workspaceId: string; facilityId: string; cameraId: string };

const start = new Date(Math.floor(Date.now() / 1000) * 1000);
const at = (seconds: number) => new Date(start.getTime() + seconds * 1000);

let ground: Ground;
let gateway: Gateway;
let clock = start;
let here: Place;
let there: Place;
let elsewhere: Place;
let admin: Writer;
let foreigner: Writer;
beforeAll(async () => {
  ground = await newGround();
  gateway = await ground.start({ now: () => clock });
  const { prisma } = gateway;
  const newPlace = async (workspaceId: string): Promise<Place> => {
    const facilityId = await createFacility(prisma, { workspaceId });
    return { workspaceId, facilityId, cameraId: await createCamera(prisma, { workspaceId, facilityId }) };
  };
  const workspaceId = await createWorkspace(prisma, {});
  here = await newPlace(workspaceId);
  there = await newPlace(workspaceId);
  elsewhere = await newPlace(await createWorkspace(prisma, {}));
  admin = await newWriter(prisma, { workspaceId, roles: permissions });
  foreigner = await newWriter(prisma, { workspaceId: elsewhere.workspaceId, roles: permissions });
});
afterAll(async () => {
  await gateway.close();
  await ground.remove();
});

const newAlert = async (place = here, values: Partial<Prisma.AlertUncheckedCreateInput> = {}) =>
  (await createAlerts(gateway.prisma, [{ ...place, ...values }]))[0] as string;
const stored = (id: string, { workspaceId } = here) => gateway.prisma.alert.findUnique({ where: { workspaceId_id: { workspaceId, id } } });
const newUser = (actions: readonly Permission[], places = [here]) =>
  newWriter(gateway.prisma, { workspaceId: here.workspaceId, at: Object.fromEntries(places.map((place) => [place.facilityId, [...actions]])) });
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

  it("keeps the mark, who set it and when, and shows it at once", async () => {
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

  it("takes the mark back, and keeps who did it and when", async () => {
    const id = await newAlert(here, { [mark]: true });
    const caller = await newUser(["alerts:write"]);
    clock = at(20);
    expect(await run(gateway, caller, set(id, false))).toMatchObject({
      alert: { [mark]: false, [`${mark}ChangedById`]: caller.id, [`${mark}ChangedAt`]: at(20).toISOString() },
    });
  });

  it("changes nothing where the mark is as wanted already: the first one stays who set it", async () => {
    const id = await newAlert();
    clock = at(30);
    const first = await run(gateway, admin, set(id, true));
    clock = at(40);
    expect(await run(gateway, await newUser(["alerts:write"]), set(id, true))).toEqual(first);
    const untouched = await newAlert();
    expect(await run(gateway, admin, set(untouched, false))).toMatchObject({ alert: { [mark]: false, [`${mark}ChangedById`]: null } });
  });

  it("names an API key that set it", async () => {
    const key = await createApiKey(gateway.prisma, { workspaceId: here.workspaceId, permissions: ["alerts:write"], facilityIds: [here.facilityId] });
    expect(await run(gateway, { as: key }, set(await newAlert(), true))).toMatchObject({ alert: { [`${mark}ChangedById`]: key.id } });
  });

  it("needs alerts:write at the facility", async () => {
    const id = await newAlert();
    const caller = await newUser(permissions.filter((each) => each !== "alerts:write"));
    expect(await refusal(gateway, caller, set(id, true))).toEqual({
      code: "FORBIDDEN",
      message: "This needs the permission alerts:write at the facility",
    });
    expect(await stored(id)).toMatchObject({ [mark]: false });
  });

  it("answers for an alert that the caller does not see exactly as for one that never was", async () => {
    const caller = await newUser(permissions);
    const never = await refusal(gateway, caller, set(unknownId, true));
    expect(never).toEqual({ code: "NOT_FOUND", message: "Not found" });
    for (const place of [there, elsewhere]) {
      const id = await newAlert(place);
      expect(await refusal(gateway, caller, set(id, true))).toEqual(never);
      expect(await stored(id, place)).toMatchObject({ [mark]: false });
    }
  });

  it("leaves the alert alone that has the same id in another workspace", async () => {
    const id = randomUUID();
    for (const place of [here, elsewhere]) await newAlert(place, { id });
    await run(gateway, admin, set(id, true));
    expect(await stored(id, here)).toMatchObject({ [mark]: true });
    expect(await stored(id, elsewhere)).toMatchObject({ [mark]: false, [`${mark}ChangedById`]: null });
  });

  it("reads the alert anew when an alert is marked twice in one document", async () => {
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

  it("deletes at once what is named, each once, and nothing else", async () => {
    const [first, second, kept] = [await newAlert(), await newAlert(there), await newAlert()];
    const { deleteAlerts } = await run<{ deleteAlerts: { deletedIds: string[] } }>(gateway, admin, remove(first, second.toUpperCase(), first));
    expect(deleteAlerts.deletedIds.toSorted()).toEqual([first, second].toSorted());
    expect([await visible(first), await visible(second), await visible(kept)]).toEqual([false, false, true]);
  });

  it("deletes 1000 alerts in one go", async () => {
    const ids = await createAlerts(gateway.prisma, Array(1000).fill(here));
    await run(gateway, admin, remove(...ids));
    expect(await gateway.prisma.alert.count({ where: { id: { in: ids } } })).toBe(0);
  });

  it.each<[string, () => Promise<string>]>([
    ["was never there", async () => unknownId],
    ["the caller does not see", () => newAlert(there)],
    ["belongs to another workspace", () => newAlert(elsewhere)],
    [
      "was deleted before",
      async () => {
        const id = await newAlert();
        await run(gateway, admin, remove(id));
        return id;
      },
    ],
  ])("deletes none when there is one that %s", async (_case, other) => {
    const caller = await newUser(permissions);
    const [id, missing] = [await newAlert(), await other()];
    const count = await gateway.prisma.alert.count();
    expect(await refusal(gateway, caller, remove(id, missing))).toEqual({ code: "NOT_FOUND", message: "Not found" });
    expect(await gateway.prisma.alert.count()).toBe(count);
  });

  it("needs alerts:delete at the facility of every alert, and deletes none without", async () => {
    const others = permissions.filter((each) => each !== "alerts:delete");
    const at = { [here.facilityId]: [...permissions], [there.facilityId]: others };
    const caller = await newWriter(gateway.prisma, { workspaceId: here.workspaceId, at });
    const [near, far] = [await newAlert(here), await newAlert(there)];
    expect(await refusal(gateway, caller, remove(near, far))).toEqual({
      code: "FORBIDDEN",
      message: "This needs the permission alerts:delete at the facility",
    });
    expect([await visible(near), await visible(far)]).toEqual([true, true]);
    await run(gateway, caller, remove(near));
    expect(await visible(near)).toBe(false);
  });

  it("leaves the alert alone that has the same id in another workspace", async () => {
    const id = randomUUID();
    for (const place of [here, elsewhere]) await newAlert(place, { id });
    await run(gateway, admin, remove(id));
    expect(await visible(id)).toBe(false);
    expect(await visible(id, foreigner)).toBe(true);
  });

  it.each<[string, () => string[], string]>([
    ["no id", () => [], "ids"],
    ["1001 ids", () => Array.from({ length: 1001 }, () => randomUUID()), "ids"],
    ["an id that is none", () => [unknownId, "1"], "ids.1"],
  ])("refuses %s", async (_what, ids, fault) => {
    expect(await refusal(gateway, admin, remove(...ids()))).toMatchObject({ code: "BAD_REQUEST", paths: [fault] });
  });

  it("removes the stored pictures, and leaves those of other alerts", async () => {
    const [url, thumbnailUrl, other] = [`alerts/${randomUUID()}.jpg`, `alerts/${randomUUID()}.webp`, `alerts/${randomUUID()}.png`];
    for (const key of [url, thumbnailUrl, other]) await ground.storePicture(key);
    await newAlert(here, { url: other });
    await run(gateway, admin, remove(await newAlert(here, { url, thumbnailUrl })));
    await expect.poll(() => [url, thumbnailUrl].filter(ground.isStored)).toEqual([]);
    expect(ground.isStored(other)).toBe(true);
  });

  it("leaves absolute addresses alone, and pictures that are gone are no fault", async () => {
    const last = await ground.storePicture(`alerts/${randomUUID()}.jpg`);
    const absolute = await newAlert(here, { url: "https://images.example/alerts/1.jpg", thumbnailUrl: "HTTP://images.example/1.jpg" });
    await run(gateway, admin, remove(absolute));
    await run(gateway, admin, remove(await newAlert(here, { url: `alerts/${randomUUID()}.jpg` })));
    await run(gateway, admin, remove(await newAlert(here, { url: last })));
    await expect.poll(() => ground.isStored(last)).toBe(false);
    await expect.poll(() => gateway.prisma.objectRemoval.count()).toBe(0);
  });

  it("keeps the pictures when it is refused", async () => {
    const url = await ground.storePicture(`alerts/${randomUUID()}.jpg`);
    await refusal(gateway, admin, remove(await newAlert(here, { url }), unknownId));
    expect(await gateway.prisma.objectRemoval.count({ where: { key: url } })).toBe(0);
    expect(ground.isStored(url)).toBe(true);
  });

  it("does not let a stored name that is no key keep other pictures from being removed", async () => {
    const url = await ground.storePicture(`alerts/${randomUUID()}.jpg`);
    await run(gateway, admin, remove(await newAlert(here, { url: "../Not a key" })));
    await run(gateway, admin, remove(await newAlert(here, { url })));
    await expect.poll(() => gateway.prisma.objectRemoval.count()).toBe(0);
    expect(ground.isStored(url)).toBe(false);
  });
});
