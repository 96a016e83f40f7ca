import { randomBytes } from "node:crypto";
import { eventually } from "../support/eventually.js";
import {
  createAdmin,
  createAlertClip,
  createAlerts,
  createApiKey,
  createPlace,
  createTestUser,
  createWorkspace,
} from "../support/factories.js";
import { type Gateway, run, type Sender } from "../support/harness.js";
import { filesBelow, openStore } from "../support/object-store.js";
import { TestSite } from "../support/test-site.js";

const day = 24 * 3_600_000;
const content = randomBytes(1000);

/** A gateway with alerts of some ages in days, each with a clip of a thousand bytes in the store. */
async function openSite(...ages: number[]) {
  const testSite = await TestSite.forTest();
  const opened = await openStore("local", testSite.directory);
  const start = Date.now();
  const clock = { ahead: 0 };
  const gateway = await testSite.start({
    now: () => new Date(Date.now() + clock.ahead),
    environment: opened.settings,
  });
  onTestFinished(() => gateway.close());
  const { prisma } = gateway;
  const workspaceId = await createWorkspace(prisma);
  const as = await createApiKey(prisma, {
    workspaceId,
    permissions: ["alerts:read", "alerts:write", "alerts:delete"],
  });
  const place = await createPlace(prisma, { workspaceId });
  const alertIds: string[] = [];
  for (const [index, age] of ages.entries()) {
    const createdAt = new Date(start - age * day);
    const [alertId = ""] = await createAlerts(prisma, [place], createdAt);
    await prisma.alert.updateMany({ where: { id: alertId }, data: { createdAt } });
    const key = `clips/${index}.mp4`;
    await opened.store.put(key, content);
    await createAlertClip(prisma, {
      ...place,
      alertId,
      alertCreatedAt: createdAt,
      key,
      size: 1000,
    });
    alertIds.push(alertId);
  }
  const stored = () =>
    filesBelow(opened.directory).then((files) => files.filter((file) => file.endsWith(".mp4")).sort());
  const linkOf = async (id: string | undefined, caller: Sender = as) => {
    const { alert } = await gateway.data<{ alert: { clip: { url: string } | null } | null }>(
      "query ($id: UUID!) { alert(id: $id) { clip { url } } }",
      { as: caller, variables: { id } },
    );
    return alert?.clip && new URL(alert.clip.url);
  };
  return { gateway, clock, as, place, alertIds, stored, linkOf };
}

it("plays a clip by a signed link, whole or in ranges, as a film and nothing else", async () => {
  const { gateway, alertIds, linkOf, clock } = await openSite(1);
  const link = await linkOf(alertIds[0]);
  const target = `${link?.pathname}${link?.search}`;
  const whole = await gateway.fetch(target);
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    "content-type": "video/mp4",
    "accept-ranges": "bytes",
    "content-length": "1000",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; media-src 'self'; sandbox allow-same-origin",
  });
  expect(whole.headers.get("content-disposition") ?? "inline").toBe("inline");
  const etag = whole.headers.get("etag") ?? "";
  expect(Buffer.from(await whole.arrayBuffer())).toEqual(content);
  const cases: [range: string, status: number, from: number, to: number, ifRange?: string][] = [
    ["bytes=0-0", 206, 0, 1],
    ["bytes=10-19", 206, 10, 20],
    ["bytes=990-", 206, 990, 1000],
    ["bytes=-10", 206, 990, 1000],
    ["bytes=-5000", 206, 0, 1000],
    ["bytes=990-5000", 206, 990, 1000],
    ["bytes=0-1,5-6", 200, 0, 1000],
    ["bytes=5-1", 416, 0, 0],
    ["lines=0-1", 200, 0, 1000],
    ["bytes=1000-", 416, 0, 0],
    ["bytes=0-9", 206, 0, 10, etag],
    ["bytes=0-9", 200, 0, 1000, '"other"'],
  ];
  for (const [range, status, from, to, ifRange] of cases) {
    const headers = { range, ...(ifRange && { "if-range": ifRange }) };
    const response = await gateway.fetch(target, { headers });
    expect([range, response.status]).toEqual([range, status]);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(content.subarray(from, to));
  }
  clock.ahead += 3 * 3_600_000;
  expect((await gateway.fetch(target)).status).toBe(404);
});

