// Runs once: both kinds of databases run the same statements.
// Takes long: it compares thousands of random documents.
import { differentialOfDemo } from "./differential-of-demo.js";

const documents = 300;
const seed = Number(process.env.DIFFERENTIAL_SEED ?? 20261125);
const prepared = differentialOfDemo(seed);

it(`has one answer for each of ${documents} documents of seed ${seed}, whoever requests it and whatever runs it`, async () => {
  const differential = prepared();
  const { counts } = differential;
  for (let number = 0; counts.documents < documents; number += 1)
    expect(await differential.compare(number)).toBeUndefined();
  // The comparison proves something only if it took every way, compared data, and drew
  // everything that can be drawn.
  const least = {
    ...{
      routes: 10,
      writes: 4,
      events: 6,
      unseenEvents: 2,
      calls: 16,
      furtherAnswers: 1,
      written: 100,
      writtenNestedPages: 6,
      withOtherVariables: 120,
    },
    ...{ withErrors: 12, withRows: 200, withPagesFromTheEnd: 30, withInterfaces: 20, withDirectives: 12 },
    ...{ withNull: 8, withOmittedVariables: 12, withSeveralOperations: 8 },
  };
  for (const [what, count] of Object.entries(least))
    expect({ [what]: counts[what as keyof typeof least] >= count }).toEqual({ [what]: true });
  expect(counts.statements).toBeLessThan(counts.statementsByLevel);
}, 300_000);
