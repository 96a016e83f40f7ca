import { rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { inject } from "vitest";
import { createUser } from "../support/factories.js";
import { rawUploads } from "./raw-uploads.js";
import { pictureAs } from "./sample-pictures.js";
import { type RawResponse, secondHalf, sendHalf } from "./slow-client.js";
import { rest, resultOf, type UploadApi, uploadApis } from "./upload-apis.js";
import { type StorageSnapshot, UploadSite } from "./upload-site.js";

const { server } = inject("resources");

let before: StorageSnapshot;

const site = await UploadSite.open();
const picture = await pictureAs("jpeg", 64, 40);
for (const [, api] of uploadApis) {
  await api.addCamera(site, picture);
  await api.changeUser(site, picture);
}
beforeEach(async () => {
  before = await site.snapshot();
});
afterAll(() => site.close());

/** Alters the database for the duration of the current test. */
async function alterDatabase(sql: string, revert: string): Promise<void> {
  await site.gateway.prisma.$executeRawUnsafe(sql);
  onTestFinished(async () => void (await site.gateway.prisma.$executeRawUnsafe(revert)));
}

const internalError = { code: "INTERNAL", message: "Internal server error" };

describe.each(uploadApis)("by %s,", (_name, api) => {
  describe.each([
    ["cameras", (sent: Buffer) => api.addCamera(site, sent)],
    ["users", (sent: Buffer) => api.changeUser(site, sent)],
  ] as const)("a store that cannot write pictures of %s", (folder, send) => {
    it("leaves nothing behind once it works again", async () => {
      const directory = path.join(site.dataDirectory, "objects", folder);
      await rename(directory, `${directory}-away`);
      await writeFile(directory, "no directory");
      expect(await send(picture)).toMatchObject(internalError);
      expect(await site.snapshot()).toMatchObject({ cameras: before.cameras, temporary: [] });
      await rm(directory);
      await rename(`${directory}-away`, directory);
      // The previous run of the worker failed: it runs again after a delay, or when there
      // is more to remove.
      await api.changeUser(site, picture);
      await site.expectNoOrphans();
      expect((await site.snapshot()).cameras).toBe(before.cameras);
    });
  });

  it.each([
    ["the camera", "Camera", `"name" <> 'Gate'`],
    ["the entry in the audit log", "AuditEntry", `"action" <> 'createClientCamera'`],
    ["the reservation of the objects", "ObjectRemoval", `"key" NOT LIKE 'cameras/%'`],
  ])("a database that rejects %s leaves nothing behind", async (_what, table, condition) => {
    await alterDatabase(
      `ALTER TABLE "${table}" ADD CONSTRAINT "rejected" CHECK (${condition}) NOT VALID`,
      `ALTER TABLE "${table}" DROP CONSTRAINT "rejected"`,
    );
    expect(await api.addCamera(site, picture)).toMatchObject(internalError);
    await site.expectUnchanged(before);
  });

  it("a database whose disk is full says that a retry is safe, and leaves nothing behind", async () => {
    await alterDatabase(
      `CREATE FUNCTION refuse_to_grow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$`,
      "DROP FUNCTION refuse_to_grow",
    );
    await alterDatabase(
      `CREATE TRIGGER "full" BEFORE INSERT ON "Camera" EXECUTE FUNCTION refuse_to_grow()`,
      `DROP TRIGGER "full" ON "Camera"`,
    );
    expect(await api.addCamera(site, picture)).toMatchObject({ code: "UNAVAILABLE" });
    await site.expectUnchanged(before);
  });

  it("a database that rejects a user's new picture keeps the old one", async () => {
    await alterDatabase(
      `ALTER TABLE "User" ADD CONSTRAINT "rejected" CHECK ("picture" IS NULL) NOT VALID`,
      `ALTER TABLE "User" DROP CONSTRAINT "rejected"`,
    );
    expect(await api.changeUser(site, picture)).toMatchObject(internalError);
    await site.expectUnchanged(before);
    await site.expectNoOrphans();
  });
});

it.each(["a user by REST", "a user by GraphQL"] as const)(
  "a user who is removed during the upload is no longer found, and the picture is not kept: %s",
  async (kind) => {
    const upload = rawUploads(site.ids, picture)[kind];
    const authId = `uploads|removed ${kind}`;
    const id = await createUser(site.gateway.prisma, { workspaceId: site.ids.workspaceId, authId });
    const client = await sendHalf(site, upload, { user: authId });
    await site.gateway.prisma.user.deleteMany({ where: { id } });
    await client.send(secondHalf(upload));
    expect(await resultOf((await client.response()) as RawResponse)).toMatchObject({ code: "NOT_FOUND" });
    await site.expectUnchanged(before);
  },
);

describe.runIf(server)("a write that waits longer than its reservation is valid", () => {
  it.each(uploadApis)("fails and can be retried: by %s", async (_name, api) => {
    const { prisma } = site.gateway;
    let outcome: ReturnType<UploadApi["addCamera"]> | undefined;
    await prisma.$transaction(
      async (transaction) => {
        await transaction.$queryRawUnsafe(
          `SELECT 1 FROM "Facility" WHERE "workspaceId" = '${site.ids.workspaceId}' AND "id" = '${site.ids.facilityId}' FOR UPDATE`,
        );
        outcome = api.addCamera(site, picture);
        await expect.poll(async () => (await site.snapshot()).stored).toHaveLength(before.stored.length + 2);
        // Simulates the expiry of the reservation.
        await prisma.objectRemoval.updateMany({ data: { dueAt: new Date(0) } });
        await rest.changeUser(site, picture);
        await expect.poll(async () => (await site.snapshot()).removals).toBe(0);
      },
      { timeout: 60_000 },
    );
    expect(await outcome).toMatchObject({ code: "UNAVAILABLE" });
    await site.expectNoOrphans();
    expect((await site.snapshot()).cameras).toBe(before.cameras);
    expect((await api.addCamera(site, picture)).code).toBe("OK");
  });
});
