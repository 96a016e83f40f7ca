// Runs once: both kinds of databases run the same statements.
import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { encoders, makeClip, probe, soundAndPlace } from "../media/sample-clips.js";
import { missingCameraPackages } from "../support/cameras/camera-programs.js";
import { createAlertRule } from "../support/factories.js";
import { type Gateway, refusal, run } from "../support/harness.js";
import { filesBelow } from "../support/object-store.js";
import { ownDirectory } from "../support/temporary-directory.js";
import { TestSite } from "../support/test-site.js";
import { pictureAs } from "../uploads/sample-pictures.js";
import { type AlertInput, Recorder } from "./recorder.js";

const createUpload = `mutation ($facilityId: UUID, $cameraId: UUID, $kind: AlertUploadKind) {
  createAlertUpload(facilityId: $facilityId, cameraId: $cameraId, kind: $kind) { uploadId url }
}`;
const addClip =
  "mutation ($alertId: UUID!, $uploadId: UUID!) { addAlertClip(alertId: $alertId, uploadId: $uploadId) { id clip { state } } }";
const clipOf =
  "query ($id: UUID!) { alert(id: $id) { clip { state url contentType duration width height startsAt size } } }";
const maxClipBytes = 300_000;

interface Upload {
  uploadId: string;
  url: string;
}

