// Runs once: no database can influence what is tested here.
import { expect, it } from "vitest";
import { StatementNames } from "../../src/database/statement-names.js";

/** The name of a statement when it is run for the third time. */
const nameOf = (names: StatementNames, text: string) => [names.of(text), names.of(text), names.of(text)].at(-1);

it("a statement gets a name when it is run for the third time, and keeps it", () => {
  const names = new StatementNames();
  const given = Array.from({ length: 5 }, () => names.of("SELECT 1"));
  expect(given).toEqual([undefined, undefined, "gateway_0", "gateway_0", "gateway_0"]);
});

it("a long statement gets no name", () => {
  const names = new StatementNames();
  expect(nameOf(names, "SELECT 1".padEnd(8_192))).toBe("gateway_0");
  expect(nameOf(names, "SELECT 1".padEnd(8_193))).toBeUndefined();
});

it("no statement gets a name once those with one are 256 KiB together", () => {
  const names = new StatementNames();
  const given = Array.from({ length: 40 }, (_, index) => nameOf(names, `SELECT ${index}`.padEnd(8_192)));
  expect(given.filter(Boolean)).toHaveLength(32);
  expect(nameOf(names, "SELECT 1")).toBeUndefined();
  expect(names.of("SELECT 0".padEnd(8_192))).toBe("gateway_0");
});
