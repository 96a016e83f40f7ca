import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import type { PrismaClient } from "../../src/generated/prisma/client.js";
import {
  createApiKey,
  createFacility,
  createUser,
  createWorkspace,
  endKeeping,
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

  async deleteCamera(id = ""): Promise<void> {
    await endKeeping(this.gateway.prisma, id);
    const mutation = "mutation ($id: UUID!) { deleteCamera(id: $id) { id } }";
    await this.gateway.data(mutation, { as: this.admin, variables: { id } });
  }

  /** The stored picture and thumbnail of a camera. */
  async picturesOf(id: string | undefined): Promise<Buffer[]> {
    const query = "query ($id: UUID!) { camera(id: $id) { imageLink thumbnailUrl } }";
    const { camera } = await this.gateway.data<{ camera: Record<string, string> }>(query, {
      as: this.admin,
      variables: { id },
    });
    const answers = Object.values(camera).map((link) => this.gateway.fetch(link));
    return Promise.all(answers.map(async (answer) => Buffer.from(await (await answer).arrayBuffer())));
  }

  async snapshot(): Promise<StorageSnapshot> {
    const { prisma } = this.gateway;
    return {
      ...(await storedFilesIn(this.dataDirectory)),
      removals: await prisma.objectRemoval.count(),
      cameras: await prisma.camera.count(),
    };
  }

  /**
   * A snapshot taken after all uploads, whose clients may have left before, and all pending
   * removals have ended.
   */
  async snapshotWhenIdle(): Promise<StorageSnapshot> {
    await this.seenClosed();
    await expect.poll(async () => (await this.snapshot()).temporary).toEqual([]);
    await this.gateway.app.idle();
    return this.snapshot();
  }

  /** Returns once the gateway has seen the connections close that clients closed before. */
  async seenClosed(): Promise<void> {
    for (let round = 0; round < 3; round += 1) await this.gateway.fetch("/healthz");
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
    await this.seenClosed();
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
  const namesIn = async (directory: string) => {
    const all = await entriesBelow(path.join(dataDirectory, directory));
    return all.map(({ entry, file }) => ({
      isFile: entry.isFile(),
      name: path.relative(path.join(dataDirectory, directory), file),
    }));
  };
  const objects = (await namesIn("objects")).filter(
    ({ isFile, name }) => isFile && /^(cameras|users)\//.test(name),
  );
  // Each process has its own directory there.
  const temporary = (await namesIn("temporary")).filter(({ name }) => name.includes(path.sep));
  return {
    stored: objects.map(({ name }) => name).sort(),
    temporary: temporary.map(({ name }) => name).sort(),
  };
}

/**
 * Everything below a directory. Node.js, asked for it, tells nothing at all if one of the
 * directories disappears meanwhile.
 */
async function entriesBelow(directory: string): Promise<{ entry: Dirent; file: string }[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((error) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const found = await Promise.all(
    entries.map(async (entry) => {
      const file = path.join(directory, entry.name);
      return [{ entry, file }, ...(entry.isDirectory() ? await entriesBelow(file) : [])];
    }),
  );
  return found.flat();
}

/** Creates a workspace with a facility and the users who upload to it. */
export async function createUploadUsers(prisma: PrismaClient, prefix = "uploads") {
  const workspaceId = await createWorkspace(prisma);
  const facilityId = await createFacility(prisma, { workspaceId });
  const roles = ["cameras:read", "cameras:write", "facilities:read", "users:read", "users:write"];
  const adminId = await createUser(prisma, { workspaceId, authId: `${prefix}|admin`, roles });
  const memberId = await createUser(prisma, { workspaceId, authId: `${prefix}|member` });
  await grantAccess(prisma, { userId: memberId, facilityId, workspaceId, actions: ["api-keys:write"] });
  return { workspaceId, facilityId, adminId, memberId };
}