/** The alerts that a caller finds with a clip, and those without. */
const foundBy = (gateway: Gateway, as: Sender): Promise<string[][]> =>
  Promise.all(
    [true, false].map(async (hasClip) => {
      const filter = { hasClip, start: new Date(0), end: new Date(Date.now() + day) };
      const { alerts } = await gateway.data<{ alerts: { totalCount: number; nodes: { id: string }[] } }>(
        "query ($filter: AlertFilter!) { alerts(filter: $filter) { totalCount nodes { id } } }",
        { as, variables: { filter } },
      );
      expect(alerts.totalCount).toBe(alerts.nodes.length);
      return alerts.nodes.map(({ id }) => id);
    }),
  );

it("finds alerts by their clips", async () => {
  const { gateway, as, alertIds } = await openSite(1, 2);
  await gateway.prisma.alertClip.deleteMany({ where: { alertId: alertIds[1] as string } });
  expect(await foundBy(gateway, as)).toEqual([[alertIds[0]], [alertIds[1]]]);
});

it("shows a clip, and what has one, to those who see its alert alone; a link is for its clip alone", async () => {
  const { gateway, place, alertIds, linkOf } = await openSite(1, 2);
  const { prisma } = gateway;
  const { workspaceId, facilityId } = place;
  await prisma.alertClip.deleteMany({ where: { alertId: alertIds[1] as string } });
  const viewer = await createTestUser(prisma, { workspaceId, at: { [facilityId]: ["alerts:read"] } });
  const [admin, adminElsewhere] = [await createAdmin(prisma, workspaceId), await createAdmin(prisma)];
  const seenBy = async ({ as }: { as: Sender }) => [
    (await linkOf(alertIds[0], as))?.pathname,
    ...(await foundBy(gateway, as)),
  ];
  const [nothing, all] = [
    [undefined, [], []],
    ["/files/clips/0.mp4", [alertIds[0]], [alertIds[1]]],
  ];
  expect([await seenBy(viewer), await seenBy(adminElsewhere)]).toEqual([all, nothing]);
  const link = await linkOf(alertIds[0], viewer.as);
  await run(gateway, admin, [
    'mutation ($at: UUID!, $id: UUID) { removeFacilityAccess(facilityId: $at, userId: $id, actions: ["alerts:read"]) { actions } }',
    { at: facilityId, id: viewer.id },
  ]);
  expect([await seenBy(viewer), await seenBy(admin)]).toEqual([nothing, all]);
  // Like that of a picture, it needs no credentials until it expires.
  const statusOf = async (path: string) => (await gateway.fetch(`${path}${link?.search}`)).status;
  expect([await statusOf("/files/clips/0.mp4"), await statusOf("/files/clips/1.mp4")]).toEqual([200, 404]);
});

it("removes a clip from the store along with its alert", async () => {
  const { gateway, as, alertIds, stored } = await openSite(1, 2);
  await run(gateway, { as }, [
    "mutation ($ids: [UUID!]!) { deleteAlerts(ids: $ids) { deletedIds } }",
    { ids: [alertIds[0]] },
  ]);
  await eventually(stored, (files) => files.length === 1);
});

it("removes clips after 30 days, but those of bookmarked alerts", async () => {
  const { gateway, clock, as, place, alertIds, stored, linkOf } = await openSite(31, 31, 29);
  await gateway.prisma.alert.updateMany({ where: { id: alertIds[0] as string }, data: { bookmark: true } });
  clock.ahead += 60_000;
  // The workers look again.
  await run(gateway, { as }, [
    "mutation ($id: UUID!) { createAlertUpload(cameraId: $id) { uploadId } }",
    { id: place.cameraId },
  ]);
  await eventually(stored, (files) => files.length === 2);
  expect(await Promise.all(alertIds.map((id) => linkOf(id)))).toEqual([
    expect.any(URL),
    null,
    expect.any(URL),
  ]);
});
