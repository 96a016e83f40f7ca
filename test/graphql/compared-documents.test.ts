// Runs once: both kinds of databases run the same statements.
import { afterAll, beforeAll, expect, it } from "vitest";
import { Differential } from "../fuzz/differential.js";
import { type Gateway, startGateway } from "../support/harness.js";

/** The short form of differential.test.ts. */
const documents = 30;
const seed = 20261128;
let gateway: Gateway;
let differential: Differential;

beforeAll(async () => {
  // Signed links depend on the hour.
  const now = new Date();
  gateway = await startGateway({ seed: "demo", now: () => now, environment: { FEDERATION: "on" } });
  const { app, prisma, statements } = gateway;
  differential = await Differential.prepare({ app, prisma, statements, now }, seed);
});
afterAll(async () => {
  differential?.close();
  await gateway.close();
});

it(`each of ${documents} documents of seed ${seed} has one answer, whoever requests it and whatever runs it`, async () => {
  const { counts } = differential;
  for (let number = 0; counts.documents < documents; number += 1)
    expect(await differential.compare(number)).toBeUndefined();
  expect([counts.written >= 6, counts.withRows >= 15, counts.calls >= 1]).toEqual([true, true, true]);
}, 300_000);
