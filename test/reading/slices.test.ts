// Needs no gateway.

import fc from "fast-check";
import { parseInSlices, stringifyInSlices } from "../../src/platform/json/sliced-json.js";
import type { SlicedWork } from "../../src/platform/queues/slices.js";
import { listOf } from "../support/list-of.js";

// Work that other tests left behind may use the turns of the process.
vi.resetModules();
const { resolveInSlices, expectConnections, inSlices, takeSlice, unitsPerSlice } = await import(
  "../../src/platform/queues/slices.js"
);

/** Runs work to its end at once. Returns its result and the number of slices. */
function run<Result>(work: SlicedWork<Result>): { result: Result; slices: number } {
  for (let slices = 0; ; slices += 1) {
    const step = work.next();
    if (step.done) return { result: step.value, slices };
  }
}

/** Data longer than a slice, around values from fast-check. */
const longJson = fc.jsonValue({ maxDepth: 4 }).map((value) => {
  const many = listOf(15_000, (index) => ({
    index,
    text: '\\"{[,]}',
    number: -1.5e-7,
    none: null,
    empty: [[], {}],
    value,
  }));
  return { value, many, " ": { nested: [[many.slice(0, 9_000)], value] }, text: "}".repeat(200_000) };
});

describe("JSON in slices", () => {
  it("is read as JSON.parse reads it, however it is laid out", () => {
    fc.assert(
      fc.property(longJson, fc.constantFrom(undefined, 1), (data, indent) => {
        const text = JSON.stringify(data, null, indent);
        const { result, slices } = run(parseInSlices(text));
        expect(slices).toBeGreaterThan(3);
        expect(JSON.stringify(result)).toBe(JSON.stringify(data));
      }),
      { numRuns: 3 },
    );
  });

  it("is written as JSON.stringify writes it", () => {
    fc.assert(
      fc.property(longJson, (data) => {
        const withSpecialValues = { ...data, left: undefined, out: [undefined, new Date(0), Number.NaN] };
        const { result, slices } = run(stringifyInSlices(withSpecialValues, () => {}));
        expect(slices).toBeGreaterThan(3);
        expect(result).toBe(JSON.stringify(withSpecialValues));
      }),
      { numRuns: 3 },
    );
  });

  it("is written in slices whatever the names of its members, because aliases and free JSON may have any", () => {
    const names = ["toJSON", "then", "constructor", "__proto__", "valueOf", "hasOwnProperty"];
    const named = Object.fromEntries(names.map((name) => [name, name]));
    const data = { ...named, many: listOf(20_000, (index) => ({ index, ...named })) };
    const { result, slices } = run(stringifyInSlices(data, () => {}));
    expect(slices).toBeGreaterThan(3);
    expect(result).toBe(JSON.stringify(data));
  });

  it("ends as soon as the text is too long", () => {
    const lengths: number[] = [];
    const check = (length: number) => {
      lengths.push(length);
      if (length > 5_000_000) throw new Error("too long");
    };
    const repeated = Object.fromEntries(listOf(1_000, (index) => [`key${index}`, index]));
    expect(() => run(stringifyInSlices(Array(5_000).fill(repeated), check))).toThrow("too long");
    expect(lengths.at(-1)).toBeLessThan(6_000_000);
  });

  it("is one slice if it is short", () => {
    expect(run(parseInSlices('{"a":[1]}'))).toEqual({ result: { a: [1] }, slices: 1 });
    const items = Array(100).fill(1);
    expect(run(stringifyInSlices(items, () => {}))).toEqual({ result: JSON.stringify(items), slices: 1 });
    expect(run(stringifyInSlices({ a: [1] }, () => {}))).toEqual({ result: '{"a":[1]}', slices: 0 });
  });
});

describe("turns", () => {
  it("are taken by those who have work, one after the other, and others are served in between", async () => {
    const log: string[] = [];
    function* work(name: string, slices: number): SlicedWork<void> {
      for (let slice = 0; slice < slices; slice += 1) {
        yield unitsPerSlice;
        log.push(name);
      }
    }
    const all = Promise.all([
      inSlices({}, work("a", 4)),
      inSlices({}, work("b", 4)),
      inSlices({}, work("c", 2)),
    ]);
    setImmediate(() => log.push("served"));
    await all;
    expect(log.join(" ")).toBe("a a a served b c a b c b b");
  });

  it("deal out a long list in order, in parts", async () => {
    const items = listOf(2_000, (index) => index);
    const owner = {};
    const resolved = (await resolveInSlices(owner, items, () => 1)) as Promise<number>[];
    const seen: number[][] = [];
    for (const item of resolved) {
      void item.then((value) => {
        const part = seen.at(-1);
        if (part?.at(-1) === value - 1 && part.length < 250) part.push(value);
        else seen.push([value]);
      });
    }
    expect(await Promise.all(resolved)).toEqual(items);
    expect(seen.map((part) => part.length)).toEqual(listOf(8, () => 250));
  });

  it("do not begin in an iteration of the event loop that has accepted a connection", async () => {
    const log: string[] = [];
    await new Promise<void>((resolve) => {
      // Timers run before immediates in an iteration, as connections are accepted before.
      setTimeout(() => {
        expectConnections();
        void takeSlice({}, unitsPerSlice)?.then(() => {
          log.push("turn");
          resolve();
        });
        setImmediate(() => log.push("end of the iteration"));
      }, 0);
    });
    expect(log).toEqual(["end of the iteration", "turn"]);
  });

  it("are not waited for by short lists", () => {
    const items = [1, 2, 3];
    expect(resolveInSlices({}, items, () => 1)).toBe(items);
  });
});
