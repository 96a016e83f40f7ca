import type { RuleArea } from "../alert-rule/alert-rule.type.js";
import { areasOf, type RuleNode } from "../alert-rule/rule-tree.js";
import type { Size } from "../platform/geometry.js";
import { substituteTimeZone } from "../platform/time.js";
import { type AskedAttributes, type Condition, compileTree } from "./condition-tree.js";
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

/** Prepares the rules of a camera that are ACTIVE and evaluated by the gateway. */
export function prepareRules(rules: readonly EvaluatedRule[], scene: CameraScene): PreparedRules {
  const timeZoneId = scene.timeZoneId ?? substituteTimeZone;
  const attributes: AskedAttributes = new Map();
  return {
    rules: rules.map((rule) => ({
      id: rule.id,
      condition: compileTree(rule.group, attributes),
      areas: areasOf(rule.group),
      window: windowOf(rule, timeZoneId),
      snoozes: rule.snoozes,
      cooldownMs: Math.round((rule.group.cooldownSeconds ?? defaultCooldownSeconds) * 1000),
      tests: testsOf(rule.group),
    })),
    positions: new Map(rules.map(({ id }, position) => [id, position])),
    imageDimensions: scene.imageDimensions,
    timeZoneId,
    attributes,
  };
}

const testsOfNode = 12;
const testsOfAttribute = 1;

/** The work of a tree for an object. */
const testsOf = ({ points = [], attributes = {}, children = [] }: RuleNode): number =>
  children.reduce(
    (tests, child) => tests + testsOf(child),
    testsOfNode + points.length + testsOfAttribute * Object.keys(attributes).length,
  );
