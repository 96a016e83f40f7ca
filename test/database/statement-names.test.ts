// Needs no gateway.

import { StatementNames } from "../../src/engine/database/statement-names.js";
import { listOf } from "../support/list-of.js";

/** The name of a statement on its third run. */
const nameOf = (names: StatementNames, text: string) =>
  [names.of(text), names.of(text), names.of(text)].at(-1);

it("a statement gets a name when it is run for the third time, and keeps it", () => {
  const names = new StatementNames();
  const given = listOf(5, () => names.of("SELECT 1"));
  const name = expect.stringMatching(/^gateway_[\w-]{43}$/);
  expect(given).toEqual([undefined, undefined, name, name, name]);
});

it("a statement has the same name on each instance, and no other statement has it", () => {
  const [one, other] = [new StatementNames(), new StatementNames()];
  const first = nameOf(one, "SELECT 1");
  const second = nameOf(one, "SELECT 2");
  expect([nameOf(other, "SELECT 2"), nameOf(other, "SELECT 1")]).toEqual([second, first]);
  expect(first).not.toBe(second);
});

it("a long statement gets no name", () => {
  const names = new StatementNames();
  expect(nameOf(names, "SELECT 1".padEnd(8_192))).toBeDefined();
  expect(nameOf(names, "SELECT 1".padEnd(8_193))).toBeUndefined();
});

it("no statement gets a name once named statements have 256 KiB together", () => {
  const names = new StatementNames();
  const given = listOf(40, (index) => nameOf(names, `SELECT ${index}`.padEnd(8_192)));
  expect(given.filter(Boolean)).toHaveLength(32);
  expect(nameOf(names, "SELECT 1")).toBeUndefined();
  expect(names.of("SELECT 0".padEnd(8_192))).toBe(given[0]);
});