describe.skipIf(missingCameraPackages.length > 0)("a clip that somebody sends", () => {
  let testSite: TestSite;
  let gateway: Gateway;
  let recorder: Recorder;
  let clip: Buffer;
  let directory: string;
  beforeAll(async () => {
    directory = await ownDirectory();
    testSite = await TestSite.open();
    gateway = await testSite.start({ environment: { MAX_CLIP_BYTES: String(maxClipBytes) } });
    recorder = await Recorder.open(gateway);
    clip = await readFile(await makeClip(directory, "clip", `${soundAndPlace} ${encoders.h264}`));
  });
  afterAll(async () => {
    await gateway.close();
    await testSite.remove();
  });

  const create = (variables: Record<string, unknown> = {}): Promise<Upload> =>
    run<{ createAlertUpload: Upload }>(gateway, recorder.admin, [
      createUpload,
      { cameraId: recorder.site.cameraId, kind: "CLIP", ...variables },
    ]).then((data) => data.createAlertUpload);

  const put = async ({ url }: Upload, body: Uint8Array, type?: string) => {
    const { pathname, search } = new URL(url);
    const response = await gateway.fetch(pathname + search, {
      method: "PUT",
      body: Uint8Array.from(body),
      headers: type === undefined ? {} : { "content-type": type },
    });
    return response.status;
  };

  async function sent(variables?: Record<string, unknown>): Promise<string> {
    const upload = await create(variables);
    expect(await put(upload, clip, "video/mp4")).toBe(204);
    return upload.uploadId;
  }

  async function recorded(values?: Record<string, unknown>): Promise<AlertInput> {
    // Clips of old alerts are removed.
    const alert = recorder.alert({ createdAt: new Date().toISOString(), ...values });
    await recorder.record([alert]);
    return alert;
  }

  const shown = ({ id }: AlertInput) =>
    run<{ alert: { clip: Record<string, unknown> | null } }>(gateway, recorder.admin, [clipOf, { id }]).then(
      ({ alert }) => alert.clip,
    );
  const add = (alert: AlertInput, uploadId: string) =>
    run(gateway, recorder.admin, [addClip, { alertId: alert.id, uploadId }]);
  const refusedToAdd = (alert: AlertInput, uploadId: string) =>
    refusal(gateway, recorder.admin, [addClip, { alertId: alert.id, uploadId }]);

  const rowOf = ({ id: alertId }: AlertInput) => {
    const { cameraId, facilityId } = recorder.site;
    return { workspaceId: recorder.workspaceId, alertId, cameraId, facilityId, alertCreatedAt: new Date() };
  };

  it("is that of an alert recorded with it, and plays without sound and place", async () => {
    const alert = await recorded({ clipUploadId: await sent() });
    const { url, size, ...facts } = (await shown(alert)) ?? {};
    expect(facts).toEqual({
      ...{ state: "READY", contentType: "video/mp4", startsAt: null },
      ...{ duration: expect.closeTo(6, 3), width: 160, height: 120 },
    });
    const response = await gateway.fetch(String(url));
    const content = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get("content-type")).toBe("video/mp4");
    expect(content.length).toBe(size);
    await writeFile(path.join(directory, "stored.mp4"), content);
    const { streams, format } = await probe(path.join(directory, "stored.mp4"));
    expect(streams).toMatchObject([{ codec_name: "h264", nb_read_frames: "150" }]);
    expect(format.tags).not.toHaveProperty("location");
  });

  it("is told to the webhooks that hear of its alert", async () => {
    const notification = { notificationUrl: "https://hooks.example/", notificationEnabled: true };
    const { workspaceId, site } = recorder;
    const ofCamera = { workspaceId, cameraId: site.cameraId };
    const alertRuleId = await createAlertRule(gateway.prisma, { ...ofCamera, ...notification });
    const { id } = await recorded({ alertRuleId, clipUploadId: await sent() });
    const { alert } = await run<{ alert: { deliveries: { kind: string }[] } }>(gateway, recorder.admin, [
      "query ($id: UUID!) { alert(id: $id) { deliveries { kind } } }",
      { id },
    ]);
    expect(alert.deliveries.map(({ kind }) => kind).sort()).toEqual(["ALERT", "CLIP"]);
  });

  it("repeats with its alert, which then is recorded already", async () => {
    const alert = await recorded({ clipUploadId: await sent() });
    expect(await recorder.record([alert])).toEqual({ recorded: 0, alreadyRecorded: 1 });
    // Without its clip, too: clips may be added later.
    const { clipUploadId: _, ...without } = alert;
    expect(await recorder.record([without])).toEqual({ recorded: 0, alreadyRecorded: 1 });
    for (const other of [await sent(), randomUUID()])
      expect(await recorder.refused([{ ...alert, clipUploadId: other }])).toMatchObject({ code: "CONFLICT" });
  });

  it("is added to an alert that is recorded, by the upload of a facility", async () => {
    const alert = await recorded();
    expect(await shown(alert)).toBeNull();
    const { facilityId } = recorder.site;
    const uploadId = await sent({ cameraId: undefined, facilityId });
    expect(await add(alert, uploadId)).toEqual({
      addAlertClip: { id: alert.id, clip: { state: "READY" } },
    });
  });

  it("is refused while the alert has one or waits for one, and then serves another alert", async () => {
    const [waiting, other] = [await recorded(), await recorded()];
    await gateway.prisma.alertClip.create({
      // One that is made in some minutes.
      data: { ...rowOf(waiting), state: "PENDING", dueAt: new Date(Date.now() + 300_000) },
    });
    const uploadId = await sent();
    expect(await refusedToAdd(waiting, uploadId)).toMatchObject({ code: "CONFLICT" });
    await add(other, uploadId);
    expect(await refusedToAdd(await recorded(), uploadId)).toMatchObject({
      code: "BAD_REQUEST",
      paths: ["uploadId"],
    });
    const another = await sent();
    expect(await refusedToAdd(other, another)).toMatchObject({ code: "CONFLICT" });
    await recorded({ clipUploadId: another });
  });

  it("replaces one that failed", async () => {
    const alert = await recorded();
    await gateway.prisma.alertClip.create({ data: { ...rowOf(alert), state: "FAILED" } });
    await add(alert, await sent());
    expect(await shown(alert)).toMatchObject({ state: "READY" });
  });

  it("cannot be used as a picture, nor a picture as a clip, nor at another facility", async () => {
    const clipUpload = await sent();
    const picture = await create({ kind: "PICTURE" });
    expect(await put(picture, await pictureAs("jpeg", 64, 40))).toBe(204);
    const elsewhere = (await recorder.newSite()).cameraId;
    const refusals = [
      [{ uploadId: clipUpload }, "uploadId"],
      [{ clipUploadId: picture.uploadId }, "clipUploadId"],
      [{ clipUploadId: clipUpload, cameraId: elsewhere }, "clipUploadId"],
    ] as const;
    for (const [values, field] of refusals)
      expect(await recorder.refused([recorder.alert(values)])).toMatchObject({
        code: "BAD_REQUEST",
        paths: [`input.0.${field}`],
      });
    await recorded({ uploadId: picture.uploadId, clipUploadId: clipUpload });
  });

  it("is neither used nor used up by another workspace, nor added to an alert there", async () => {
    const [alert, uploadId] = [await recorded(), await sent()];
    const other = await Recorder.open(gateway);
    const itsAlert = other.alert();
    await other.record([itsAlert]);
    const refused = (alertId: string) => refusal(gateway, other.admin, [addClip, { alertId, uploadId }]);
    expect(await refused(itsAlert.id)).toMatchObject({ code: "BAD_REQUEST", paths: ["uploadId"] });
    expect(await refused(alert.id)).toMatchObject({ code: "NOT_FOUND" });
    expect(await other.refused([other.alert({ clipUploadId: uploadId })])).toMatchObject({
      code: "BAD_REQUEST",
      paths: ["input.0.clipUploadId"],
    });
    await add(alert, uploadId);
    expect(await shown(alert)).toMatchObject({ state: "READY" });
  });

  it("is refused as a picture, as is a picture as a clip, whatever they are called", async () => {
    const [clipUpload, pictureUpload] = [await create(), await create({ kind: "PICTURE" })];
    const picture = await pictureAs("jpeg", 64, 40);
    for (const type of ["image/jpeg", "video/mp4", undefined]) {
      expect(await put(clipUpload, picture, type)).toBe(415);
      expect(await put(pictureUpload, clip, type)).toBe(415);
    }
  });

  it("is refused beyond a minute or MAX_CLIP_BYTES, and nothing of it is kept", async () => {
    const upload = await create();
    const before = await filesBelow(testSite.directory);
    const long = await readFile(
      await makeClip(directory, "long", encoders.h264, { seconds: 61, size: "64x48" }),
    );
    expect(long.length).toBeLessThan(maxClipBytes);
    expect(await put(upload, long)).toBe(413);
    expect(await put(upload, Buffer.alloc(maxClipBytes + 1))).toBe(413);
    expect(await gateway.prisma.alertUpload.findFirst({ where: { id: upload.uploadId } })).toMatchObject({
      url: null,
    });
    expect(await filesBelow(testSite.directory)).toEqual(before);
  });

  it("needs a camera or a facility, and not both", async () => {
    const { cameraId, facilityId } = recorder.site;
    for (const variables of [{}, { cameraId, facilityId }])
      expect(await refusal(gateway, recorder.admin, [createUpload, variables])).toMatchObject({
        code: "BAD_REQUEST",
      });
  });
});
