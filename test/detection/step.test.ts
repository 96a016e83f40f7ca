// Needs no gateway.
import { describe, expect, it } from "vitest";
import type { RuleNode } from "../../src/alert-rule/rule-tree.js";
import {
  type CameraScene,
  type CameraState,
  type DetectedObject,
  type DetectionFrame,
  type EvaluatedRule,
  emptyState,
} from "../../src/detection/detection.js";
import { prepareRules } from "../../src/detection/prepared-rules.js";
import { slicedStep, step } from "../../src/detection/step.js";
import { decodeState, encodeState } from "../../src/detection/stored-state.js";
import { Oracle } from "./oracle.js";

const everyDay = [0, 1, 2, 3, 4, 5, 6];
const square = (left: number, right: number) => [
  { x: left, y: 0 },
  { x: right, y: 0 },
  { x: right, y: 100 },
  { x: left, y: 100 },
];
const area = (id: string, left: number, right: number): RuleNode => ({
  id,
  type: "AREA",
  name: id,
  points: square(left, right),
});
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
  group: group("AND", area("dock", 0, 50), person()),
  dayRange: everyDay,
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

/** A state as the database keeps it between two requests. */
const asStored = (state: CameraState): CameraState => decodeState(encodeState(state));

/** A camera whose rules and place may change between frames. */
class EvaluatedCamera {
  rules: EvaluatedRule[];
  scene: CameraScene = { imageDimensions: null, timeZoneId: "UTC" };
  state: CameraState = emptyState;
  readonly #oracle = new Oracle();

  constructor(...rules: EvaluatedRule[]) {
    this.rules = rules;
  }

