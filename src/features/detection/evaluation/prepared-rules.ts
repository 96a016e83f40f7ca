import type { Size } from "../../../platform/geometry.js";
import { runAtOnce, type SlicedWork } from "../../../platform/queues/slices.js";
import { substituteTimeZone } from "../../../platform/time.js";
import type { RuleArea } from "../../alert-rule/alert-rule.type.js";
import { areasOf, type RuleNode } from "../../alert-rule/rule-tree.js";
import { type AskedAttributes, type Condition, compileTree } from "./condition-tree.js";
import type { CameraScene, EvaluatedRule } from "./detection.js";
import { clockTime, isOpen, isSnoozed, type Window, windowOf } from "./window.js";

export interface PreparedRules {
  rules: readonly PreparedRule[];
  /** The positions of the rules, by their IDs. */
  positions: ReadonlyMap<string, number>;
  /** The size of the picture in which areas are drawn; null for that of each frame. */
  imageDimensions: Size | null;
  timeZoneId: string;
  attributes: AskedAttributes;
}

export interface PreparedRule {
  id: string;
  condition: Condition;
  /** In the order of the tree. */
  areas: readonly RuleArea[];
  /** When the rule applies; null for always. */
  window: Window | null;
  snoozes: EvaluatedRule["snoozes"];
  cooldownMs: number;
  /** The work that an object takes: about the tests against the corner of an area. */
  tests: number;
}

const defaultCooldownSeconds = 60;

export const prepareRules = (rules: readonly EvaluatedRule[], scene: CameraScene): PreparedRules =>
  runAtOnce(slicedPreparation(rules, scene));

/** The same as {@link prepareRules}, rule by rule. */
export function* slicedPreparation(
  given: readonly EvaluatedRule[],
  scene: CameraScene,
): SlicedWork<PreparedRules> {
  const timeZoneId = scene.timeZoneId ?? substituteTimeZone;
  const attributes: AskedAttributes = new Map();
  const rules: PreparedRule[] = [];
  for (const rule of given) {
    const tests = testsOf(rule.group);
    yield 1 + tests / testsPerUnitOfPreparation;
    rules.push({
      id: rule.id,
      condition: compileTree(rule.group, attributes),
      areas: areasOf(rule.group),
      window: windowOf(rule, timeZoneId),
      snoozes: rule.snoozes,
      cooldownMs: Math.round((rule.group.cooldownSeconds ?? defaultCooldownSeconds) * 1000),
      tests,
    });
  }
  return {
    rules,
    positions: new Map(rules.map(({ id }, position) => [id, position])),
    imageDimensions: scene.imageDimensions,
    timeZoneId,
    attributes,
  };
}

/** As much as can be prepared in a unit of work, in what it will take to test an object. */
const testsPerUnitOfPreparation = 100;

const testsOfNode = 12;
const testsOfAttribute = 1;

/** The work of a tree for an object. */
const testsOf = ({ points = [], attributes = {}, children = [] }: RuleNode): number =>
  children.reduce(
    (tests, child) => tests + testsOf(child),
    testsOfNode + points.length + testsOfAttribute * Object.keys(attributes).length,
  );

/** Whether each rule applies at a time: it is not snoozed, and its window is open. */
export function appliedRules(at: number, { rules, timeZoneId }: PreparedRules): boolean[] {
  const clock = rules.some(({ window }) => window) ? clockTime(at, timeZoneId) : 0;
  return rules.map((rule) => !isSnoozed(rule, at) && (!rule.window || isOpen(rule.window, clock)));
}
