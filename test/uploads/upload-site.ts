import { readdir } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished } from "vitest";
import type { PrismaClient } from "../../src/generated/prisma/client.js";
import {
  createApiKey,
  createFacility,
  createUser,
  createWorkspace,
  grantAccess,
} from "../support/factories.js";
import type { Gateway, GatewayOptions, Sender } from "../support/harness.js";
import { TestSite } from "../support/test-site.js";
import { pictureAs } from "./sample-pictures.js";

/** The maximum size of a file. */
export const maxBytes = 10 * 1024 * 1024;

/** The results of uploads: pictures, temporary files and rows. */
export interface StorageSnapshot {
  /** The keys of the pictures of cameras and users. */
  stored: string[];
  temporary: string[];
  removals: number;
  cameras: number;
}

/**
 * A gateway with a workspace and a facility for uploads. Shows the leftovers of uploads.
 */
export class UploadSite {
  private constructor(
    readonly testSite: TestSite,
    readonly gateway: Gateway,
    readonly ids: { workspaceId: string; facilityId: string; adminId: string; memberId: string },
  ) {}

  /** Holds every permission. */
  readonly admin: Sender = { user: "uploads|admin" };
  /** Sees the facility but holds no permission that an upload requires. */
  readonly member: Sender = { user: "uploads|member" };

  static async open(options: Pick<GatewayOptions, "environment" | "now"> = {}): Promise<UploadSite> {
    const testSite = await TestSite.open();
    const gateway = await testSite.start(options);
    return new UploadSite(testSite, gateway, await createUploadUsers(gateway.prisma));
  }

  /** A site that is closed at the end of the test. */
  static async forTest(options: Pick<GatewayOptions, "environment" | "now"> = {}): Promise<UploadSite> {
    const site = await UploadSite.open(options);
    onTestFinished(() => site.close());
    return site;
  }

  async close(): Promise<void> {
    await this.gateway.close();
    await this.testSite.remove();
  }

  /** An API key with the permission to add cameras. */
  newKey(): Promise<Sender> {
    return createApiKey(this.gateway.prisma, {
      workspaceId: this.ids.workspaceId,
      permissions: ["cameras:write"],
    });
  }

  async snapshot(): Promise<StorageSnapshot> {
    const { prisma } = this.gateway;
    return {
      ...(await storedFilesIn(this.dataDirectory)),
      removals: await prisma.objectRemoval.count(),
      cameras: await prisma.camera.count(),
    };
  }

  /** A snapshot taken after all pending removals have finished. */
  async snapshotWhenIdle(): Promise<StorageSnapshot> {
    await this.gateway.app.idle();
    return this.snapshot();
  }

  /**
   * Waits until the storage is as before, because objects are deleted in the background.
   * Then checks that the gateway still responds.
   */
  async expectUnchanged(before: StorageSnapshot): Promise<void> {
    await expect.poll(() => this.snapshot()).toEqual(before);
    expect((await this.gateway.fetch("/healthz")).status).toBe(200);
  }

  /**
   * Waits until only pictures of cameras and users are stored, without temporary files or
   * pending removals.
   */
  async expectNoOrphans(): Promise<void> {
    const inventory = async () => {
      const { stored, temporary, removals } = await this.snapshot();
      const referenced = new Set(await this.referencedPictures());
      return {
        orphaned: stored.filter((key) => !referenced.has(key)),
        missing: referenced.size - stored.length,
        temporary,
        removals,
      };
    };
    await expect.poll(inventory).toEqual({ orphaned: [], missing: 0, temporary: [], removals: 0 });
  }

  /** The keys of the pictures of cameras and users. */
  private async referencedPictures(): Promise<string[]> {
    const { prisma } = this.gateway;
    const cameras = await prisma.camera.findMany({ where: { removedAt: null } });
    const users = await prisma.user.findMany();
    const keys = [
      ...cameras.flatMap(({ imageLink, thumbnail }) => [imageLink, thumbnail]),
      ...users.map(({ picture }) => picture),
    ];
    return keys.filter((key): key is string => key !== null && !key.startsWith("https:")).sort();
  }

  get dataDirectory(): string {
    return this.testSite.variables.DATA_DIR as string;
  }
}

/**
 * Opens a site and a picture for uploads that are rejected; `before` is the initial state
 * of the storage.
 */
export async function openForRefusedUploads(): Promise<{
  site: UploadSite;
  before: StorageSnapshot;
  picture: Buffer;
}> {
  const site = await UploadSite.open();
  return { site, before: await site.snapshot(), picture: await pictureAs("jpeg", 64, 40) };
}

/** The pictures of cameras and users in a data directory, and its temporary files. */
export async function storedFilesIn(
  dataDirectory: string,
): Promise<Pick<StorageSnapshot, "stored" | "temporary">> {
  const below = async (directory: string) => {
    const entries = await readdir(path.join(dataDirectory, directory), {
      recursive: true,
      withFileTypes: true,
    }).catch(() => []);
    return entries.map((entry) => ({
      entry,
      name: path.relative(path.join(dataDirectory, directory), path.join(entry.parentPath, entry.name)),
    }));
  };
  const objects = (await below("objects")).filter(
    ({ entry, name }) => entry.isFile() && /^(cameras|users)\//.test(name),
  );
  // Each process has its own directory there.
  const temporary = (await below("temporary")).filter(({ name }) => name.includes(path.sep));
  return {
    stored: objects.map(({ name }) => name).sort(),
    temporary: temporary.map(({ name }) => name).sort(),
  };
}

/** Creates a workspace with a facility and the users who upload to it. */
export async function createUploadUsers(prisma: PrismaClient, prefix = "uploads") {
  const workspaceId = await createWorkspace(prisma, {});
  const facilityId = await createFacility(prisma, { workspaceId });
  const roles = ["cameras:read", "cameras:write", "facilities:read", "users:read", "users:write"];
  const adminId = await createUser(prisma, { workspaceId, authId: `${prefix}|admin`, roles });
  const memberId = await createUser(prisma, { workspaceId, authId: `${prefix}|member` });
  await grantAccess(prisma, { userId: memberId, facilityId, workspaceId, actions: ["api-keys:write"] });
  return { workspaceId, facilityId, adminId, memberId };
}
