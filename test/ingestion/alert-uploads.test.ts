// Runs once: both kinds of databases run the same statements.
import { createApiKey, createTestUser, type TestUser, unknownId } from "../support/factories.js";
import { type Gateway, run, type Sender } from "../support/harness.js";
import { filesBelow, openStore, type StoreUnderTest, storeKinds } from "../support/object-store.js";
import { TestSite } from "../support/test-site.js";
import { difference, pictureAs } from "../uploads/sample-pictures.js";
import { SlowClient } from "../uploads/slow-client.js";
import { Recorder } from "./recorder.js";

const createUpload =
  "mutation ($cameraId: UUID!) { createAlertUpload(cameraId: $cameraId) { uploadId url expiresAt } }";
const maxBytes = 200_000;
/** The timeout for a removal, including its retries. */
const minutes = (count: number) => count * 60_000;

interface CreatedUpload {
  uploadId: string;
  url: string;
  expiresAt: string;
}

describe.each(storeKinds)("a picture of an alert, in the %s store,", (kind) => {
  const start = new Date();
  let clock = start;
  let testSite: TestSite;
  let opened: StoreUnderTest;
  let gateway: Gateway;
  let recorder: Recorder;
  let key: Sender;
  let picture: Buffer;
  beforeAll(async () => {
    testSite = await TestSite.open();
    opened = await openStore(kind, testSite.directory);
    gateway = await testSite.start({
      now: () => clock,
      environment: { ...opened.settings, MAX_UPLOAD_BYTES: String(maxBytes) },
    });
    recorder = await Recorder.open(gateway);
    key = await createApiKey(gateway.prisma, {
      workspaceId: recorder.workspaceId,
      permissions: ["alerts:write"],
    });
    picture = await pictureAs("jpeg", 640, 400);
  });
  beforeEach(() => {
    clock = start;
  });
  afterAll(async () => {
    await gateway.close();
    await opened.close();
    await testSite.remove();
  });

  async function create(
    cameraId = recorder.site.cameraId,
    as: { as: Sender } = recorder.admin,
  ): Promise<CreatedUpload> {
    return (await run<{ createAlertUpload: CreatedUpload }>(gateway, as, [createUpload, { cameraId }]))
      .createAlertUpload;
  }

  const pathOf = (url: string) => new URL(url).pathname + new URL(url).search;

  async function put(
    url: string,
    body: Uint8Array,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; code?: string }> {
    const response = await gateway.fetch(pathOf(url), {
      method: "PUT",
      body: Uint8Array.from(body),
      headers,
    });
    const text = await response.text();
    return { status: response.status, ...(text && { code: JSON.parse(text).code }) };
  }

  async function received(cameraId?: string): Promise<string> {
    const { uploadId, url } = await create(cameraId);
    expect(await put(url, picture, { "content-type": "image/jpeg" })).toEqual({ status: 204 });
    return uploadId;
  }

  /** The pictures of uploads, whether or not an alert uses them. */
  async function stored(): Promise<string[]> {
    const suffix = kind === "s3" ? "._S3rver_object" : "";
    const names = await filesBelow(opened.directory);
    return names.filter((name) => /(^|\/)uploads\//.test(name) && name.endsWith(suffix));
  }

  const uploads = () => gateway.prisma.alertUpload.count();
  const removals = () => gateway.prisma.objectRemoval.count();

  /** Makes the gateway process all pending removals. */
  async function runRemovals(): Promise<void> {
    const { createAlertUpload } = await run<{ createAlertUpload: CreatedUpload }>(gateway, { as: key }, [
      createUpload,
      { cameraId: recorder.site.cameraId },
    ]);
    await gateway.app.idle();
    await gateway.prisma.alertUpload.deleteMany({ where: { id: createAlertUpload.uploadId } });
  }

  /** Advances the clock until all pending uploads have expired. */
  async function expireUploads(): Promise<void> {
    clock = new Date(clock.getTime() + minutes(25 * 60));
    await runRemovals();
    await expect.poll(removals).toBe(0);
  }

  it("is uploaded first, shown by the alert with its thumbnail and size, and deleted with the alert", async () => {
    await expireUploads();
    const before = await stored();
    clock = start;
    const { uploadId, url, expiresAt } = await create();
    expect(new Date(expiresAt).getTime() - start.getTime()).toBe(minutes(15));
    expect(url).toContain("/files/uploads?ticket=");
    expect(await put(url, picture)).toEqual({ status: 204 });
    const alert = recorder.alert({ uploadId });
    expect(await recorder.record([alert])).toEqual({ recorded: 1, alreadyRecorded: 0 });
    const query =
      "query ($id: UUID!) { alert(id: $id) { url thumbnailUrl imageDimensions { width height } storageClass } }";
    const shown = (
      await run<{ alert: Record<string, string> }>(gateway, recorder.admin, [query, { id: alert.id }])
    ).alert;
    expect(shown).toMatchObject({ imageDimensions: { width: 640, height: 400 }, storageClass: kind });
    const follow = async (link: string | undefined) =>
      Buffer.from(await (await gateway.fetch(pathOf(link as string))).arrayBuffer());
    expect(await difference(await follow(shown.url), picture)).toBeLessThan(4);
    expect((await follow(shown.thumbnailUrl)).subarray(8, 12).toString()).toBe("WEBP");
    expect(await uploads()).toBe(0);
    await run(gateway, recorder.admin, [
      "mutation ($ids: [UUID!]!) { deleteAlerts(ids: $ids) { deletedIds } }",
      { ids: [alert.id] },
    ]);
    await expect.poll(stored).toEqual(before);
    await expect.poll(removals).toBe(0);
  });

  it("may be uploaded again and replaces the previous one", async () => {
    // Then no removals of earlier tests are left.
    await expect.poll(removals).toBe(0);
    const before = await stored();
    const { uploadId, url } = await create();
    await put(url, picture);
    const other = await pictureAs("png", 64, 40);
    expect(await put(url, other, { "content-type": "image/png" })).toEqual({ status: 204 });
    await expect.poll(async () => (await stored()).length).toBe(before.length + 2);
    const alert = recorder.alert({ uploadId });
    await recorder.record([alert]);
    expect(await recorder.stored(alert.id)).toMatchObject({ imageDimensions: { width: 64, height: 40 } });
    expect((await put(url, picture)).status).toBe(404);
    await expect.poll(async () => (await stored()).length).toBe(before.length + 2);
  });

  it("is audited on each upload, with the picture that it replaces", async () => {
    const { uploadId, url } = await create();
    await put(url, picture);
    await put(url, await pictureAs("png", 64, 40));
    const query =
      "query ($targetId: UUID!) { auditLog(targetId: $targetId) { nodes { action actorId facilityId changes } } }";
    const { auditLog } = await run<{
      auditLog: {
        nodes: {
          action: string;
          actorId: string;
          changes: Record<string, { from: unknown; to: unknown }> | null;
        }[];
      };
    }>(gateway, recorder.admin, [query, { targetId: uploadId }]);
    const changes = auditLog.nodes.map((entry) => entry.changes);
    expect(auditLog.nodes).toMatchObject(
      Array(3).fill({ action: "createAlertUpload", facilityId: recorder.site.facilityId }),
    );
    expect(new Set(auditLog.nodes.map(({ actorId }) => actorId)).size).toBe(1);
    const [first, second] = [
      changes.find((change) => change?.url?.from === null),
      changes.find((change) => change?.url?.from),
    ];
    expect(first).toMatchObject({ imageDimensions: { from: null, to: { width: 640, height: 400 } } });
    expect(second).toMatchObject({
      url: { from: first?.url?.to },
      imageDimensions: { to: { width: 64, height: 40 } },
    });
  });

  it("stays with its alert when the alert is recorded again", async () => {
    const alert = recorder.alert({ uploadId: await received() });
    const results = await Promise.all([
      recorder.record([alert]),
      recorder.record([alert]),
      recorder.record([alert]),
    ]);
    expect(results.reduce((sum, { recorded }) => sum + recorded, 0)).toBe(1);
    expect(await recorder.record([alert])).toEqual({ recorded: 0, alreadyRecorded: 1 });
    const other = { ...alert, uploadId: await received() };
    expect(await recorder.refused([other])).toMatchObject({ code: "CONFLICT" });
    expect(await gateway.prisma.alertUpload.count({ where: { id: other.uploadId } })).toBe(1);
  });

  it("is used by one alert only", async () => {
    const uploadId = await received();
    await recorder.record([recorder.alert({ uploadId })]);
    expect(await recorder.refused([recorder.alert({ uploadId })])).toMatchObject({
      code: "BAD_REQUEST",
      paths: ["input.0.uploadId"],
    });
  });

  it("is kept for a retry if its alert is rejected", async () => {
    const uploadId = await received();
    expect(
      await recorder.refused([recorder.alert({ uploadId }), recorder.alert({ alertRuleId: unknownId })]),
    ).toMatchObject({
      paths: ["input.1.alertRuleId"],
    });
    expect(await recorder.record([recorder.alert({ uploadId })])).toMatchObject({ recorded: 1 });
  });

  it("cannot be used by an alert before it was received", async () => {
    const { uploadId } = await create();
    expect(await recorder.refused([recorder.alert({ uploadId })])).toMatchObject({
      code: "BAD_REQUEST",
      paths: ["input.0.uploadId"],
    });
  });

  it("cannot be used in another facility, like an unknown one", async () => {
    const { cameraId } = await recorder.newSite();
    expect(await recorder.refused([recorder.alert({ uploadId: await received(cameraId) })])).toMatchObject({
      code: "BAD_REQUEST",
      paths: ["input.0.uploadId"],
    });
  });

  const at = (actions: Parameters<typeof createTestUser>[1]["at"]): Promise<TestUser> =>
    createTestUser(gateway.prisma, { workspaceId: recorder.workspaceId, ...(actions && { at: actions }) });

  it("is no longer accepted from a user who lost the permission or was removed", async () => {
    const { facilityId, cameraId } = recorder.site;
    const user = await at({ [facilityId]: ["alerts:write", "cameras:read"] });
    const { url } = await create(cameraId, user);
    await gateway.prisma.facilityAccess.updateMany({
      where: { userId: user.id },
      data: { actions: ["cameras:read"] },
    });
    expect(await put(url, picture)).toEqual({ status: 403, code: "FORBIDDEN" });
    await gateway.prisma.user.deleteMany({ where: { id: user.id } });
    expect(await put(url, picture)).toEqual({ status: 404, code: "NOT_FOUND" });
  });

  describe("that is rejected leaves nothing behind:", () => {
    let before: string[];
    beforeEach(async () => {
      before = await stored();
    });
    const expectNothing = async () => {
      await expect.poll(removals).toBe(0);
      await expect.poll(stored).toEqual(before);
      expect(
        (await filesBelow(testSite.directory)).filter((name) => /^temporary\/[^/]+\/.+/.test(name)),
      ).toEqual([]);
    };

    it("one by a link that has expired, was truncated, or has no ticket", async () => {
      const { url } = await create();
      expect(await put(url.slice(0, -4), picture)).toEqual({ status: 404, code: "NOT_FOUND" });
      expect(await put(url.replace(/\?.*/, ""), picture)).toEqual({ status: 404, code: "NOT_FOUND" });
      clock = new Date(start.getTime() + minutes(15));
      expect(await put(url, picture)).toEqual({ status: 404, code: "NOT_FOUND" });
      await expectNothing();
    });

    it.each([
      ["a text", () => Buffer.from("not a picture"), "UNSUPPORTED_MEDIA_TYPE", 415],
      [
        "one byte too many",
        () => Buffer.concat([picture, Buffer.alloc(maxBytes + 1 - picture.length)]),
        "PAYLOAD_TOO_LARGE",
        413,
      ],
    ])("%s", async (_what, body, code, status) => {
      const { url } = await create();
      expect(await put(url, body(), { "content-type": "image/jpeg" })).toEqual({ status, code });
      await expectNothing();
    });

    it.each(["cleanly", "abruptly"] as const)("one that the client aborts %s", async (how) => {
      const { url } = await create();
      const client = await SlowClient.connect(gateway.url);
      await client.sendHead({
        method: "PUT",
        path: pathOf(url),
        headers: { "content-length": picture.length, "content-type": "image/jpeg" },
      });
      await client.send(picture.subarray(0, picture.length / 2));
      await client.disconnect(how);
      await expectNothing();
      expect(await put(url, picture)).toEqual({ status: 204 });
    });
  });

  it("that no alert uses is removed when it expires, as is one that was never received", async () => {
    await expireUploads();
    const before = await stored();
    clock = start;
    const waiting = await received();
    await create();
    clock = new Date(start.getTime() + minutes(21));
    await runRemovals();
    expect(await gateway.prisma.alertUpload.findMany({ select: { id: true } })).toEqual([{ id: waiting }]);
    expect((await stored()).length).toBe(before.length + 2);
    clock = new Date(start.getTime() + minutes(24 * 60 + 1));
    await runRemovals();
    await expect.poll(uploads).toBe(0);
    await expect.poll(stored).toEqual(before);
    await expect.poll(removals).toBe(0);
  });
});
