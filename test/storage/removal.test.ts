import { randomBytes, randomUUID } from "node:crypto";
import { inject } from "vitest";
import { keepObjects, releaseObjects, reserveObjects } from "../../src/engine/storage/object-removal.js";
import { createAdmin, createAlerts, createPlace, type TestUser } from "../support/factories.js";
import type { Gateway } from "../support/harness.js";
import { contentOf, openStore, type StoreUnderTest, storeKinds } from "../support/object-store.js";
import { TcpProxy } from "../support/tcp-proxy.js";
import { TestSite } from "../support/test-site.js";

const { server } = inject("resources");
const minute = 60_000;
const start = new Date("2026-11-20T09:20:00.000Z");

/** A user who deletes the alerts of a camera. */
class RemovalSite {
  private constructor(
    public gateway: Gateway,
    private readonly user: TestUser,
    private readonly camera: { workspaceId: string; facilityId: string; cameraId: string },
  ) {}

  static async open(gateway: Gateway): Promise<RemovalSite> {
    const { prisma } = gateway;
    const { workspaceId, facilityId, cameraId } = await createPlace(prisma);
    const user = await createAdmin(prisma, workspaceId);
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
  /** The way of the gateway to the server of the store, if it has one. */
  let network: TcpProxy | undefined;
  const startGateway = () =>
    testSite.start({
      now: () => clock,
      environment: { ...opened.settings, ...(network && { S3_ENDPOINT: network.url }) },
    });
  beforeAll(async () => {
    clock = start;
    testSite = await TestSite.open();
    opened = await openStore(kind, testSite.directory);
    network = opened.server && (await TcpProxy.open(opened.server.url));
    gateway = await startGateway();
    site = await RemovalSite.open(gateway);
  });
  beforeEach(() => {
    clock = start;
  });
  afterAll(async () => {
    await gateway.close();
    await network?.disconnect();
    await opened.close();
    await testSite.remove();
  });

  const whileUnavailable = async (act: () => Promise<void>) => {
    await network?.disconnect();
    try {
      await act();
    } finally {
      await network?.reconnect();
    }
  };
  const startNext = async () => {
    gateway = await startGateway();
    site.gateway = gateway;
  };

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
    const write = gateway.prisma.$transaction((transaction) =>
      keepObjects(transaction, objects(deleted, existing)),
    );
    await expect(write).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(await isStored(existing)).toBe(true);
  });

  it("cannot be kept while it is being deleted", async () => {
    const { prisma } = gateway;
    const key = await stored();
    await reserveObjects(prisma, objects(key), start);
    await prisma.objectRemoval.updateMany({ where: { key }, data: { claimedUntil: start } });
    const write = prisma.$transaction((transaction) => keepObjects(transaction, objects(key)));
    await expect(write).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });

  it("is deleted if it is released after its reservation expired during the upload", async () => {
    const key = `pictures/${randomUUID()}.jpg`;
    await reserveObjects(gateway.prisma, objects(key), start);
    clock = new Date(start.getTime() + 5 * minute);
    await site.runRemovals();
    await opened.store.put(key, randomBytes(100));
    await releaseObjects(gateway.app.database.transact, objects(key), clock);
    await site.runRemovals();
    expect(await isStored(key)).toBe(false);
    expect(await gateway.prisma.objectRemoval.count({ where: { key } })).toBe(0);
  });

  it.runIf(kind === "s3")("is deleted once the server, which was unavailable, is back", async () => {
    const { prisma } = gateway;
    const [url, thumbnailUrl] = [await stored(), await stored()];
    const keys = [url, thumbnailUrl];
    const removals = { where: { key: { in: keys } } };
    await whileUnavailable(async () => {
      await site.deleteAlert(await site.newAlert({ url, thumbnailUrl }));
      // Wait until the first attempt has failed.
      await gateway.app.idle();
      expect((await prisma.objectRemoval.findMany(removals)).map(({ key }) => key).sort()).toEqual(
        keys.toSorted(),
      );
      expect(await Promise.all(keys.map(isStored))).toEqual([true, true]);
    });
    for (const key of keys) await expect.poll(() => isStored(key)).toBe(false);
    await expect.poll(() => prisma.objectRemoval.count(removals)).toBe(0);
  });

  it.runIf(kind === "s3")(
    "is deleted by the next gateway if the server was unavailable during a shutdown",
    async () => {
      const url = await stored();
      await whileUnavailable(async () => {
        await site.deleteAlert(await site.newAlert({ url }));
        await gateway.close();
      });
      const isKept = await isStored(url);
      await startNext();
      expect(isKept).toBe(true);
      await expect.poll(() => isStored(url)).toBe(false);
    },
  );

  it.runIf(kind === "s3")(
    "delays nothing else while the server does not respond to its removal",
    async () => {
      const key = await stored();
      network?.vanish("all");
      try {
        await site.deleteAlert(await site.newAlert({ url: key }));
        await expect
          .poll(() => gateway.prisma.objectRemoval.count({ where: { key, claimedUntil: { gt: clock } } }))
          .toBe(1);
        expect(await site.isResponsive()).toBe(true);
        expect(await isStored(key)).toBe(true);
      } finally {
        network?.restore();
        network?.reset();
      }
      await expect.poll(() => isStored(key)).toBe(false);
    },
  );

  // Others may still use a database on a server.
  it.runIf(kind === "local" && !server)(
    "is deleted immediately by the next gateway if one crashed while deleting it",
    async () => {
      const key = await stored();
      const claimedUntil = new Date(start.getTime() + 5 * minute);
      await gateway.prisma.objectRemoval.create({
        data: { workspaceId: randomUUID(), key, dueAt: claimedUntil, claimedUntil },
      });
      await gateway.close();
      const isKept = await isStored(key);
      await startNext();
      expect(isKept).toBe(true);
      await expect.poll(() => isStored(key)).toBe(false);
    },
  );
});
