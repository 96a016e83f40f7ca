import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished } from "vitest";
import { permissions } from "../../src/access/permissions.js";
import { keepObjects, releaseObjects, reserveObjects } from "../../src/storage/object-removal.js";
import { startLocalServer } from "../access/issuer-server.js";
import { createAlerts, createCamera, createFacility, createWorkspace } from "../support/factories.js";
import type { Gateway } from "../support/harness.js";
import { type Ground, newGround } from "../writes/ground.js";
import { newWriter, type Writer } from "../writes/writer.js";
import { contentOf, openStore, type StoreUnderTest, storeKinds } from "./store-under-test.js";

const { server } = inject("templates");
const minute = 60_000;
const start = new Date("2026-11-20T09:20:00.000Z");
/** What waiting for a removal may take, retries and all. */
const patience = { timeout: 20_000 };

/** Who deletes the alerts of a camera. */
class Site {
  private constructor(
    readonly gateway: Gateway,
    private readonly writer: Writer,
    private readonly place: { workspaceId: string; facilityId: string; cameraId: string },
  ) {}

  static async open(gateway: Gateway): Promise<Site> {
    const { prisma } = gateway;
    const workspaceId = await createWorkspace(prisma, {});
    const facilityId = await createFacility(prisma, { workspaceId });
    const cameraId = await createCamera(prisma, { workspaceId, facilityId });
    const writer = await newWriter(prisma, { workspaceId, roles: permissions });
    return new Site(gateway, writer, { workspaceId, facilityId, cameraId });
  }

  async newAlert(pictures: { url?: string; thumbnailUrl?: string } = {}): Promise<string> {
    const [id = ""] = await createAlerts(this.gateway.prisma, [{ ...this.place, ...pictures }]);
    return id;
  }

  async deleteAlert(id: string): Promise<void> {
    const response = await this.gateway.fetch(`/alerts/${id}`, { method: "DELETE", as: this.writer.as });
    expect(response.status, await response.text()).toBe(200);
  }

  /** Has the gateway look for what is to be removed, until it finds no more. */
  async lookAgain(): Promise<void> {
    await this.deleteAlert(await this.newAlert());
    await this.gateway.app.idle();
  }

