import type { Size } from "../../../platform/geometry.js";
import { maxSeconds } from "../../alert-rule/rule-tree.js";
import { scaled, standingPoint } from "./condition-tree.js";
import type { DetectedObject, DetectionFrame, FiredAlert, RuleState, RuleStay, Stay } from "./detection.js";
import type { PreparedRule, PreparedRules } from "./prepared-rules.js";
import type { RuleMatches } from "./rule-matches.js";

export const isCooledDown = ({ cooldownMs }: PreparedRule, firedAt: number | null, at: number): boolean =>
  firedAt === null || at - firedAt >= cooldownMs;

/** No rule has a longer cool-down. */
const maxCooldownMs = maxSeconds * 1000;
/** The maximum number of rules that are not evaluated and whose cool-downs run on. */
const maxCoolingRules = 100;

/** The rules that are not evaluated at present, and whose cool-down may not be over. */
export function coolingRules(
  known: readonly RuleState[],
  { positions }: PreparedRules,
  at: number,
): RuleState[] {
  return known
    .filter(({ id, firedAt }) => !positions.has(id) && firedAt !== null && at - firedAt < maxCooldownMs)
    .map(({ id, firedAt }) => ({ id, firedAt, timer: null }))
    .sort((one, other) => Number(other.firedAt) - Number(one.firedAt))
    .slice(0, maxCoolingRules);
}

/** Whether something has lasted so long; nothing lasts infinitely long. */
const hasLasted = (stay: Stay | null | undefined, at: number, minMs: number): boolean =>
  stay != null && at - stay.since >= minMs;

/**
 * The objects that a rule should report, by their positions in the frame: those that qualify and were not
 * reported yet. What shares the rule's timer cannot be told apart, and counts as not reported. `stays` are those of the
 * objects in the rule.
 */
export function objectsToReport(
  { own, shared }: RuleMatches,
  at: number,
  timer: Stay | null,
  stays: readonly (RuleStay | undefined)[],
): number[] {
  const objects: number[] = [];
  for (const [object, minMs] of own.entries()) {
    const stay = stays[object];
    const qualifies = !stay?.isReported && hasLasted(stay, at, minMs);
    if (qualifies || hasLasted(timer, at, shared[object] as number)) objects.push(object);
  }
  return objects;
}

export function alertOf(
  rule: PreparedRule,
  frame: DetectionFrame,
  imageDimensions: Size | null,
  { reported, matches }: { reported: readonly number[] } & Pick<RuleMatches, "matches">,
): FiredAlert {
  const objects = reported.map((object) => frame.objects[object] as DetectedObject);
  const reportedObjects = new Set(reported);
  const areaIds = new Set(
    matches.flatMap(({ objects, source }) =>
      objects.some((object) => reportedObjects.has(object)) ? source.areaIds : [],
    ),
  );
  const areas = rule.areas.filter(({ id }) => areaIds.has(id));
  const [area] = areas;
  return {
    ruleId: rule.id,
    at: frame.at,
    count: objects.length,
    points: objects.map((object) => standingPoint(object, frame)),
    areaIds: areas.map(({ id }) => id),
    area:
      area && areas.length === 1
        ? area.points.map((point) => scaled(point, imageDimensions ?? frame, frame))
        : null,
    objects,
  };
}