  /** The rules that raise an alert for a frame; undefined if it is dropped. */
  see(frame: DetectionFrame): string[] | undefined {
    const { state, alerts, isDropped } = step(this.state, frame, prepareRules(this.rules, this.scene));
    this.state = isDropped ? state : asStored(state);
    expect(isDropped ? undefined : alerts).toEqual(this.#oracle.next(frame, this.rules, this.scene));
    return isDropped ? undefined : alerts.map(({ ruleId }) => ruleId);
  }

  /** The seconds at which an alert is raised, of frames at these seconds with an object. */
  secondsOf(seconds: readonly number[], object: DetectedObject): number[] {
    return seconds.filter((second) => this.see(frame(second, object))?.length);
  }
}

it("tells a track that jitters at a border once", () => {
  const camera = new EvaluatedCamera(rule());
  const alerts = Array.from({ length: 600 }, (_, index) =>
    camera.see(frame(index / 5, at(50 + (index % 3) - 1, "1"))),
  ).flat();
  expect(alerts).toEqual(["rule"]);
});

it("tells untracked objects again after each cool-down", () => {
  const camera = new EvaluatedCamera(rule());
  const seconds = Array.from({ length: 130 }, (_, index) => index);
  expect(camera.secondsOf(seconds, at(20))).toEqual([1, 61, 121]);
});

it("tells a tracked object anew only if it was away for more than a minute", () => {
  const camera = new EvaluatedCamera(rule());
  expect(camera.secondsOf([0, 1, 61, 62], at(20, "1"))).toEqual([1]);
  expect(camera.secondsOf([122.001, 123.001], at(20, "1"))).toEqual([123.001]);
});

it("raises an alert by each of several rules that overlap, each by its own cool-down", () => {
  const camera = new EvaluatedCamera(
    rule({ id: "narrow" }),
    rule({ id: "wide", group: group("AND", area("yard", 0, 100), person({ minSeconds: 2 })) }),
  );
  expect([0, 1, 2].map((second) => camera.see(frame(second, at(20, "1"))))).toEqual([
    [],
    ["narrow"],
    ["wide"],
  ]);
});

describe("a tracked object that a shortage yields, and later another leaf", () => {
  const alone = (values: Partial<RuleNode> = {}) =>
    person({ id: "alone", type: "MIN_PERSON", objects: ["person"], ...values });
  const rules = () => rule({ group: { ...group("OR", area("dock", 0, 50), alone()), cooldownSeconds: 5 } });

  it("was told, and is not told again as long as it stays in the rule", () => {
    const camera = new EvaluatedCamera(rules());
    expect([0, 1].map((second) => camera.see(frame(second, at(70, "1"))))).toEqual([[], ["rule"]]);
    const together = [2, 3, 4, 5, 6, 7, 8].map((second) =>
      camera.see(frame(second, at(20, "1"), at(80, "2"))),
    );
    expect(together).toEqual(together.map(() => []));
  });

  it("has belonged since the shortage began", () => {
    const camera = new EvaluatedCamera(
      rule({ group: group("OR", area("dock", 0, 50), alone({ minSeconds: 60 })) }),
    );
    expect(camera.see(frame(0, at(70, "1")))).toEqual([]);
    expect(camera.see(frame(1, at(20, "1")))).toEqual(["rule"]);
  });

  it("is told again after each cool-down while the shortage lasts", () => {
    const camera = new EvaluatedCamera(rules());
    const seconds = Array.from({ length: 13 }, (_, index) => index);
    expect(camera.secondsOf(seconds, at(70, "1"))).toEqual([1, 6, 11]);
  });
});

it("frames of before and after a snooze raise alerts as if there were none", () => {
  const snoozes = [
    { from: noon + 3_000, until: noon + 6_000 },
    { from: noon + 5_000, until: noon + 9_000 },
  ];
  const camera = new EvaluatedCamera(
    rule({ group: { ...group("AND", person({ minSeconds: 0 })), cooldownSeconds: 0 }, snoozes }),
  );
  const seconds = [1, 2.999, 3, 6, 8.999, 9, 10];
  expect(camera.secondsOf(seconds, at(20))).toEqual([1, 2.999, 9, 10]);
});

describe("a rule that changes while objects stand in its area", () => {
  it("keeps their stays: a told object is not told again, the others need no more time", () => {
    const camera = new EvaluatedCamera(rule({ group: group("AND", area("dock", 0, 50), person()) }));
    expect([0, 1].map((second) => camera.see(frame(second, at(20, "1"))))).toEqual([[], ["rule"]]);
    camera.see(frame(2, at(20, "1"), at(30, "2")));
    camera.rules = [
      rule({
        group: { ...group("AND", area("yard", 0, 100), person({ minSeconds: 0.5 })), cooldownSeconds: 0 },
      }),
    ];
    const frameOfBoth = frame(2.5, at(20, "1"), at(30, "2"));
    const { alerts } = step(camera.state, frameOfBoth, prepareRules(camera.rules, camera.scene));
    expect(alerts.map(({ objects }) => objects.map(({ trackId }) => trackId))).toEqual([["2"]]);
  });

  it("forgets them while it is not active, but not its cool-down", () => {
    const camera = new EvaluatedCamera(rule());
    expect(camera.secondsOf([0, 1], at(20, "1"))).toEqual([1]);
    camera.rules = [];
    camera.see(frame(2, at(20, "1")));
    camera.rules = [rule()];
    const seconds = Array.from({ length: 70 }, (_, index) => 3 + index);
    expect(camera.secondsOf(seconds, at(20, "1"))).toEqual([61]);
  });
});

it("a clock that is set back: frames are dropped until it has caught up", () => {
  const camera = new EvaluatedCamera(rule());
  expect(camera.see(frame(10, at(20, "1")))).toEqual([]);
  expect([9, 10].map((second) => camera.see(frame(second, at(20, "1"))))).toEqual([undefined, undefined]);
  expect(camera.see(frame(11, at(20, "1")))).toEqual(["rule"]);
});

describe("a window", () => {
  const instant = (time: string) => Date.parse(time);
  /** Whether a rule applies at an instant: with it, an object is told at once. */
  const applies = (time: string, values: Partial<EvaluatedRule>, timeZoneId: string) => {
    const camera = new EvaluatedCamera(rule({ group: group("AND", person({ minSeconds: 0 })), ...values }));
    camera.scene = { imageDimensions: null, timeZoneId };
    return camera.see({ ...frame(0, at(20, "1")), at: instant(time) })?.length === 1;
  };
  const berlin = (start: string, end: string) => ({
    timeRange: { start: instant(`2026-01-15T${start}:00+01:00`), end: instant(`2026-01-15T${end}:00+01:00`) },
  });

  it("moves with the facility's zone", () => {
    const camera = new EvaluatedCamera(
      rule({
        timeRange: { start: instant("2026-11-20T12:00:00Z"), end: instant("2026-11-20T12:01:00Z") },
      }),
    );
    expect(camera.secondsOf([0, 1], at(20, "1"))).toEqual([1]);
    // The same instants show other clock times there, and the frames show them, too.
    camera.scene = { imageDimensions: null, timeZoneId: "Asia/Kathmandu" };
    expect(camera.secondsOf([62, 63], at(20, "2"))).toEqual([]);
    expect(applies("2026-07-20T07:30:00Z", berlin("09:00", "10:00"), "Europe/Berlin")).toBe(true);
    expect(applies("2026-07-20T07:30:00Z", berlin("09:00", "10:00"), "UTC")).toBe(false);
  });

  it("keeps its clock times over changes of the clocks in both directions", () => {
    const early = berlin("02:30", "03:30");
    // At one in the morning UTC, clocks go from 2 to 3 o'clock, and from 3 back to 2.
    expect(applies("2026-03-29T00:59:59Z", early, "Europe/Berlin")).toBe(false);
    expect(applies("2026-03-29T01:00:00Z", early, "Europe/Berlin")).toBe(true);
    expect(applies("2026-03-29T01:30:00Z", early, "Europe/Berlin")).toBe(false);
    expect(applies("2026-10-25T00:30:00Z", early, "Europe/Berlin")).toBe(true);
    expect(applies("2026-10-25T01:00:00Z", early, "Europe/Berlin")).toBe(false);
    expect(applies("2026-10-25T01:30:00Z", early, "Europe/Berlin")).toBe(true);
  });

  it("over midnight belongs to the day on which it starts", () => {
    // Friday night.
    const night = { ...berlin("22:00", "06:00"), dayRange: [5] };
    expect(applies("2026-11-20T20:59:59Z", night, "Europe/Berlin")).toBe(false);
    expect(applies("2026-11-20T21:00:00Z", night, "Europe/Berlin")).toBe(true);
    expect(applies("2026-11-21T04:59:59Z", night, "Europe/Berlin")).toBe(true);
    expect(applies("2026-11-21T05:00:00Z", night, "Europe/Berlin")).toBe(false);
    expect(applies("2026-11-20T03:00:00Z", night, "Europe/Berlin")).toBe(false);
  });

  it("over midnight that changes on its day counts as changed from the next frame on", () => {
    const midnight = instant("2026-11-20T23:00:00Z");
    const night = rule({ ...berlin("22:00", "06:00"), dayRange: [5] });
    const camera = new EvaluatedCamera(night);
    camera.scene = { imageDimensions: null, timeZoneId: "Europe/Berlin" };
    const seen = (seconds: number) => camera.see({ ...frame(0, at(20, "1")), at: midnight + seconds * 1000 });
    expect([-1, 0].map(seen)).toEqual([[], ["rule"]]);
    // Saturday's own window has not begun, so stays and timers end.
    camera.rules = [{ ...night, dayRange: [6] }];
    expect([1, 2].map(seen)).toEqual([[], []]);
    expect(camera.state.objects).toEqual([]);
    camera.rules = [night];
    expect([60, 61].map(seen)).toEqual([[], ["rule"]]);
  });

  it("of equal times is the whole local day", () => {
    const friday = { ...berlin("09:00", "09:00"), dayRange: [5] };
    expect(applies("2026-11-19T23:00:00Z", friday, "Europe/Berlin")).toBe(true);
    expect(applies("2026-11-20T23:00:00Z", friday, "Europe/Berlin")).toBe(false);
  });
});

it("remembers 200 objects, and forgets those seen earliest, of these the smaller IDs", () => {
  const camera = new EvaluatedCamera(
    rule({ group: { ...group("AND", person({ minSeconds: 0 })), cooldownSeconds: 0 } }),
  );
  const many = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, index) => at(20, `${prefix}${String(index).padStart(3, "0")}`));
  camera.see(frame(0, ...many("z", 2)));
  camera.see(frame(1, ...many("b", 150)));
  camera.see(frame(2, ...many("c", 50)));
  expect(camera.state.objects).toHaveLength(200);
  camera.see(frame(3, ...many("c", 51)));
  expect(camera.state.objects).toHaveLength(200);
  // Of the objects that were told, only those that were forgotten are told again.
  const told = (trackId: string, seconds: number) => camera.see(frame(seconds, at(20, trackId)));
  expect([told("b001", 4), told("b000", 5)]).toEqual([[], ["rule"]]);
});

