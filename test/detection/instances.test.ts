// Runs once: both kinds of databases run the same statements.
// Takes long: it kills gateways 20 times.

import { createHash } from "node:crypto";
import { inject } from "vitest";
import { authorizationOf, type Gateway, sharedGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { TestSite } from "../support/test-site.js";
import { Detector, type Frame, person, personsInLeftHalf, recordDetections } from "./detector.js";

/** A number from 0 to 1 that depends on its arguments alone. */
const chance = (...values: readonly (string | number)[]) =>
  createHash("sha1").update(values.join(" ")).digest().readUInt32BE() / 2 ** 32;

/**
 * Frames in which tracked and untracked persons come and go. The same for each detector,
 * but for its camera and start.
 */
const frameOf = (detector: Detector, n: number): Frame =>
  detector.frame(
    n * 0.7,
    [1, 2, 3].flatMap((track) => {
      const isThere = chance("there", track, Math.floor(n / 6)) < 0.6;
      if (!isThere) return [];
      const x = 40 + Math.floor(chance("x", track, Math.floor(n / 3)) * 560);
      return [person(x, 200, track === 3 ? {} : { trackId: `${track}` })];
    }),
  );

/** Rules with timers, cool-downs and counts. */
async function addRules(detector: Detector): Promise<string[]> {
  const trees = [
    personsInLeftHalf({ cooldownSeconds: 3 }, { minSeconds: 1 }),
    personsInLeftHalf({ cooldownSeconds: 0 }),
    personsInLeftHalf({ cooldownSeconds: 5 }, { minSeconds: 0.5, minCount: 2 }),
  ];
  const rules: string[] = [];
  for (const group of trees) rules.push(await detector.newRule({ group }));
  return rules;
}

/**
 * What was raised, each as the position of its rule and the time since the first frame, as
 * cameras and rules differ.
 */
async function raised(detector: Detector, rules: readonly string[]): Promise<string[]> {
  const alerts = await detector.alerts();
  return alerts
    .map(
      ({ alertRuleId, createdAt, count, violatingCoordinates }) =>
        `${rules.indexOf(alertRuleId as string)} ${createdAt.getTime() - detector.start} ${count} ${JSON.stringify(violatingCoordinates)}`,
    )
    .sort();
}

const count = 120;
const frames = (detector: Detector) => listOf(count, (n) => frameOf(detector, n));

it("any split of frames into requests raises the same alerts", async () => {
  const gateway = await sharedGateway();
  const outcomes: string[][] = [];
  for (const size of [count, 1, 7, 40]) {
    const detector = await Detector.open(gateway);
    const rules = await addRules(detector);
    const all = frames(detector);
    for (let first = 0; first < count; first += size) await detector.send(all.slice(first, first + size));
    outcomes.push(await raised(detector, rules));
  }
  expect(outcomes[0]?.length).toBeGreaterThan(20);
  for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0]);
});

describe.runIf(inject("resources").server)("two gateways on one database", () => {
  it("that are fed in turns and killed 20 times raise the alerts of one that is fed in one go", {
    timeout: 300_000,
  }, async () => {
    const site = await TestSite.forTest();
    const survivor = await site.start();
    onTestFinished(() => survivor.close());
    const [whole, parted] = [await Detector.open(survivor), await Detector.open(survivor)];
    const [wholeRules, partedRules] = [await addRules(whole), await addRules(parted)];
    await whole.send(frames(whole));
    const headers = {
      "content-type": "application/json",
      authorization: (await authorizationOf(parted.admin.as)) as string,
    };
    const post = (address: string, input: Frame[]) =>
      fetch(`${address}/graphql`, {
        method: "POST",
        headers,
        body: JSON.stringify({ query: recordDetections, variables: { input } }),
      }).then(
        (response) => response.json() as Promise<{ data?: { recordDetections: { processed: number } } }>,
        () => undefined,
      );
    let kills = 0;
    let next = 0;
    const all = frames(parted);
    while (kills < 20) {
      const killed = await site.startProcess();
      // By turns, then one frame that is sent while its gateway is killed.
      for (const address of [killed.address, survivor.url]) {
        const answer = await post(address, all.slice(next, next + 2));
        expect(answer?.data?.recordDetections.processed).toBe(2);
        next += 2;
      }
      const input = all.slice(next, next + 2);
      const [answer] = await Promise.all([post(killed.address, input), killed.process.kill()]);
      kills += 1;
      // Whoever gets no answer sends the frames again.
      if (!answer?.data) expect((await post(survivor.url, input))?.data).toBeDefined();
      next += 2;
    }
    expect(next).toBe(count);
    const outcome = await raised(whole, wholeRules);
    expect(outcome.length).toBeGreaterThan(20);
    expect(await raised(parted, partedRules)).toEqual(outcome);
  });

  it("take the frames of the same cameras at once, in any order, without deadlocks and without loss", async () => {
    const site = await TestSite.forTest();
    const gateways: Gateway[] = [await site.start(), await site.start()];
    onTestFinished(async () => {
      for (const gateway of gateways) await gateway.close();
    });
    const detector = await Detector.open(gateways[0] as Gateway);
    const cameras = await Promise.all(listOf(12, () => detector.newCamera()));
    for (const cameraId of cameras)
      await detector.newRule({ cameraId, group: personsInLeftHalf({ cooldownSeconds: 0 }) });
    const results = await Promise.all(
      listOf(24, async (n) => {
        const at = (n % 6) + 1;
        const turned = [...cameras.slice(n % 12), ...cameras.slice(0, n % 12)];
        const input = (n % 2 ? turned : turned.toReversed()).map((cameraId) =>
          detector.frame(at, [person()], { cameraId }),
        );
        return gateways[n % 2]?.data<{ recordDetections: { processed: number; dropped: number } }>(
          recordDetections,
          { as: detector.admin.as, variables: { input } },
        );
      }),
    );
    const sumOf = (of: "processed" | "dropped") =>
      results.reduce((sum, each) => sum + (each?.recordDetections[of] ?? 0), 0);
    const processed = sumOf("processed");
    expect(processed + sumOf("dropped")).toBe(24 * 12);
    const alerts = await detector.alerts();
    // Each frame that was processed raised one alert, and none twice.
    expect(alerts).toHaveLength(processed);
    expect(new Set(alerts.map(({ cameraId, createdAt }) => `${cameraId} ${createdAt.getTime()}`)).size).toBe(
      processed,
    );
    // The last frame of each camera was processed.
    const last = detector.frame(6).at;
    expect(alerts.filter(({ createdAt }) => createdAt.toISOString() === last)).toHaveLength(12);
  });
});
