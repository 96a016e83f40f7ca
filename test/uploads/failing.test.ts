import { rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished } from "vitest";
import { createUser } from "../support/factories.js";
import { type Door, doors, outcomeOf, rest } from "./doors.js";
import { sceneAs } from "./samples.js";
import { secondHalf, sendHalf, type WireAnswer } from "./slow-client.js";
import { type Traces, UploadSite } from "./upload-site.js";
import { uploadsOf } from "./uploads-by-hand.js";

const { server } = inject("templates");

let site: UploadSite;
let before: Traces;
let picture: Buffer;
beforeAll(async () => {
  site = await UploadSite.open();
  picture = await sceneAs("jpeg", 64, 40);
  for (const [, door] of doors) {
    await door.addCamera(site, picture);
    await door.changeUser(site, picture);
  }
});
beforeEach(async () => {
  before = await site.traces();
});
afterAll(() => site.close());

/** Changes the database for the running test. */
async function change(sql: string, back: string): Promise<void> {
  await site.gateway.prisma.$executeRawUnsafe(sql);
  onTestFinished(async () => void (await site.gateway.prisma.$executeRawUnsafe(back)));
}

const fault = { code: "INTERNAL", message: "Something went wrong on our side" };

describe.each(doors)("by %s,", (_name, door) => {
  describe.each([
    ["cameras", (sent: Buffer) => door.addCamera(site, sent)],
    ["users", (sent: Buffer) => door.changeUser(site, sent)],
  ] as const)("a store that cannot take pictures of %s", (folder, send) => {
    it("leaves nothing as soon as it is well again", async () => {
      const directory = path.join(site.dataDirectory, "objects", folder);
      await rename(directory, `${directory}-away`);
      await writeFile(directory, "no directory");
      expect(await send(picture)).toMatchObject(fault);
      expect(await site.traces()).toMatchObject({ cameras: before.cameras, temporary: [] });
      await rm(directory);
      await rename(`${directory}-away`, directory);
      // What woke the worker before failed: it tries again after a while, or when there is more to do.
      await door.changeUser(site, picture);
      await site.expectNothingHidden();
      expect((await site.traces()).cameras).toBe(before.cameras);
    });
  });

  it.each([
    ["the camera", "Camera", `"name" <> 'Gate'`],
    ["the entry in the audit log", "AuditEntry", `"action" <> 'createClientCamera'`],
    ["the reservation of what is stored", "ObjectRemoval", `"key" NOT LIKE 'cameras/%'`],
  ])("a database that refuses %s leaves nothing", async (_what, table, condition) => {
    await change(
      `ALTER TABLE "${table}" ADD CONSTRAINT "refused" CHECK (${condition}) NOT VALID`,
      `ALTER TABLE "${table}" DROP CONSTRAINT "refused"`,
    );
    expect(await door.addCamera(site, picture)).toMatchObject(fault);
    await site.expectUnchanged(before);
  });

  it("a database that refuses a user's new picture leaves the old one", async () => {
    await change(`ALTER TABLE "User" ADD CONSTRAINT "refused" CHECK ("picture" IS NULL) NOT VALID`, `ALTER TABLE "User" DROP CONSTRAINT "refused"`);
    expect(await door.changeUser(site, picture)).toMatchObject(fault);
    await site.expectUnchanged(before);
    await site.expectNothingHidden();
  });
});

describe("a user who is removed while the picture is under way", () => {
  it.each(["a user by REST", "a user by GraphQL"] as const)("is not found any more, and the picture is not kept: %s", async (way) => {
    const upload = uploadsOf(site.ids, picture)[way];
    const authId = `uploads|removed ${way}`;
    const id = await createUser(site.gateway.prisma, { workspaceId: site.ids.workspaceId, authId });
    const client = await sendHalf(site, upload, { user: authId });
    await site.gateway.prisma.user.delete({ where: { id } });
    await client.send(secondHalf(upload));
    expect(await outcomeOf((await client.answer()) as WireAnswer)).toMatchObject({ code: "NOT_FOUND" });
    await site.expectUnchanged(before);
  });
});

describe.runIf(server)("a write that has to wait for longer than what was stored for it is kept", () => {
  it.each(doors)("is given up, and may be tried again: by %s", async (_name, door) => {
    const { prisma } = site.gateway;
    let outcome: ReturnType<Door["addCamera"]> | undefined;
    await prisma.$transaction(
      async (transaction) => {
        await transaction.$queryRawUnsafe(`SELECT 1 FROM "Facility" WHERE "id" = '${site.ids.facilityId}' FOR UPDATE`);
        outcome = door.addCamera(site, picture);
        await expect.poll(async () => (await site.traces()).stored).toHaveLength(before.stored.length + 2);
        // Stands for the time that passes.
        await prisma.objectRemoval.updateMany({ data: { dueAt: new Date(0) } });
        await rest.changeUser(site, picture);
        await expect.poll(async () => (await site.traces()).removals).toBe(0);
      },
      { timeout: 20_000 },
    );
    expect(await outcome).toMatchObject({ code: "UNAVAILABLE" });
    await site.expectNothingHidden();
    expect((await site.traces()).cameras).toBe(before.cameras);
    expect((await door.addCamera(site, picture)).code).toBe("OK");
  });
});
