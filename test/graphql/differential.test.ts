// Runs once: both kinds of databases run the same statements.
import { afterAll, beforeAll, expect, it } from "vitest";
import { Differential } from "../fuzz/differential.js";
import { type Gateway, startGateway } from "../support/harness.js";

const documents = 300;
const seed = Number(process.env.DIFFERENTIAL_SEED ?? 20261125);
let gateway: Gateway;
let differential: Differential;

beforeAll(async () => {
  // Signed links depend on the hour.
  const now = new Date();
  gateway = await startGateway({ seed: "demo", now: () => now });
  const { app, prisma, statements } = gateway;
  differential = await Differential.prepare({ app, prisma, statements, now }, seed);
});
afterAll(async () => {
  differential?.close();
  await gateway.close();
});

it(`has one answer for each of ${documents} documents of seed ${seed}, whatever runs it`, async () => {
  for (let number = 0; number < documents; number += 1) expect(await differential.compare(number)).toBeUndefined();
  const { counts } = differential;
  // The comparison is of worth only if every way was taken, and what was compared was not empty.
  const least = { documents: 200, routes: 12, events: 8, written: 35, compiled: 90, withOtherVariables: 100, withErrors: 12, withRows: 150 };
  for (const [what, count] of Object.entries(least)) expect({ [what]: counts[what as keyof typeof least] >= count }).toEqual({ [what]: true });
  expect(counts.statements).toBeLessThan(counts.statementsByLevel);
}, 300_000);
