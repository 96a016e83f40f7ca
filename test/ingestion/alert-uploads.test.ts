import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { contentOf, filesBelow, openStore, type StoreUnderTest, storeKinds } from "../storage/store-under-test.js";
import { createApiKey } from "../support/factories.js";
import type { Gateway, Sender } from "../support/harness.js";
import { difference, sceneAs, talkative } from "../uploads/samples.js";
import { SlowClient } from "../uploads/slow-client.js";
import { type Ground, newGround } from "../writes/ground.js";
import { newWriter, refusal, run, unknownId, type Writer } from "../writes/writer.js";
import { Recorder } from "./recorder.js";

const createUpload = "mutation ($cameraId: UUID!) { createAlertUpload(cameraId: $cameraId) { uploadId url expiresAt } }";
const maximumBytes = 200_000;
/** What waiting for a removal may take, retries and all. */
const patience = { timeout: 20_000 };
const minutes = (count: number) => count * 60_000;

interface CreatedUpload {
  uploadId: string;
  url: string;
  expiresAt: string;
}

describe.each(storeKinds)("a picture of an alert, in the store %s,", (kind) => {
  const start = new Date();
  let clock = start;
  let ground: Ground;
  let opened: StoreUnderTest;
  let gateway: Gateway;
  let recorder: Recorder;
  let key: Sender;
  let picture: Buffer;
  beforeAll(async () => {
    ground = await newGround();
    opened = await openStore(kind, ground.directory);
    gateway = await ground.start({ now: () => clock, environment: { ...opened.settings, MAX_UPLOAD_BYTES: String(maximumBytes) } });
    recorder = await Recorder.open(gateway);
    key = await createApiKey(gateway.prisma, { workspaceId: recorder.workspaceId, permissions: ["alerts:write"] });
    picture = await sceneAs("jpeg", 640, 400);
  });
  beforeEach(() => {
    clock = start;
  });
  afterAll(async () => {
    await gateway.close();
    await opened.close();
    await ground.remove();
  });

  async function create(cameraId = recorder.site.cameraId, as: { as: Sender } = recorder.admin): Promise<CreatedUpload> {
    return (await run<{ createAlertUpload: CreatedUpload }>(gateway, as, [createUpload, { cameraId }])).createAlertUpload;
  }

  const pathOf = (url: string) => new URL(url).pathname + new URL(url).search;

  async function put(url: string, body: Uint8Array, headers: Record<string, string> = {}): Promise<{ status: number; code?: string }> {
    const response = await gateway.fetch(pathOf(url), { method: "PUT", body: Uint8Array.from(body), headers });
    const text = await response.text();
    return { status: response.status, ...(text && { code: JSON.parse(text).code }) };
  }

  async function arrived(cameraId?: string): Promise<string> {
    const { uploadId, url } = await create(cameraId);
    expect(await put(url, picture, { "content-type": "image/jpeg" })).toEqual({ status: 204 });
    return uploadId;
  }

  /** The pictures of uploads, whether alerts show them or not. */
  async function stored(): Promise<string[]> {
    const ending = kind === "s3" ? "._S3rver_object" : "";
    const names = await filesBelow(opened.directory);
    return names.filter((name) => /(^|\/)uploads\//.test(name) && name.endsWith(ending));
  }

  const uploads = () => gateway.prisma.alertUpload.count();
  const removals = () => gateway.prisma.objectRemoval.count();

  /** Has the gateway look for what is not needed any more. */
  async function lookAgain(): Promise<void> {
    const { createAlertUpload } = await run<{ createAlertUpload: CreatedUpload }>(gateway, { as: key }, [
      createUpload,
      { cameraId: recorder.site.cameraId },
    ]);
    await gateway.app.idle();
    await gateway.prisma.alertUpload.delete({ where: { id: createAlertUpload.uploadId } });
  }

  /** Lets so much time go by that nothing waits any more. */
  async function clear(): Promise<void> {
    clock = new Date(clock.getTime() + minutes(25 * 60));
    await lookAgain();
    await expect.poll(removals, patience).toBe(0);
  }

  it("is sent beforehand, shown by the alert with a small picture and its size, and goes with the alert", async () => {
    await clear();
    const before = await stored();
    clock = start;
    const { uploadId, url, expiresAt } = await create();
    expect(new Date(expiresAt).getTime() - start.getTime()).toBe(minutes(15));
    expect(url).toContain("/files/uploads?ticket=");
    expect(await put(url, picture)).toEqual({ status: 204 });
    const alert = recorder.alert({ uploadId });
    expect(await recorder.record([alert])).toEqual({ recorded: 1, alreadyRecorded: 0 });
    const query = "query ($id: UUID!) { alert(id: $id) { url thumbnailUrl imageDimensions { width height } storageClass } }";
    const shown = (await run<{ alert: Record<string, string> }>(gateway, recorder.admin, [query, { id: alert.id }])).alert;
    expect(shown).toMatchObject({ imageDimensions: { width: 640, height: 400 }, storageClass: kind });
    const follow = async (link: string | undefined) => Buffer.from(await (await gateway.fetch(pathOf(link as string))).arrayBuffer());
    expect(await difference(await follow(shown.url), picture)).toBeLessThan(4);
    expect((await follow(shown.thumbnailUrl)).subarray(8, 12).toString()).toBe("WEBP");
    expect(await uploads()).toBe(0);
    await run(gateway, recorder.admin, ["mutation ($ids: [UUID!]!) { deleteAlerts(ids: $ids) { deletedIds } }", { ids: [alert.id] }]);
    await expect.poll(stored, patience).toEqual(before);
    await expect.poll(removals, patience).toBe(0);
  });

  it("is not kept longer than its time once an alert shows it", async () => {
    const alert = recorder.alert({ uploadId: await arrived() });
    await recorder.record([alert]);
    await clear();
    const { url, thumbnailUrl } = (await recorder.stored(alert.id)) as { url: string; thumbnailUrl: string };
    expect(await contentOf(opened.store, url)).toBeDefined();
    expect(await contentOf(opened.store, thumbnailUrl)).toBeDefined();
  });

  it("carries nothing but what it shows", async () => {
    const { uploadId, url } = await create();
    expect(await put(url, await talkative("jpeg"))).toEqual({ status: 204 });
    const alert = recorder.alert({ uploadId });
    await recorder.record([alert]);
    const kept = await contentOf(opened.store, (await recorder.stored(alert.id))?.url as string);
    expect(["secret person", "secret comment", "secret place"].filter((secret) => kept?.includes(secret))).toEqual([]);
  });

  it("may be sent again, and takes the place of the one before", async () => {
    const before = await stored();
    const { uploadId, url } = await create();
    await put(url, picture);
    const other = await sceneAs("png", 64, 40);
    expect(await put(url, other, { "content-type": "image/png" })).toEqual({ status: 204 });
    await expect.poll(async () => (await stored()).length, patience).toBe(before.length + 2);
    const alert = recorder.alert({ uploadId });
    await recorder.record([alert]);
    expect(await recorder.stored(alert.id)).toMatchObject({ imageDimensions: { width: 64, height: 40 } });
    expect((await put(url, picture)).status).toBe(404);
    await expect.poll(async () => (await stored()).length, patience).toBe(before.length + 2);
  });

  it("may be sent twice at once, and one of the two is kept", async () => {
    const before = await stored();
    const { uploadId, url } = await create();
    expect(await Promise.all([put(url, picture), put(url, picture)])).toEqual([{ status: 204 }, { status: 204 }]);
    await recorder.record([recorder.alert({ uploadId })]);
    await expect.poll(async () => (await stored()).length, patience).toBe(before.length + 2);
    await expect.poll(removals, patience).toBe(0);
  });

  it("is the same alert's when it is recorded again", async () => {
    const alert = recorder.alert({ uploadId: await arrived() });
    const answers = await Promise.all([recorder.record([alert]), recorder.record([alert]), recorder.record([alert])]);
    expect(answers.reduce((sum, { recorded }) => sum + recorded, 0)).toBe(1);
    expect(await recorder.record([alert])).toEqual({ recorded: 0, alreadyRecorded: 1 });
    const other = { ...alert, uploadId: await arrived() };
    expect(await recorder.refused([other])).toMatchObject({ code: "CONFLICT" });
    expect(await gateway.prisma.alertUpload.count({ where: { id: other.uploadId } })).toBe(1);
  });

  it("is shown by one alert only", async () => {
    const uploadId = await arrived();
    await recorder.record([recorder.alert({ uploadId })]);
    expect(await recorder.refused([recorder.alert({ uploadId })])).toMatchObject({ code: "BAD_REQUEST", paths: ["input.0.uploadId"] });
  });

  it("stays for another try when its alert is refused", async () => {
    const uploadId = await arrived();
    expect(await recorder.refused([recorder.alert({ uploadId }), recorder.alert({ alertRuleId: unknownId })])).toMatchObject({
      paths: ["input.1.alertRuleId"],
    });
    expect(await recorder.record([recorder.alert({ uploadId })])).toMatchObject({ recorded: 1 });
  });

  it("is shown by no alert before it has arrived", async () => {
    const { uploadId } = await create();
    expect(await recorder.refused([recorder.alert({ uploadId })])).toMatchObject({ code: "BAD_REQUEST", paths: ["input.0.uploadId"] });
  });

  it("is shown by no alert of another facility or workspace, with the answer for one that never existed", async () => {
    const { cameraId } = await recorder.newSite();
    const other = await Recorder.open(gateway);
    const elsewhere = await recorder.refused([recorder.alert({ uploadId: await arrived(cameraId) })]);
    const foreign = await other.refused([other.alert({ uploadId: await arrived() })]);
    const never = await recorder.refused([recorder.alert({ uploadId: unknownId })]);
    expect([elsewhere, foreign]).toEqual([never, never]);
    expect(never).toMatchObject({ code: "BAD_REQUEST", paths: ["input.0.uploadId"] });
  });

  const at = (actions: Parameters<typeof newWriter>[1]["at"]): Promise<Writer> =>
    newWriter(gateway.prisma, { workspaceId: recorder.workspaceId, ...(actions && { at: actions }) });

  it("is given leave for by alerts:write at the camera's facility alone", async () => {
    const { facilityId, cameraId } = recorder.site;
    expect(await create(cameraId, await at({ [facilityId]: ["alerts:write"] }))).toHaveProperty("url");
    const refused = async (cameraId: string, as: Writer) => (await refusal(gateway, as, [createUpload, { cameraId }])).code;
    expect(await refused(cameraId, await at({ [facilityId]: ["alerts:read"] }))).toBe("FORBIDDEN");
    expect(await refused((await recorder.newSite()).cameraId, await at({ [facilityId]: ["alerts:write"] }))).toBe("NOT_FOUND");
    expect(await refused(unknownId, recorder.admin)).toBe("NOT_FOUND");
  });

  it("is not taken any more from whoever has lost the permission, or is gone", async () => {
    const { facilityId, cameraId } = recorder.site;
    const writer = await at({ [facilityId]: ["alerts:write", "cameras:read"] });
    const { url } = await create(cameraId, writer);
    await gateway.prisma.facilityAccess.updateMany({ where: { userId: writer.id }, data: { actions: ["cameras:read"] } });
    expect(await put(url, picture)).toEqual({ status: 403, code: "FORBIDDEN" });
    await gateway.prisma.user.delete({ where: { id: writer.id } });
    expect(await put(url, picture)).toEqual({ status: 404, code: "NOT_FOUND" });
  });

  describe("that is refused leaves nothing:", () => {
    let before: string[];
    beforeEach(async () => {
      before = await stored();
    });
    const expectNothing = async () => {
      await expect.poll(removals, patience).toBe(0);
      await expect.poll(stored, patience).toEqual(before);
      expect((await filesBelow(ground.directory)).filter((name) => /^temporary\/[^/]+\/.+/.test(name))).toEqual([]);
    };

    it("one by a link that has expired, was changed, or has no ticket", async () => {
      const { url } = await create();
      expect(await put(`${url.slice(0, -2)}xx`, picture)).toEqual({ status: 404, code: "NOT_FOUND" });
      expect(await put(url.replace(/\?.*/, ""), picture)).toEqual({ status: 404, code: "NOT_FOUND" });
      clock = new Date(start.getTime() + minutes(15));
      expect(await put(url, picture)).toEqual({ status: 404, code: "NOT_FOUND" });
      await expectNothing();
    });

    it.each([
      ["a text", () => Buffer.from("no picture"), "UNSUPPORTED_MEDIA_TYPE", 415],
      ["nothing", () => Buffer.alloc(0), "UNSUPPORTED_MEDIA_TYPE", 415],
      ["half of a picture", () => picture.subarray(0, picture.length / 2), "UNSUPPORTED_MEDIA_TYPE", 415],
      ["an SVG", () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), "UNSUPPORTED_MEDIA_TYPE", 415],
      ["one byte too much", () => Buffer.concat([picture, Buffer.alloc(maximumBytes + 1 - picture.length)]), "PAYLOAD_TOO_LARGE", 413],
    ])("%s", async (_what, body, code, status) => {
      const { url } = await create();
      expect(await put(url, body(), { "content-type": "image/jpeg" })).toEqual({ status, code });
      await expectNothing();
    });

    it("what is said to be no picture", async () => {
      const { url } = await create();
      expect(await put(url, picture, { "content-type": "text/html" })).toEqual({ status: 415, code: "UNSUPPORTED_MEDIA_TYPE" });
      await expectNothing();
    });

    it("too much of it without a length", async () => {
      const { url } = await create();
      const client = await SlowClient.connect(gateway.url);
      await client.begin({ method: "PUT", path: pathOf(url), headers: { "transfer-encoding": "chunked" } });
      const chunk = `${(50_000).toString(16)}\r\n${"x".repeat(50_000)}\r\n`;
      for (let sent = 0; sent <= maximumBytes; sent += 50_000) await client.send(chunk);
      expect(await client.answer()).toMatchObject({ status: 413 });
      await expectNothing();
    });

    it.each(["politely", "abruptly"] as const)("one that breaks off %s", async (how) => {
      const { url } = await create();
      const client = await SlowClient.connect(gateway.url);
      await client.begin({ method: "PUT", path: pathOf(url), headers: { "content-length": picture.length, "content-type": "image/jpeg" } });
      await client.send(picture.subarray(0, picture.length / 2));
      await client.hangUp(how);
      await expectNothing();
      expect(await put(url, picture)).toEqual({ status: 204 });
    });

    it("any by another method", async () => {
      const { url } = await create();
      const response = await gateway.fetch(pathOf(url), { method: "POST", body: Uint8Array.from(picture) });
      expect(response.status).toBe(405);
      expect(response.headers.get("allow")).toBe("PUT");
    });
  });

  it("is asked for before it is sent, where its sender waits for that", async () => {
    const { url } = await create();
    const headers = { expect: "100-continue", "content-type": "image/jpeg", "content-length": picture.length };
    const client = await SlowClient.connect(gateway.url);
    await client.begin({ method: "PUT", path: pathOf(url), headers });
    expect(await client.answer()).toMatchObject({ status: 100 });
    await client.send(picture);
    expect(await client.answer()).toMatchObject({ status: 204 });
    const refused = await SlowClient.connect(gateway.url);
    await refused.begin({ method: "PUT", path: pathOf(`${url}x`), headers });
    expect(await refused.answer()).toMatchObject({ status: 404 });
  });

  it("that no alert shows is removed after its time, and one that never came as well", async () => {
    await clear();
    const before = await stored();
    clock = start;
    const waiting = await arrived();
    await create();
    clock = new Date(start.getTime() + minutes(21));
    await lookAgain();
    expect(await gateway.prisma.alertUpload.findMany({ select: { id: true } })).toEqual([{ id: waiting }]);
    expect((await stored()).length).toBe(before.length + 2);
    clock = new Date(start.getTime() + minutes(24 * 60 + 1));
    await lookAgain();
    await expect.poll(uploads, patience).toBe(0);
    await expect.poll(stored, patience).toEqual(before);
    await expect.poll(removals, patience).toBe(0);
  });
});
