// Takes long: starts processes one after another.
import { expect, it } from "vitest";
import { authorizationOf, type Sender } from "../support/harness.js";
import { filesBelow } from "../support/object-store.js";
import { TestSite } from "../support/test-site.js";
import { pictureAs } from "../uploads/sample-pictures.js";
import { SlowClient } from "../uploads/slow-client.js";
import { Recorder, recordAlerts } from "./recorder.js";

interface CreatedUpload {
  uploadId: string;
  url: string;
}

/** A site with a recorder, for gateways that run as processes one after another. */
async function newProcessSite() {
  const site = await TestSite.forTest();
  const gateway = await site.start();
  const recorder = await Recorder.open(gateway);
  await gateway.close();
  return {
    recorder,
    start: () => site.startProcess(),
    query: (sql: string) => site.query(sql),
    stored: async () =>
      (await filesBelow(site.directory)).filter((name) => name.startsWith("objects/uploads/")),
    temporary: async () =>
      (await filesBelow(site.directory)).filter((name) => /^temporary\/.*source$/.test(name)),
  };
}

async function send<Data>(address: string, as: Sender, query: string, variables: object): Promise<Data> {
  const headers = {
    "content-type": "application/json",
    authorization: (await authorizationOf(as)) as string,
  };
  const response = await fetch(`${address}/graphql`, {
    method: "POST",
    headers,
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as { data: Data; errors?: unknown };
  expect(errors).toBeUndefined();
  return data;
}

async function create(
  address: string,
  { admin, site: { cameraId } }: Recorder,
): Promise<{ uploadId: string; target: string }> {
  const query = "mutation ($cameraId: UUID!) { createAlertUpload(cameraId: $cameraId) { uploadId url } }";
  const { createAlertUpload } = await send<{ createAlertUpload: CreatedUpload }>(address, admin.as, query, {
    cameraId,
  });
  const { pathname, search } = new URL(createAlertUpload.url);
  return { uploadId: createAlertUpload.uploadId, target: pathname + search };
}

it("after a gateway was killed, another one keeps received pictures until they expire, and nothing of incomplete ones", async () => {
  const site = await newProcessSite();
  const { recorder } = site;
  const picture = await pictureAs("jpeg");
  const first = await site.start();
  const receive = async () => {
    const { uploadId, target } = await create(first.address, recorder);
    expect(
      (await fetch(first.address + target, { method: "PUT", body: Uint8Array.from(picture) })).status,
    ).toBe(204);
    return uploadId;
  };
  const uploadId = await receive();
  const kept = await site.stored();
  expect(kept).toHaveLength(2);
  const expired = await receive();
  const unfinished = await create(first.address, recorder);
  const client = await SlowClient.connect(first.address);
  await client.sendHead({
    method: "PUT",
    path: unfinished.target,
    headers: { "content-length": picture.length },
  });
  await client.send(picture.subarray(0, picture.length / 2));
  await expect.poll(site.temporary).toHaveLength(1);
  await first.process.kill();
  expect(await site.stored()).toHaveLength(4);
  // Simulates the passing of a day.
  await site.query(`UPDATE "AlertUpload" SET "dueAt" = '2026-11-01T00:00:00Z' WHERE "id" = '${expired}'`);
  const second = await site.start();
  expect(await site.temporary()).toEqual([]);
  const alert = recorder.alert({ uploadId });
  expect(await send(second.address, recorder.admin.as, recordAlerts, { input: [alert] })).toEqual({
    recordAlerts: { recorded: 1, alreadyRecorded: 0 },
  });
  await expect.poll(site.stored).toEqual(kept);
  second.process.signal("SIGTERM");
  await second.process.ended;
  expect(await site.query(`SELECT "id" FROM "AlertUpload"`)).toEqual([{ id: unfinished.uploadId }]);
  expect(await site.query(`SELECT "key" FROM "ObjectRemoval"`)).toEqual([]);
});
