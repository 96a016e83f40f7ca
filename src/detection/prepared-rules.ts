import type { RuleArea } from "../alert-rule/alert-rule.type.js";
import { areasOf, type RuleNode } from "../alert-rule/rule-tree.js";
import type { Size } from "../platform/geometry.js";
import { substituteTimeZone } from "../platform/time.js";
import { type Condition, compileCondition } from "./condition-tree.js";
import type { CameraScene, EvaluatedRule } from "./detection.js";
import { type Window, windowOf } from "./window.js";

/** The rules of a camera, prepared for many frames. */
export interface PreparedRules {
  rules: readonly PreparedRule[];
  /** The positions of the rules, by their IDs. */
  positions: ReadonlyMap<string, number>;
  /** The size of the picture in which areas are drawn; null for that of each frame. */
  imageDimensions: Size | null;
  timeZoneId: string;
  /** The tests of an object against a node or a corner, about as many as it takes. */
  tests: number;
}

export interface PreparedRule {
  id: string;
  condition: Condition;
  /** In the order of the tree. */
  areas: readonly RuleArea[];
  /** When the rule applies; null for always. */
  window: Window | null;
  snoozedUntil: number | null;
  cooldownMs: number;
}

const defaultCooldownSeconds = 60;

/** Prepares the rules of a camera that are ACTIVE and evaluated by the gateway. */
export function prepareRules(rules: readonly EvaluatedRule[], scene: CameraScene): PreparedRules {
  const timeZoneId = scene.timeZoneId ?? substituteTimeZone;
  return {
    rules: rules.map((rule) => ({
      id: rule.id,
      condition: compileCondition(rule.group),
      areas: areasOf(rule.group),
      window: windowOf(rule, timeZoneId),
      snoozedUntil: rule.snoozedUntil,
      cooldownMs: Math.round((rule.group.cooldownSeconds ?? defaultCooldownSeconds) * 1000),
    })),
    positions: new Map(rules.map(({ id }, position) => [id, position])),
    imageDimensions: scene.imageDimensions,
    timeZoneId,
    tests: rules.reduce((sum, { group }) => sum + sizeOf(group), 0),
  };
}

/** The number of nodes and corners of a tree. */
const sizeOf = ({ points = [], children = [] }: RuleNode): number =>
  children.reduce((size, child) => size + sizeOf(child), 1 + points.length);

/** The tests that take about as long as a unit of work. */
const testsPerUnit = 2_000;

/** The units of work that the evaluation of a frame takes. */
export const unitsOf = ({ objects }: { objects: readonly unknown[] }, { tests }: PreparedRules): number =>
  1 + (tests * objects.length) / testsPerUnit;
