import { randomUUID } from "node:crypto";
import type { ObjectStore } from "../../src/engine/storage/object-store.js";
import type { Recorder } from "../ingestion/recorder.js";
import { createAlertClip } from "../support/factories.js";
import { run } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { caseOf, initOf, requestOf } from "../support/route-cases.js";
import { pictureAs } from "../uploads/sample-pictures.js";

/** Uploads a picture for an alert and returns the id of the upload. */
export async function uploadAlertPicture({ gateway, admin, site }: Recorder): Promise<string> {
  const mutation = "mutation ($cameraId: UUID!) { createAlertUpload(cameraId: $cameraId) { uploadId url } }";
  const { createAlertUpload } = await run<{ createAlertUpload: { uploadId: string; url: string } }>(
    gateway,
    admin,
    [mutation, { cameraId: site.cameraId }],
  );
  const response = await gateway.fetch(createAlertUpload.url, {
    method: "PUT",
    body: Uint8Array.from(await pictureAs("jpeg", 64, 40)),
  });
  expect(response.status).toBe(204);
  return createAlertUpload.uploadId;
}

/** Records an alert with a picture and returns its id. */
export async function recordPicturedAlert(recorder: Recorder): Promise<string> {
  const canvas = { imageDimensions: { width: 64, height: 40 }, violatingCoordinates: [{ x: 8, y: 8 }] };
  const alert = recorder.alert({ uploadId: await uploadAlertPicture(recorder), ...canvas });
  expect(await recorder.record([alert])).toMatchObject({ recorded: 1 });
  return alert.id;
}

/** Opens the annotated picture of an alert. The gateway draws and keeps it. */
export async function openAnnotatedPicture({ gateway, admin }: Recorder, id: string): Promise<void> {
  const query = "query ($id: UUID!) { alert(id: $id) { annotatedUrl } }";
  const { alert } = await run<{ alert: { annotatedUrl: string } }>(gateway, admin, [query, { id }]);
  expect((await gateway.fetch(alert.annotatedUrl)).status).toBe(200);
}

/**
 * Stores a picture of each kind: of a camera, a user, an upload, an alert, an annotated
 * alert, and a calibration; and a clip.
 */
export async function storePictures(recorder: Recorder, store: ObjectStore): Promise<void> {
  const { gateway, admin, site } = recorder;
  for (const each of [caseOf(15), caseOf(31)]) {
    const response = await gateway.fetch(requestOf(each, { facilityId: site.facilityId }), {
      as: admin.as,
      ...initOf(each),
    });
    expect(response.status, await response.text()).toBe(200);
  }
  await uploadAlertPicture(recorder);
  const alertId = await recordPicturedAlert(recorder);
  await openAnnotatedPicture(recorder, alertId);
  const { workspaceId } = recorder;
  const { facilityId, cameraId } = site;
  const clip = { alertId, alertCreatedAt: new Date(), key: `clips/${randomUUID()}.mp4` };
  await createAlertClip(gateway.prisma, { workspaceId, facilityId, cameraId, ...clip });
  await store.put(clip.key, Buffer.from("a clip"));
  const [calibratedImage, croppedImage, gridImage] = listOf(3, () => `calibrations/${randomUUID()}.png`) as [
    string,
    string,
    string,
  ];
  for (const key of [calibratedImage, croppedImage, gridImage])
    await store.put(key, Buffer.from("a picture"));
  await gateway.prisma.calibration.updateMany({
    where: { id: site.calibrationId },
    data: { calibratedImage, croppedImage, gridImage },
  });
}
