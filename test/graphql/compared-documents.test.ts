// Runs once: both kinds of databases run the same statements.
import { differentialOfDemo } from "./differential-of-demo.js";

/** The short form of differential.test.ts. */
const documents = 30;
const seed = 20261128;
const prepared = differentialOfDemo(seed);

it(`each of ${documents} documents of seed ${seed} has one answer, whoever requests it and whatever runs it`, async () => {
  const differential = prepared();
  const { counts } = differential;
  for (let number = 0; counts.documents < documents; number += 1)
    expect(await differential.compare(number)).toBeUndefined();
  expect([counts.written >= 6, counts.withRows >= 15, counts.calls >= 1]).toEqual([true, true, true]);
}, 300_000);
