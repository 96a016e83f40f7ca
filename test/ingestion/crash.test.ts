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
    stored: async () => (await filesBelow(site.directory)).filter((name) => name.startsWith("objects/uploads/")),
    temporary: async () => (await filesBelow(site.directory)).filter((name) => /^temporary\/.*source$/.test(name)),
  };
}

async function send<Data>(address: string, as: Sender, query: string, variables: object): Promise<Data> {
  const headers = { "content-type": "application/json", authorization: (await authorizationOf(as)) as string };
  const response = await fetch(`${address}/graphql`, { method: "POST", headers, body: JSON.stringify({ query, variables }) });
  const { data, errors } = (await response.json()) as { data: Data; errors?: unknown };
  expect(errors).toBeUndefined();
  return data;
}

async function create(address: string, { admin, site: { cameraId } }: Recorder): Promise<{ uploadId: string; target: string }> {
  const query = "mutation ($cameraId: UUID!) { createAlertUpload(cameraId: $cameraId) { uploadId url } }";
  const { createAlertUpload } = await send<{ createAlertUpload: CreatedUpload }>(address, admin.as, query, { cameraId });
  const { pathname, search } = new URL(createAlertUpload.url);
  return { uploadId: createAlertUpload.uploadId, target: pathname + search };
}

it("a gateway that is killed keeps pictures that were received, and nothing of those that were not", async () => {
  const site = await newProcessSite();
  const { recorder } = site;
  const picture = await pictureAs("jpeg");
  const first = await site.start();
  const { uploadId, target } = await create(first.address, recorder);
  expect((await fetch(first.address + target, { method: "PUT", body: Uint8Array.from(picture) })).status).toBe(204);
  const unfinished = await create(first.address, recorder);
  const client = await SlowClient.connect(first.address);
  await client.sendHead({ method: "PUT", path: unfinished.target, headers: { "content-length": picture.length } });
  await client.send(picture.subarray(0, picture.length / 2));
  await expect.poll(site.temporary).toHaveLength(1);
  await first.process.kill();
  const second = await site.start();
  expect(await site.temporary()).toEqual([]);
  const alert = recorder.alert({ uploadId });
  expect(await send(second.address, recorder.admin.as, recordAlerts, { input: [alert] })).toEqual({
    recordAlerts: { recorded: 1, alreadyRecorded: 0 },
  });
  expect(await site.stored()).toHaveLength(2);
});

it("pictures that are pending when a gateway is killed are removed by another one when they expire", async () => {
  const site = await newProcessSite();
  const { recorder } = site;
  const first = await site.start();
  const { target } = await create(first.address, recorder);
  const picture = await pictureAs("jpeg");
  expect((await fetch(first.address + target, { method: "PUT", body: Uint8Array.from(picture) })).status).toBe(204);
  await first.process.kill();
  expect(await site.stored()).toHaveLength(2);
  // Simulates the passing of a day.
  await site.query(`UPDATE "AlertUpload" SET "dueAt" = "dueAt" - interval '1 day'`);
  const second = await site.start();
  await expect.poll(site.stored, { timeout: 5_000 }).toEqual([]);
  second.process.signal("SIGTERM");
  await second.process.ended;
  const left = `SELECT (SELECT count(*) FROM "AlertUpload")::int AS uploads, (SELECT count(*) FROM "ObjectRemoval")::int AS removals`;
  expect(await site.query(left)).toEqual([{ uploads: 0, removals: 0 }]);
});