  /** Whether the gateway answers a question to the database soon. */
  async isAtHand(): Promise<boolean> {
    const asked = this.gateway.fetch("/user", { as: this.writer.as, signal: AbortSignal.timeout(5_000) });
    return asked.then(
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
const isStored = async (key: string) => (await contentOf(opened.store, key)) !== undefined;

describe.each(storeKinds)("a picture in the store %s", (kind) => {
  let ground: Ground;
  let gateway: Gateway;
  let site: Site;
  let clock: Date;
  beforeAll(async () => {
    clock = start;
    ground = await newGround();
    opened = await openStore(kind, ground.directory);
    gateway = await ground.start({ now: () => clock, environment: opened.settings });
    site = await Site.open(gateway);
  });
  beforeEach(() => {
    clock = start;
  });
  afterAll(async () => {
    await gateway.close();
    await opened.close();
    await ground.remove();
  });

  it("goes with the alert that shows it, and no other does", async () => {
    const [url, thumbnailUrl, kept] = [await stored(), await stored(), await stored()];
    const id = await site.newAlert({ url, thumbnailUrl });
    await site.newAlert({ url: kept });
    await site.deleteAlert(id);
    await expect.poll(() => isStored(url), patience).toBe(false);
    await expect.poll(() => isStored(thumbnailUrl), patience).toBe(false);
    await gateway.app.idle();
    expect(await isStored(kept)).toBe(true);
    expect(await gateway.prisma.objectRemoval.count()).toBe(0);
  });

  it("goes though another one of the alert is gone already", async () => {
    const thumbnailUrl = await stored();
    await site.deleteAlert(await site.newAlert({ url: `pictures/${randomUUID()}.jpg`, thumbnailUrl }));
    await expect.poll(() => isStored(thumbnailUrl), patience).toBe(false);
    await expect.poll(() => gateway.prisma.objectRemoval.count(), patience).toBe(0);
  });

  it("goes though what an alert shows beside it can be no picture", async () => {
    const thumbnailUrl = await stored();
    await site.deleteAlert(await site.newAlert({ url: "../secrets.json", thumbnailUrl }));
    await expect.poll(() => isStored(thumbnailUrl), patience).toBe(false);
    await expect.poll(() => gateway.prisma.objectRemoval.count(), patience).toBe(0);
  });

  it("goes once the time of its reservation has passed, and not a moment earlier", async () => {
    const [early, late] = [await stored(), await stored()];
    await reserveObjects(gateway.prisma, [early], start);
    await reserveObjects(gateway.prisma, [late], new Date(start.getTime() + 1));
    await site.lookAgain();
    expect([await isStored(early), await isStored(late)]).toEqual([true, true]);
    clock = new Date(start.getTime() + 5 * minute);
    await site.lookAgain();
    expect([await isStored(early), await isStored(late)]).toEqual([false, true]);
    clock = new Date(start.getTime() + 5 * minute + 1);
    await site.lookAgain();
    expect([await isStored(early), await isStored(late)]).toEqual([false, false]);
  });

  it("stays for good once a write keeps it", async () => {
    const key = await stored();
    await reserveObjects(gateway.prisma, [key], start);
    await gateway.prisma.$transaction((transaction) => keepObjects(transaction, [key]));
    clock = new Date(start.getTime() + 60 * minute);
    await site.lookAgain();
    expect(await isStored(key)).toBe(true);
  });

  it("goes when the write that would have kept it fails", async () => {
    const key = await stored();
    await reserveObjects(gateway.prisma, [key], start);
    const write = gateway.prisma.$transaction(async (transaction) => {
      await keepObjects(transaction, [key]);
      throw new Error("The write failed");
    });
    await expect(write).rejects.toThrow("The write failed");
    clock = new Date(start.getTime() + 5 * minute);
    await site.lookAgain();
    expect(await isStored(key)).toBe(false);
  });

  it("cannot be kept when it is gone", async () => {
    const [gone, there] = [await stored(), await stored()];
    await reserveObjects(gateway.prisma, [gone], start);
    clock = new Date(start.getTime() + 5 * minute);
    await site.lookAgain();
    await reserveObjects(gateway.prisma, [there], clock);
    const write = gateway.prisma.$transaction((transaction) => keepObjects(transaction, [gone, there]));
    await expect(write).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(await isStored(there)).toBe(true);
  });

  it("goes at once when it is given up", async () => {
    const key = await stored();
    await reserveObjects(gateway.prisma, [key], start);
    await releaseObjects(gateway.prisma, [key], start);
    await site.lookAgain();
    expect(await isStored(key)).toBe(false);
  });

  it("goes when it is given up after its reservation ran out while it was being stored", async () => {
    const key = `pictures/${randomUUID()}.jpg`;
    await reserveObjects(gateway.prisma, [key], start);
    clock = new Date(start.getTime() + 5 * minute);
    await site.lookAgain();
    await opened.store.put(key, randomBytes(100));
    await releaseObjects(gateway.prisma, [key], clock);
    await site.lookAgain();
    expect(await isStored(key)).toBe(false);
    expect(await gateway.prisma.objectRemoval.count({ where: { key } })).toBe(0);
  });
});

describe("an S3 server", () => {
  let ground: Ground;
  beforeAll(async () => {
    ground = await newGround();
    opened = await openStore("s3", ground.directory);
  });
  afterAll(async () => {
    await opened.close();
    await ground.remove();
  });

  async function openSite(settings: Record<string, string>): Promise<Site> {
    const gateway = await ground.start({ environment: settings });
    onTestFinished(() => gateway.close());
    return Site.open(gateway);
  }

  it("that is away loses nothing: pictures go when it is back", async () => {
    const site = await openSite(opened.settings);
    const { prisma } = site.gateway;
    const [url, thumbnailUrl] = [await stored(), await stored()];
    const keys = [url, thumbnailUrl];
    await opened.server?.stop();
    await site.deleteAlert(await site.newAlert({ url, thumbnailUrl }));
    // Until the first attempt has failed.
    await site.gateway.app.idle();
    expect((await prisma.objectRemoval.findMany()).map(({ key }) => key).sort()).toEqual(keys.toSorted());
    await opened.server?.restart();
    expect(await Promise.all(keys.map(isStored))).toEqual([true, true]);
    for (const key of keys) await expect.poll(() => isStored(key), patience).toBe(false);
    await expect.poll(() => prisma.objectRemoval.count(), patience).toBe(0);
  });

  it("that is away while a gateway ends is asked by the next one", async () => {
    const first = await ground.start({ environment: opened.settings });
    const site = await Site.open(first);
    const url = await stored();
    await opened.server?.stop();
    await site.deleteAlert(await site.newAlert({ url }));
    await first.close();
    await opened.server?.restart();
    expect(await isStored(url)).toBe(true);
    await openSite(opened.settings);
    await expect.poll(() => isStored(url), patience).toBe(false);
  });

  it("that never answers holds up nobody but the removal", async () => {
    const silent = await startLocalServer(() => {});
    const site = await openSite({ ...opened.settings, S3_ENDPOINT: silent.url });
    onTestFinished(silent.close);
    await site.deleteAlert(await site.newAlert({ url: await stored() }));
    await expect.poll(() => silent.requests.length, patience).toBeGreaterThan(0);
    expect(await site.isAtHand()).toBe(true);
  });
});

it.runIf(!server)("an embedded gateway deletes at once what an earlier one died over", async () => {
  const ground = await newGround();
  onTestFinished(() => ground.remove());
  const key = await ground.storePicture(`pictures/${randomUUID()}.jpg`);
  const first = await ground.start();
  const claimedUntil = new Date(Date.now() + 5 * minute);
  await first.prisma.objectRemoval.create({ data: { key, dueAt: claimedUntil, claimedUntil } });
  await first.close();
  const second = await ground.start();
  onTestFinished(() => second.close());
  await expect.poll(() => ground.isStored(key), patience).toBe(false);
});
