import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished } from "vitest";
import { permissions } from "../../src/access/permissions.js";
import { keepObjects, releaseObjects, reserveObjects } from "../../src/storage/object-removal.js";
import { startLocalServer } from "../access/issuer-server.js";
import { createAlerts, createCamera, createFacility, createWorkspace } from "../support/factories.js";
import type { Gateway } from "../support/harness.js";
import { contentOf, openStore, type StoreUnderTest, storeKinds } from "../support/object-store.js";
import { TestSite } from "../support/test-site.js";
import { createTestUser, type TestUser } from "../support/test-user.js";

const { server } = inject("resources");
const minute = 60_000;
const start = new Date("2026-11-20T09:20:00.000Z");
/** The timeout for a removal, including its retries. */
/** A user who deletes the alerts of a camera. */
class RemovalSite {
  private constructor(
    readonly gateway: Gateway,
    private readonly user: TestUser,
    private readonly camera: { workspaceId: string; facilityId: string; cameraId: string },
  ) {}

  static async open(gateway: Gateway): Promise<RemovalSite> {
    const { prisma } = gateway;
    const workspaceId = await createWorkspace(prisma, {});
    const facilityId = await createFacility(prisma, { workspaceId });
    const cameraId = await createCamera(prisma, { workspaceId, facilityId });
    const user = await createTestUser(prisma, { workspaceId, roles: permissions });
    return new RemovalSite(gateway, user, { workspaceId, facilityId, cameraId });
  }

  async newAlert(pictures: { url?: string; thumbnailUrl?: string } = {}): Promise<string> {
    const [id = ""] = await createAlerts(this.gateway.prisma, [{ ...this.camera, ...pictures }]);
    return id;
  }

  async deleteAlert(id: string): Promise<void> {
    const response = await this.gateway.fetch(`/alerts/${id}`, { method: "DELETE", as: this.user.as });
    expect(response.status, await response.text()).toBe(200);
  }

  /** Makes the gateway process all pending removals. */
  async runRemovals(): Promise<void> {
    await this.deleteAlert(await this.newAlert());
    await this.gateway.app.idle();
  }

  /** Whether the gateway responds to a request that reads the database. */
  async isResponsive(): Promise<boolean> {
    const response = this.gateway.fetch("/user", { as: this.user.as, signal: AbortSignal.timeout(5_000) });
    return response.then(
      ({ status }) => status === 200,
      () => false,
    );
  }
}

let opened: StoreUnderTest;
async function stored(): Promise<string> {
  const key = `pictures/${randomUUID()}.jpg`;
  await opened.store.put(key, randomBytes(100));
  return key;
}
const workspaceId = randomUUID();
const objects = (...keys: string[]) => ({ workspaceId, keys });
const isStored = async (key: string) => (await contentOf(opened.store, key)) !== undefined;

describe.each(storeKinds)("a picture in the %s store", (kind) => {
  let testSite: TestSite;
  let gateway: Gateway;
  let site: RemovalSite;
  let clock: Date;
  beforeAll(async () => {
    clock = start;
    testSite = await TestSite.open();
    opened = await openStore(kind, testSite.directory);
    gateway = await testSite.start({ now: () => clock, environment: opened.settings });
    site = await RemovalSite.open(gateway);
  });
  beforeEach(() => {
    clock = start;
  });
  afterAll(async () => {
    await gateway.close();
    await opened.close();
    await testSite.remove();
  });

  it("is deleted with its alert, and no other is", async () => {
    const [url, thumbnailUrl, kept] = [await stored(), await stored(), await stored()];
    const id = await site.newAlert({ url, thumbnailUrl });
    await site.newAlert({ url: kept });
    await site.deleteAlert(id);
    await expect.poll(() => isStored(url)).toBe(false);
    await expect.poll(() => isStored(thumbnailUrl)).toBe(false);
    await gateway.app.idle();
    expect(await isStored(kept)).toBe(true);
    expect(await gateway.prisma.objectRemoval.count()).toBe(0);
  });

  it("is deleted even if another picture of the alert is already missing", async () => {
    const thumbnailUrl = await stored();
    await site.deleteAlert(await site.newAlert({ url: `pictures/${randomUUID()}.jpg`, thumbnailUrl }));
    await expect.poll(() => isStored(thumbnailUrl)).toBe(false);
    await expect.poll(() => gateway.prisma.objectRemoval.count()).toBe(0);
  });

  it("is deleted even if the other URL of the alert is not an object key", async () => {
    const thumbnailUrl = await stored();
    await site.deleteAlert(await site.newAlert({ url: "../secrets.json", thumbnailUrl }));
    await expect.poll(() => isStored(thumbnailUrl)).toBe(false);
    await expect.poll(() => gateway.prisma.objectRemoval.count()).toBe(0);
  });

  it("is deleted as soon as its reservation has expired", async () => {
    const [early, late] = [await stored(), await stored()];
    await reserveObjects(gateway.prisma, objects(early), start);
    await reserveObjects(gateway.prisma, objects(late), new Date(start.getTime() + 1));
    await site.runRemovals();
    expect([await isStored(early), await isStored(late)]).toEqual([true, true]);
    clock = new Date(start.getTime() + 5 * minute);
    await site.runRemovals();
    expect([await isStored(early), await isStored(late)]).toEqual([false, true]);
    clock = new Date(start.getTime() + 5 * minute + 1);
    await site.runRemovals();
    expect([await isStored(early), await isStored(late)]).toEqual([false, false]);
  });

  it("is kept permanently once a write refers to it", async () => {
    const key = await stored();
    await reserveObjects(gateway.prisma, objects(key), start);
    await gateway.prisma.$transaction((transaction) => keepObjects(transaction, objects(key)));
    clock = new Date(start.getTime() + 60 * minute);
    await site.runRemovals();
    expect(await isStored(key)).toBe(true);
  });

  it("is deleted if the write that refers to it fails", async () => {
    const key = await stored();
    await reserveObjects(gateway.prisma, objects(key), start);
    const write = gateway.prisma.$transaction(async (transaction) => {
      await keepObjects(transaction, objects(key));
      throw new Error("The write failed");
    });
    await expect(write).rejects.toThrow("The write failed");
    clock = new Date(start.getTime() + 5 * minute);
    await site.runRemovals();
    expect(await isStored(key)).toBe(false);
  });

  it("cannot be kept after it was deleted", async () => {
    const [deleted, existing] = [await stored(), await stored()];
    await reserveObjects(gateway.prisma, objects(deleted), start);
    clock = new Date(start.getTime() + 5 * minute);
    await site.runRemovals();
    await reserveObjects(gateway.prisma, objects(existing), clock);
    const write = gateway.prisma.$transaction((transaction) => keepObjects(transaction, objects(deleted, existing)));
    await expect(write).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(await isStored(existing)).toBe(true);
  });

  it("is deleted immediately if it is released", async () => {
    const key = await stored();
    await reserveObjects(gateway.prisma, objects(key), start);
    await releaseObjects(gateway.prisma, objects(key), start);
    await site.runRemovals();
    expect(await isStored(key)).toBe(false);
  });

  it("is deleted if it is released after its reservation expired during the upload", async () => {
    const key = `pictures/${randomUUID()}.jpg`;
    await reserveObjects(gateway.prisma, objects(key), start);
    clock = new Date(start.getTime() + 5 * minute);
    await site.runRemovals();
    await opened.store.put(key, randomBytes(100));
    await releaseObjects(gateway.prisma, objects(key), clock);
    await site.runRemovals();
    expect(await isStored(key)).toBe(false);
    expect(await gateway.prisma.objectRemoval.count({ where: { key } })).toBe(0);
  });
});

