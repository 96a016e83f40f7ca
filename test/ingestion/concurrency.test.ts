// Runs once: both kinds of databases run the same statements.

import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import { type Gateway, run } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { TestSite } from "../support/test-site.js";
import { type AlertInput, countDifferences, Recorder, recordAlerts } from "./recorder.js";

/** One gateway, or two if they can share a database. */

const testSite = await TestSite.open();
const gateways = [await testSite.start()];

if (inject("resources").server) gateways.push(await testSite.start());
const recorder: Recorder = await Recorder.open(gateways[0] as Gateway);
afterAll(async () => {
  for (const gateway of gateways) await gateway.close();
  await testSite.remove();
});

const writerCount = 8;
const sites = 4;

/**
 * The refusal of a batch whose insertion was prevented by alerts that were deleted right
 * afterwards.
 */
const isBeingDeleted = "Alerts are being deleted; it is safe to retry";

/**
 * Sends batches concurrently, to the gateways in turn; returns the result or the error
 * code of each, or that alerts are being deleted.
 */
const recordConcurrently = (batches: AlertInput[][]) =>
  Promise.all(
    batches.map(async (input, index) => {
      const gateway = gateways[index % gateways.length] as Gateway;
      const { data, errors } = await gateway.graphql<{
        recordAlerts: { recorded: number; alreadyRecorded: number };
      }>(recordAlerts, {
        as: recorder.admin.as,
        variables: { input },
      });
      const [error] = errors ?? [];
      return error?.message === isBeingDeleted
        ? isBeingDeleted
        : (error?.extensions.code ?? data.recordAlerts);
    }),
  );

/** Alerts of several cameras and days, unordered. */
async function manyAlerts(count: number): Promise<AlertInput[]> {
  const cameras = await Promise.all(listOf(sites, async () => (await recorder.newSite()).cameraId));
  return listOf(count, (n) => {
    const createdAt = new Date(Date.UTC(2025, 5, 1 + ((n * 7) % 28)));
    return recorder.alert({ cameraId: cameras[n % sites], createdAt, name: `TYPE_${n % 3}` });
  });
}

it("eight concurrent batches for the same cameras and days all succeed, and every alert is counted", async () => {
  const before = await recorder.count();
  const batches = await Promise.all(listOf(writerCount, (n) => (n % 2 ? manyAlerts(100) : undefined)));
  const shared = await manyAlerts(100);
  const inputs = batches.map((own) => [
    ...(own ?? []),
    ...shared.map((alert) => ({ ...alert, id: randomUUID() })),
  ]);
  for (const [index, input] of inputs.entries()) if (index % 2) input.reverse();
  expect(await recordConcurrently(inputs)).toEqual(
    inputs.map(({ length }) => ({ recorded: length, alreadyRecorded: 0 })),
  );
  expect(await recorder.count()).toBe(before + inputs.flat().length);
  expect(await countDifferences(recorder.gateway)).toEqual([]);
});

it("eight concurrent batches of the same alerts in different orders record each alert once", async () => {
  const alerts = await manyAlerts(60);
  const orders = listOf(writerCount, (n) => [...alerts.slice(n * 7), ...alerts.slice(0, n * 7)]);
  const results = (await recordConcurrently(orders)) as { recorded: number; alreadyRecorded: number }[];
  expect(results.reduce((sum, { recorded }) => sum + recorded, 0)).toBe(60);
  expect(results.map(({ recorded, alreadyRecorded }) => recorded + alreadyRecorded)).toEqual(
    Array(writerCount).fill(60),
  );
  expect(await countDifferences(recorder.gateway)).toEqual([]);
});

it("of concurrent alerts with the same id and different content, only one succeeds", async () => {
  const alert = recorder.alert();
  const results = await recordConcurrently(listOf(writerCount, (count) => [{ ...alert, count }]));
  expect(results.filter((result) => typeof result === "object")).toEqual([
    { recorded: 1, alreadyRecorded: 0 },
  ]);
  expect(results.filter((result) => typeof result === "string")).toEqual(
    Array(writerCount - 1).fill("CONFLICT"),
  );
});

it("alerts of a camera that is being deleted are recorded before that or not at all, and no longer counted", async () => {
  const { cameraId } = await recorder.newSite();
  const batches = listOf(writerCount, () => listOf(20, () => recorder.alert({ cameraId })));
  const [results] = await Promise.all([
    recordConcurrently(batches),
    run(gateways.at(-1) as Gateway, recorder.admin, [
      "mutation ($id: UUID!) { deleteCamera(id: $id) { id } }",
      { id: cameraId },
    ]),
  ]);
  for (const result of results)
    expect([{ recorded: 20, alreadyRecorded: 0 }, "NOT_FOUND"]).toContainEqual(result);
  const left = () => recorder.gateway.prisma.alert.count({ where: { cameraId } });
  await expect.poll(left).toBe(0);
  expect(await countDifferences(recorder.gateway)).toEqual([]);
});

it("recording and deleting the same alerts does not deadlock", async () => {
  const alerts = await manyAlerts(80);
  await recorder.record(alerts);
  const ids = alerts.map(({ id }) => id).toReversed();
  const [results] = await Promise.all([
    recordConcurrently(listOf(writerCount, () => alerts)),
    run(gateways.at(-1) as Gateway, recorder.admin, [
      "mutation ($ids: [UUID!]!) { deleteAlerts(ids: $ids) { deletedIds } }",
      { ids },
    ]),
  ]);
  for (const result of results)
    expect([
      { recorded: expect.any(Number), alreadyRecorded: expect.any(Number) },
      isBeingDeleted,
    ]).toContainEqual(result);
  expect(await countDifferences(recorder.gateway)).toEqual([]);
});
