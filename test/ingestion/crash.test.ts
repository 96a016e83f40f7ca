import path from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { expect, it, onTestFinished } from "vitest";
import { addressOf, gatewaySettings, startCommand } from "../operation/running-command.js";
import { filesBelow } from "../storage/store-under-test.js";
import { authorizationOf, type Sender } from "../support/harness.js";
import { onServer } from "../support/templates.js";
import { sceneAs } from "../uploads/samples.js";
import { SlowClient } from "../uploads/slow-client.js";
import { newGround } from "../writes/ground.js";
import { Recorder, recordAlerts } from "./recorder.js";

interface CreatedUpload {
  uploadId: string;
  url: string;
}

/** A data directory with a site, for gateways that run as processes of their own, one after the other. */
async function newHarbour() {
  const ground = await newGround();
  onTestFinished(() => ground.remove());
  const gateway = await ground.start();
  const recorder = await Recorder.open(gateway);
  await gateway.close();
  const { variables, directory } = ground;
  return {
    recorder,
    start: async () => {
      const process = startCommand("main", { environment: gatewaySettings(variables) });
      return { process, address: await addressOf(process) };
    },
    /** Runs a statement; on the embedded database no gateway may run meanwhile. */
    query: async (sql: string): Promise<unknown[]> => {
      if (variables.DATABASE_URL) return onServer(variables.DATABASE_URL, sql);
      const database = await PGlite.create(path.join(directory, "postgresql"));
      try {
        return (await database.query(sql)).rows;
      } finally {
        await database.close();
      }
    },
    stored: async () => (await filesBelow(directory)).filter((name) => name.startsWith("objects/uploads/")),
    temporary: async () => (await filesBelow(directory)).filter((name) => /^temporary\/.*source$/.test(name)),
  };
}

async function send<Data>(address: string, as: Sender, query: string, variables: object): Promise<Data> {
  const headers = { "content-type": "application/json", authorization: (await authorizationOf(as)) as string };
  const response = await fetch(`${address}/graphql`, { method: "POST", headers, body: JSON.stringify({ query, variables }) });
  const { data, errors } = (await response.json()) as { data: Data; errors?: unknown };
  expect(errors).toBeUndefined();
  return data;
}

async function create(address: string, { admin, site }: Recorder): Promise<{ uploadId: string; target: string }> {
  const query = "mutation ($cameraId: UUID!) { createAlertUpload(cameraId: $cameraId) { uploadId url } }";
  const { createAlertUpload } = await send<{ createAlertUpload: CreatedUpload }>(address, admin.as, query, { cameraId: site.cameraId });
  const { pathname, search } = new URL(createAlertUpload.url);
  return { uploadId: createAlertUpload.uploadId, target: pathname + search };
}

it("a gateway that is killed keeps the pictures that have arrived for their alerts, and nothing of those that have not", async () => {
  const harbour = await newHarbour();
  const { recorder } = harbour;
  const picture = await sceneAs("jpeg");
  const first = await harbour.start();
  const { uploadId, target } = await create(first.address, recorder);
  expect((await fetch(first.address + target, { method: "PUT", body: Uint8Array.from(picture) })).status).toBe(204);
  const unfinished = await create(first.address, recorder);
  const client = await SlowClient.connect(first.address);
  await client.begin({ method: "PUT", path: unfinished.target, headers: { "content-length": picture.length } });
  await client.send(picture.subarray(0, picture.length / 2));
  await expect.poll(harbour.temporary).toHaveLength(1);
  await first.process.kill();
  const second = await harbour.start();
  expect(await harbour.temporary()).toEqual([]);
  const alert = recorder.alert({ uploadId });
  expect(await send(second.address, recorder.admin.as, recordAlerts, { input: [alert] })).toEqual({
    recordAlerts: { recorded: 1, alreadyRecorded: 0 },
  });
  expect(await harbour.stored()).toHaveLength(2);
});

it("a gateway that is killed while pictures wait leaves them to whoever runs when their time is over", async () => {
  const harbour = await newHarbour();
  const { recorder } = harbour;
  const first = await harbour.start();
  const { target } = await create(first.address, recorder);
  const picture = await sceneAs("jpeg");
  expect((await fetch(first.address + target, { method: "PUT", body: Uint8Array.from(picture) })).status).toBe(204);
  await first.process.kill();
  expect(await harbour.stored()).toHaveLength(2);
  // Stands for the day that passes.
  await harbour.query(`UPDATE "AlertUpload" SET "dueAt" = "dueAt" - interval '1 day'`);
  const second = await harbour.start();
  await expect.poll(harbour.stored, { timeout: 5_000 }).toEqual([]);
  second.process.signal("SIGTERM");
  await second.process.ended;
  const left = `SELECT (SELECT count(*) FROM "AlertUpload")::int AS uploads, (SELECT count(*) FROM "ObjectRemoval")::int AS removals`;
  expect(await harbour.query(left)).toEqual([{ uploads: 0, removals: 0 }]);
});