describe("the work of a frame", () => {
  const leaf = (n: number): RuleNode => ({
    ...person({
      minSeconds: 0,
      attributes: Object.fromEntries(Array.from({ length: 20 }, (_, k) => [k, n])),
    }),
    id: `${n}`,
  });
  /** The units of each slice of a frame, after others like it. */
  const slicesOf = ({ rules, leaves, objects }: { rules: number; leaves: number; objects: number }) => {
    const children = Array.from({ length: leaves }, (_, n) => leaf(n));
    const prepared = prepareRules(
      Array.from({ length: rules }, (_, n) => rule({ id: `${n}`, group: group("OR", ...children) })),
      { imageDimensions: null, timeZoneId: "UTC" },
    );
    const seen = Array.from({ length: objects }, (_, n) => at(20, `${n}`));
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

it("scales frames to the picture, and points and area to the frame", () => {
  const prepared = prepareRules(
    [rule({ group: group("AND", area("dock", 0, 50), person({ minSeconds: 0 })) })],
    {
      imageDimensions: { width: 200, height: 200 },
      timeZoneId: null,
    },
  );
  const { alerts } = step(emptyState, frame(0, at(25, "1"), at(26, "2")), prepared);
  expect(alerts).toMatchObject([
    {
      count: 1,
      points: [{ x: 25, y: 50 }],
      areaIds: ["dock"],
      area: [
        { x: 0, y: 0 },
        { x: 25, y: 0 },
        { x: 25, y: 50 },
        { x: 0, y: 50 },
      ],
    },
  ]);
});