describe("an S3 server", () => {
  let testSite: TestSite;
  beforeAll(async () => {
    testSite = await TestSite.open();
    opened = await openStore("s3", testSite.directory);
  });
  afterAll(async () => {
    await opened.close();
    await testSite.remove();
  });

  async function openSite(settings: Record<string, string>): Promise<RemovalSite> {
    const gateway = await testSite.start({ environment: settings });
    onTestFinished(() => gateway.close());
    return RemovalSite.open(gateway);
  }

  it("that is unavailable delays removals: pictures are deleted once it is back", async () => {
    const site = await openSite(opened.settings);
    const { prisma } = site.gateway;
    const [url, thumbnailUrl] = [await stored(), await stored()];
    const keys = [url, thumbnailUrl];
    await opened.server?.stop();
    await site.deleteAlert(await site.newAlert({ url, thumbnailUrl }));
    // Wait until the first attempt has failed.
    await site.gateway.app.idle();
    expect((await prisma.objectRemoval.findMany()).map(({ key }) => key).sort()).toEqual(keys.toSorted());
    await opened.server?.restart();
    expect(await Promise.all(keys.map(isStored))).toEqual([true, true]);
    for (const key of keys) await expect.poll(() => isStored(key)).toBe(false);
    await expect.poll(() => prisma.objectRemoval.count()).toBe(0);
  });

  it("that is unavailable during a shutdown is retried by the next gateway", async () => {
    const first = await testSite.start({ environment: opened.settings });
    const site = await RemovalSite.open(first);
    const url = await stored();
    await opened.server?.stop();
    await site.deleteAlert(await site.newAlert({ url }));
    await first.close();
    await opened.server?.restart();
    expect(await isStored(url)).toBe(true);
    await openSite(opened.settings);
    await expect.poll(() => isStored(url)).toBe(false);
  });

  it("that does not respond delays only the removal", async () => {
    const unresponsive = await startLocalServer(() => {});
    const site = await openSite({ ...opened.settings, S3_ENDPOINT: unresponsive.url });
    onTestFinished(unresponsive.close);
    await site.deleteAlert(await site.newAlert({ url: await stored() }));
    await expect.poll(() => unresponsive.requests.length).toBeGreaterThan(0);
    expect(await site.isResponsive()).toBe(true);
  });
});

it.runIf(!server)("an embedded gateway immediately deletes what a crashed one left", async () => {
  const testSite = await TestSite.open();
  onTestFinished(() => testSite.remove());
  const key = await testSite.storePicture(`pictures/${randomUUID()}.jpg`);
  const first = await testSite.start();
  const claimedUntil = new Date(Date.now() + 5 * minute);
  await first.prisma.objectRemoval.create({ data: { workspaceId: randomUUID(), key, dueAt: claimedUntil, claimedUntil } });
  await first.close();
  const second = await testSite.start();
  onTestFinished(() => second.close());
  await expect.poll(() => testSite.isStored(key)).toBe(false);
});
