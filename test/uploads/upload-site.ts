import { readdir } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished } from "vitest";
import type { PrismaClient } from "../../src/generated/prisma/client.js";
import { createApiKey, createFacility, createUser, createWorkspace, grantAccess } from "../support/factories.js";
import type { Gateway, GatewayOptions, Sender } from "../support/harness.js";
import { type Ground, newGround } from "../writes/ground.js";

/** The largest file that is taken, in bytes. */
export const maximumBytes = 10 * 1024 * 1024;

/** What is left of uploads: stored pictures, files on the way, rows. */
export interface Traces {
  /** The keys of the pictures of cameras and users. */
  stored: string[];
  temporary: string[];
  removals: number;
  cameras: number;
}

/** A gateway with a workspace and a facility to upload to, and a look into what that leaves. */
export class UploadSite {
  private constructor(
    readonly ground: Ground,
    readonly gateway: Gateway,
    readonly ids: { workspaceId: string; facilityId: string; adminId: string; memberId: string },
  ) {}

  /** Holds every permission. */
  readonly admin: Sender = { user: "uploads|admin" };
  /** Sees the facility and holds nothing that any endpoint asks for. */
  readonly member: Sender = { user: "uploads|member" };

  static async open(options: Pick<GatewayOptions, "environment" | "now"> = {}): Promise<UploadSite> {
    const ground = await newGround();
    const gateway = await ground.start(options);
    return new UploadSite(ground, gateway, await createPeople(gateway.prisma));
  }

  /** A site that ends with the running test. */
  static async forTest(options: Pick<GatewayOptions, "environment" | "now"> = {}): Promise<UploadSite> {
    const site = await UploadSite.open(options);
    onTestFinished(() => site.close());
    return site;
  }

  async close(): Promise<void> {
    await this.gateway.close();
    await this.ground.remove();
  }

  /** An API key that holds what uploads of cameras need. */
  newKey(): Promise<Sender> {
    return createApiKey(this.gateway.prisma, { workspaceId: this.ids.workspaceId, permissions: ["cameras:write"] });
  }

  async traces(): Promise<Traces> {
    const { prisma } = this.gateway;
    return { ...(await filesIn(this.dataDirectory)), removals: await prisma.objectRemoval.count(), cameras: await prisma.camera.count() };
  }

  /** What there is once everything that was given up is gone. */
  async settledTraces(): Promise<Traces> {
    await this.gateway.app.idle();
    return this.traces();
  }

  /**
   * Waits until there is nothing but what there was before, as what is stored is deleted in the background, and until the
   * gateway answers.
   */
  async expectUnchanged(before: Traces): Promise<void> {
    await expect.poll(() => this.traces(), { timeout: 5000, interval: 10 }).toEqual(before);
    expect((await this.gateway.fetch("/healthz")).status).toBe(200);
  }

  /** Waits until nothing is stored but the pictures that cameras and users show, and nothing else is left. */
  async expectNothingHidden(): Promise<void> {
    const kept = async () => {
      const { stored, temporary, removals } = await this.traces();
      const shown = new Set(await this.shownPictures());
      return { hidden: stored.filter((key) => !shown.has(key)), missing: shown.size - stored.length, temporary, removals };
    };
    await expect.poll(kept, { timeout: 5000, interval: 10 }).toEqual({ hidden: [], missing: 0, temporary: [], removals: 0 });
  }

  /** The keys of the pictures that cameras and users show. */
  private async shownPictures(): Promise<string[]> {
    const { prisma } = this.gateway;
    const cameras = await prisma.camera.findMany({ where: { removedAt: null } });
    const users = await prisma.user.findMany();
    const keys = [...cameras.flatMap(({ imageLink, thumbnail }) => [imageLink, thumbnail]), ...users.map(({ picture }) => picture)];
    return keys.filter((key): key is string => key !== null && !key.startsWith("https:")).sort();
  }

  get dataDirectory(): string {
    return this.ground.variables.DATA_DIR as string;
  }
}

/** The pictures of cameras and users in a data directory, and whatever lies in the directories of its processes. */
export async function filesIn(dataDirectory: string): Promise<Pick<Traces, "stored" | "temporary">> {
  const below = async (directory: string) => {
    const entries = await readdir(path.join(dataDirectory, directory), { recursive: true, withFileTypes: true }).catch(() => []);
    return entries.map((entry) => ({ entry, name: path.relative(path.join(dataDirectory, directory), path.join(entry.parentPath, entry.name)) }));
  };
  const objects = (await below("objects")).filter(({ entry, name }) => entry.isFile() && /^(cameras|users)\//.test(name));
  // Each process has a directory of its own there.
  const temporary = (await below("temporary")).filter(({ name }) => name.includes(path.sep));
  return { stored: objects.map(({ name }) => name).sort(), temporary: temporary.map(({ name }) => name).sort() };
}

/** Makes a workspace with a facility, and the people who upload to it. */
export async function createPeople(prisma: PrismaClient, prefix = "uploads") {
  const workspaceId = await createWorkspace(prisma, {});
  const facilityId = await createFacility(prisma, { workspaceId });
  const roles = ["cameras:read", "cameras:write", "facilities:read", "users:read", "users:write"];
  const adminId = await createUser(prisma, { workspaceId, authId: `${prefix}|admin`, roles });
  const memberId = await createUser(prisma, { workspaceId, authId: `${prefix}|member` });
  await grantAccess(prisma, { userId: memberId, facilityId, workspaceId, actions: ["api-keys:write"] });
  return { workspaceId, facilityId, adminId, memberId };
}
