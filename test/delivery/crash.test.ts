// Runs once: both kinds of databases run the same statements.
// Takes long: it kills processes.

import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import { type AlertInput, Recorder, recordAlerts } from "../ingestion/recorder.js";
import { createAlertRule } from "../support/factories.js";
import { authorizationOf } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { TestSite } from "../support/test-site.js";
import { WebhookReceiver } from "./webhook-receiver.js";

// Two before the gateway is killed and one after, besides the one meanwhile; the second
// is still being delivered then.
const batches = 4;
const batchSize = 50;

it("recorded alerts are delivered although gateways are killed meanwhile: in order, repeated with the same id, and none that was rolled back", async () => {
  const receiver = await WebhookReceiver.forTest();
  const site = await TestSite.forTest();
  const prepared = await site.start();
  const recorder = await Recorder.open(prepared);
  const rule = (path: string) =>
    createAlertRule(prepared.prisma, {
      workspaceId: recorder.workspaceId,
      cameraId: recorder.site.cameraId,
      notificationUrl: receiver.url(path),
      notificationEnabled: true,
    });
  const paths = ["/one", "/two", "/three"];
  const ruleIds = await Promise.all(paths.map(rule));
  await prepared.close();

  // Only one gateway at a time can use an embedded database; on a server, two share the
  // work.
  const settings = { WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1/32" };
  const first = await site.startProcess(settings);
  const second = inject("resources").server ? await site.startProcess(settings) : undefined;
  let address = first.address;
  const headers = {
    "content-type": "application/json",
    authorization: (await authorizationOf(recorder.admin.as)) as string,
  };
  const record = async (input: AlertInput[]) => {
    const body = JSON.stringify({ query: recordAlerts, variables: { input } });
    const response = await fetch(`${address}/graphql`, { method: "POST", headers, body });
    return (await response.json()) as { data?: { recordAlerts: { recorded: number } }; errors?: unknown };
  };
  const startedAt = Date.now();
  const newBatch = (batch: number) =>
    listOf(batchSize, (index) => {
      const createdAt = new Date(startedAt + batch * batchSize + index).toISOString();
      return recorder.alert({ alertRuleId: ruleIds[index % ruleIds.length], createdAt });
    });
  const recorded: AlertInput[] = [];
  const recordBatches = async (from: number, to: number) => {
    for (let batch = from; batch < to; batch += 1) {
      const alerts = newBatch(batch);
      expect((await record(alerts)).data?.recordAlerts.recorded).toBe(batchSize);
      recorded.push(...alerts);
      const refused = [...newBatch(batch), recorder.alert({ alertRuleId: randomUUID() })];
      expect((await record(refused)).errors).toBeDefined();
    }
  };
  await recordBatches(0, batches / 2);
  await receiver.received(batchSize);
  // Nobody knows whether this batch is recorded before the end, so it is recorded again.
  const interrupted = newBatch(batches / 2);
  const lost = record(interrupted).catch(() => undefined);
  await first.process.kill();
  await lost;
  // Work that the killed gateway had claimed waits for half a minute. The test moves this
  // time on in the database. On a server, where the claims of the other gateway must
  // last, the time passes for real.
  if (!second)
    await site.query(`UPDATE "DeliveryQueue" SET "availableAt" = "availableAt" - interval '30 seconds'`);
  address = (await (second ?? site.startProcess(settings))).address;
  expect((await record(interrupted)).data).toBeDefined();
  recorded.push(...interrupted);
  await recordBatches(batches / 2 + 1, batches);
  const told = () =>
    new Map(receiver.posts.map(({ headers: { "webhook-id": id }, body }) => [body.data.id as string, id]));
  for (let count = receiver.posts.length; told().size < recorded.length; count += 1)
    await receiver.received(count + 1);

  expect([...told().keys()].sort()).toEqual(recorded.map(({ id }) => id).sort());
  const repeated = receiver.posts.filter(
    ({ headers: { "webhook-id": id }, body }) => told().get(body.data.id) !== id,
  );
  expect(repeated).toEqual([]);
  for (const [index, path] of paths.entries()) {
    const order = [...new Set(receiver.at(path).map(({ body }) => body.data.id as string))];
    expect(order).toEqual(
      recorded.filter(({ alertRuleId }) => alertRuleId === ruleIds[index]).map(({ id }) => id),
    );
  }
}, 120_000);
