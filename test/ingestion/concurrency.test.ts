import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import type { Gateway } from "../support/harness.js";
import { type Ground, newGround } from "../writes/ground.js";
import { run } from "../writes/writer.js";
import { countDifferences, type GivenAlert, Recorder, recordAlerts } from "./recorder.js";

let ground: Ground;
let gateways: Gateway[];
let recorder: Recorder;
/** One gateway, or two where they can share a database. */
beforeAll(async () => {
  ground = await newGround();
  gateways = [await ground.start()];
  if (inject("templates").server) gateways.push(await ground.start());
  recorder = await Recorder.open(gateways[0] as Gateway);
});
afterAll(async () => {
  for (const gateway of gateways) await gateway.close();
  await ground.remove();
});

const writers = 8;
const sites = 4;

/** Sends batches at once, to the gateways in turn; the answer of each, or the code of its refusal. */
const race = (batches: GivenAlert[][]) =>
  Promise.all(
    batches.map(async (input, index) => {
      const gateway = gateways[index % gateways.length] as Gateway;
      const { data, errors } = await gateway.graphql<{ recordAlerts: { recorded: number; alreadyRecorded: number } }>(recordAlerts, {
        as: recorder.admin.as,
        variables: { input },
      });
      return errors?.[0]?.extensions.code ?? data.recordAlerts;
    }),
  );

/** Alerts of several cameras and days, in no order. */
async function manyAlerts(count: number): Promise<GivenAlert[]> {
  const cameras = await Promise.all(Array.from({ length: sites }, async () => (await recorder.newSite()).cameraId));
  return Array.from({ length: count }, (_, n) => {
    const createdAt = new Date(Date.UTC(2025, 5, 1 + ((n * 7) % 28)));
    return recorder.alert({ cameraId: cameras[n % sites], createdAt, name: `TYPE_${n % 3}` });
  });
}

it("eight writers of alerts of the same cameras and days all succeed, and every alert is counted", async () => {
  const before = await recorder.count();
  const batches = await Promise.all(Array.from({ length: writers }, (_, n) => (n % 2 ? manyAlerts(100) : undefined)));
  const shared = await manyAlerts(100);
  const given = batches.map((own) => [...(own ?? []), ...shared.map((alert) => ({ ...alert, id: randomUUID() }))]);
  for (const [index, input] of given.entries()) if (index % 2) input.reverse();
  expect(await race(given)).toEqual(given.map(({ length }) => ({ recorded: length, alreadyRecorded: 0 })));
  expect(await recorder.count()).toBe(before + given.flat().length);
  expect(await countDifferences(recorder.gateway)).toEqual([]);
});

it("eight writers of the same alerts in different orders record each once", async () => {
  const alerts = await manyAlerts(60);
  const orders = Array.from({ length: writers }, (_, n) => [...alerts.slice(n * 7), ...alerts.slice(0, n * 7)]);
  const answers = (await race(orders)) as { recorded: number; alreadyRecorded: number }[];
  expect(answers.reduce((sum, { recorded }) => sum + recorded, 0)).toBe(60);
  expect(answers.map(({ recorded, alreadyRecorded }) => recorded + alreadyRecorded)).toEqual(Array(writers).fill(60));
  expect(await countDifferences(recorder.gateway)).toEqual([]);
});

it("of writers of other content under one id, one alone succeeds", async () => {
  const alert = recorder.alert();
  const answers = await race(Array.from({ length: writers }, (_, count) => [{ ...alert, count }]));
  expect(answers.filter((answer) => typeof answer === "object")).toEqual([{ recorded: 1, alreadyRecorded: 0 }]);
  expect(answers.filter((answer) => typeof answer === "string")).toEqual(Array(writers - 1).fill("CONFLICT"));
});

it("alerts of a camera that is being deleted are recorded before or not at all, and count no more", async () => {
  const { cameraId } = await recorder.newSite();
  const batches = Array.from({ length: writers }, () => Array.from({ length: 20 }, () => recorder.alert({ cameraId })));
  const [answers] = await Promise.all([
    race(batches),
    run(gateways.at(-1) as Gateway, recorder.admin, ["mutation ($id: UUID!) { deleteCamera(id: $id) { id } }", { id: cameraId }]),
  ]);
  for (const answer of answers) expect([{ recorded: 20, alreadyRecorded: 0 }, "NOT_FOUND"]).toContainEqual(answer);
  const left = () => recorder.gateway.prisma.alert.count({ where: { cameraId } });
  await expect.poll(left, { timeout: 10_000 }).toBe(0);
  expect(await countDifferences(recorder.gateway)).toEqual([]);
});

it("writers and those who delete what they write do not wait in a circle", async () => {
  const alerts = await manyAlerts(80);
  await recorder.record(alerts);
  const ids = alerts.map(({ id }) => id).toReversed();
  const [answers] = await Promise.all([
    race(Array.from({ length: writers }, () => alerts)),
    run(gateways.at(-1) as Gateway, recorder.admin, ["mutation ($ids: [UUID!]!) { deleteAlerts(ids: $ids) { deletedIds } }", { ids }]),
  ]);
  for (const answer of answers) expect(answer).toMatchObject({ recorded: expect.any(Number) });
  expect(await countDifferences(recorder.gateway)).toEqual([]);
});
