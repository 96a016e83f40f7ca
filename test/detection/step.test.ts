// Needs no gateway.
// What rules raise in scenes of all kinds is compared with the documentation in oracle.test.ts.

import type { RuleNode } from "../../src/features/alert-rule/rule-tree.js";
import {
  type DetectedObject,
  type DetectionFrame,
  type EvaluatedRule,
  emptyState,
} from "../../src/features/detection/evaluation/detection.js";
import { prepareRules } from "../../src/features/detection/evaluation/prepared-rules.js";
import { slicedStep, step } from "../../src/features/detection/evaluation/step.js";
import { decodeState, encodeState } from "../../src/features/detection/evaluation/stored-state.js";
import { listOf } from "../support/list-of.js";
import { Oracle } from "./oracle.js";

const person = (values: Partial<RuleNode> = {}): RuleNode => ({
  id: "person",
  type: "PERSON",
  objects: ["person"],
  ...values,
});
const group = (operator: string, ...children: RuleNode[]): RuleNode => ({
  id: "group",
  type: "GROUP",
  operator,
  children,
});
const rule = (values: Partial<EvaluatedRule> = {}): EvaluatedRule => ({
  id: "rule",
  group: group("AND", person()),
  dayRange: [0, 1, 2, 3, 4, 5, 6],
  timeRange: null,
  snoozes: [],
  ...values,
});

/** An object that stands at a distance from the left. */
const at = (x: number, trackId?: string): DetectedObject => ({
  label: "PERSON",
  confidence: 1,
  box: { x: x - 5, y: 40, width: 10, height: 10 },
  ...(trackId !== undefined && { trackId }),
});
const noon = Date.parse("2026-11-20T12:00:00Z");
const frame = (seconds: number, ...objects: DetectedObject[]): DetectionFrame => ({
  at: noon + seconds * 1000,
  width: 100,
  height: 100,
  objects,
});

it("remembers 200 objects, and forgets those seen earliest, of these the smaller IDs", () => {
  const rules = [rule({ group: { ...group("AND", person({ minSeconds: 0 })), cooldownSeconds: 0 } })];
  const scene = { imageDimensions: null, timeZoneId: "UTC" };
  const oracle = new Oracle();
  let state = emptyState;
  /** The number of alerts that a frame raises; the database keeps the state between two. */
  const see = (seen: DetectionFrame) => {
    const result = step(state, seen, prepareRules(rules, scene));
    state = decodeState(encodeState(result.state));
    expect(result.alerts).toEqual(oracle.next(seen, rules, scene));
    return result.alerts.length;
  };
  const many = (prefix: string, count: number) =>
    listOf(count, (index) => at(20, `${prefix}${String(index).padStart(3, "0")}`));
  see(frame(0, ...many("z", 2)));
  see(frame(1, ...many("b", 150)));
  see(frame(2, ...many("c", 50)));
  expect(state.objects).toHaveLength(200);
  see(frame(3, ...many("c", 51)));
  expect(state.objects).toHaveLength(200);
  // Of the objects that were told, only those that were forgotten are told again.
  expect([see(frame(4, at(20, "b001"))), see(frame(5, at(20, "b000")))]).toEqual([0, 1]);
});

describe("the work of a frame", () => {
  const leaf = (n: number): RuleNode => ({
    ...person({
      minSeconds: 0,
      attributes: Object.fromEntries(listOf(20, (k) => [k, n])),
    }),
    id: `${n}`,
  });
  /** The units of each slice of a frame, after others like it. */
  const slicesOf = ({ rules, leaves, objects }: { rules: number; leaves: number; objects: number }) => {
    const children = listOf(leaves, (n) => leaf(n));
    const prepared = prepareRules(
      listOf(rules, (n) => rule({ id: `${n}`, group: group("OR", ...children) })),
      { imageDimensions: null, timeZoneId: "UTC" },
    );
    const seen = listOf(objects, (n) => at(20, `${n}`));
    const { state } = step(emptyState, frame(0, ...seen), prepared);
    const slices: number[] = [];
    const work = slicedStep(state, frame(1, ...seen), prepared);
    for (let next = work.next(); !next.done; next = work.next()) slices.push(next.value);
    return slices;
  };
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

  it("grows with rules, leaves and objects, each in proportion", () => {
    const size = { rules: 10, leaves: 30, objects: 50 };
    const units = sum(slicesOf(size));
    for (const doubled of [
      { ...size, rules: 20 },
      { ...size, leaves: 60 },
      { ...size, objects: 100 },
    ])
      expect(sum(slicesOf(doubled)) / units).toBeCloseTo(2, 0);
  });

  it("is done in slices, of which none takes more than the largest rule alone", () => {
    const slices = slicesOf({ rules: 30, leaves: 99, objects: 200 });
    expect(slices).toHaveLength(30);
    expect(Math.max(...slices)).toBeLessThan(400);
    expect(slicesOf({ rules: 5, leaves: 2, objects: 10 })).toHaveLength(1);
  });
});

it("changes neither the state nor the frame that it is given", () => {
  const freeze = <Value>(value: Value): Value => {
    for (const each of Object.values(value as object)) if (each && typeof each === "object") freeze(each);
    return Object.freeze(value);
  };
  let state = freeze(emptyState);
  const prepared = prepareRules([rule()], { imageDimensions: null, timeZoneId: null });
  for (const second of [0, 1, 2])
    state = freeze(step(state, freeze(frame(second, at(20, "1"))), prepared).state);
  expect(state.objects).toHaveLength(1);
});
