import { runAtOnce, type SlicedWork } from "../../../platform/queues/slices.js";
import { seenFrame } from "./condition-tree.js";
import type {
  CameraState,
  DetectionFrame,
  FiredAlert,
  RememberedObject,
  RuleState,
  RuleStay,
} from "./detection.js";
import { alertOf, coolingRules, isCooledDown, objectsToReport } from "./firing.js";
import { appliedRules, type PreparedRule, type PreparedRules } from "./prepared-rules.js";
import { remainingStays, withinLimit } from "./remembered-objects.js";
import { isMatched, type RuleMatches, ruleMatchesOf } from "./rule-matches.js";
import { extendedInRule, nextTimer } from "./stay.js";

interface StepResult {
  state: CameraState;
  alerts: FiredAlert[];
  /** Whether the frame is not later than the last one, and therefore changes nothing. */
  isDropped: boolean;
}

/** The tests that take about as long as a unit of work. */
const testsPerUnit = 2_000;
/** The units after which a slice ends. The largest rule takes some 900 for a full frame. */
const unitsPerSlice = 100;

export const step = (state: CameraState, frame: DetectionFrame, prepared: PreparedRules): StepResult =>
  runAtOnce(slicedStep(state, frame, prepared));

/** The same as {@link step}, in slices of a few rules. */
export function* slicedStep(
  state: CameraState,
  frame: DetectionFrame,
  prepared: PreparedRules,
): SlicedWork<StepResult> {
  const isDropped = state.at !== null && frame.at <= state.at;
  if (isDropped || prepared.rules.length === 0) yield 1;
  return isDropped
    ? { state, alerts: [], isDropped }
    : { ...(yield* evaluate(state, frame, prepared)), isDropped };
}

function* evaluate(
  state: CameraState,
  frame: DetectionFrame,
  prepared: PreparedRules,
): SlicedWork<Omit<StepResult, "isDropped">> {
  const { at } = frame;
  const { rules, imageDimensions } = prepared;
  const applies = appliedRules(at, prepared);
  const { unseen, known } = knownObjects(state, frame, { prepared, applies });
  const seen = seenFrame(frame, imageDimensions ?? frame, prepared.attributes);
  const knownRules = new Map(state.rules.map((rule) => [rule.id, rule]));
  const staysOf = frame.objects.map((): RuleStay[] => []);
  const ruleStates: RuleState[] = [];
  const alerts: FiredAlert[] = [];
  let sliceEnd = 0;
  for (const [position, rule] of rules.entries()) {
    if (position === sliceEnd) {
      const slice = nextSlice(state, frame, rules, position);
      sliceEnd = slice.end;
      yield slice.units;
    }
    const { firedAt = null, timer = null } = knownRules.get(rule.id) ?? {};
    const before: RuleState = { id: rule.id, firedAt, timer };
    if (!applies[position]) {
      ruleStates.push({ ...before, timer: null });
      continue;
    }
    const ruleMatches = ruleMatchesOf(rule.condition(seen, seen.positions), seen);
    const stays = staysIn(position, frame, ruleMatches, known);
    for (const [object, stay] of stays.entries()) if (stay) staysOf[object]?.push(stay);
    const { ruleState, reported } = fire(rule, before, at, { ruleMatches, stays });
    ruleStates.push(ruleState);
    if (reported.length > 0)
      alerts.push(alertOf(rule, frame, imageDimensions, { reported, matches: ruleMatches.matches }));
  }
  const inFrame = frame.objects.flatMap(({ trackId }, object): RememberedObject[] => {
    const stays = staysOf[object] as RuleStay[];
    return trackId !== undefined && stays.length > 0 ? [{ trackId, seenAt: at, stays }] : [];
  });
  return {
    state: {
      at,
      rules: [...ruleStates, ...coolingRules(state.rules, prepared, at)],
      objects: withinLimit([...unseen, ...inFrame]),
    },
    alerts,
  };
}

type KnownStays = ReadonlyMap<string, readonly (RuleStay | undefined)[]>;

/** The stays of objects in a rule after a frame: new ones of those in it, which may be marked. */
const staysIn = (
  rule: number,
  { at, objects }: DetectionFrame,
  ruleMatches: RuleMatches,
  known: KnownStays,
): (RuleStay | undefined)[] =>
  objects.map(({ trackId }, object) => {
    if (trackId === undefined) return undefined;
    const before = known.get(trackId)?.[rule];
    return isMatched(ruleMatches, object) ? extendedInRule(rule, before, at) : before;
  });

/** The objects of a frame that a rule reports, which it marks as such, and its state after it. */
function fire(
  rule: PreparedRule,
  { id, firedAt, timer: knownTimer }: RuleState,
  at: number,
  { ruleMatches, stays }: { ruleMatches: RuleMatches; stays: readonly (RuleStay | undefined)[] },
): { ruleState: RuleState; reported: readonly number[] } {
  const timer = nextTimer(knownTimer, at, ruleMatches.hasShared);
  const reported = isCooledDown(rule, firedAt, at) ? objectsToReport(ruleMatches, at, timer, stays) : [];
  for (const object of reported) {
    const stay = stays[object];
    if (stay) stay.isReported = true;
  }
  return { ruleState: { id, firedAt: reported.length > 0 ? at : firedAt, timer }, reported };
}

function nextSlice(
  { objects: remembered }: CameraState,
  { objects }: DetectionFrame,
  rules: readonly PreparedRule[],
  start: number,
): { end: number; units: number } {
  // The first slice begins with what the frame and the state take.
  let tests = start > 0 ? 0 : testsPerUnit + remembered.length * rules.length;
  let end = start;
  do {
    tests += (rules[end] as PreparedRule).tests * objects.length;
    end += 1;
  } while (end < rules.length && tests < unitsPerSlice * testsPerUnit);
  return { end, units: tests / testsPerUnit };
}

/** The objects that are not in the frame, as far as rules remember them, and the stays of those in it by rule. */
function knownObjects(
  state: CameraState,
  { at, objects: seen }: DetectionFrame,
  { prepared, applies }: { prepared: PreparedRules; applies: readonly boolean[] },
): { unseen: RememberedObject[]; known: KnownStays } {
  // Stays end in rules that do not apply.
  const positions = state.rules.map(({ id }) => {
    const position = prepared.positions.get(id);
    return position !== undefined && applies[position] ? position : undefined;
  });
  const inFrame = new Set(seen.map(({ trackId }) => trackId));
  const unseen: RememberedObject[] = [];
  const known = new Map<string, RuleStay[]>();
  for (const object of state.objects) {
    const stays = remainingStays(object.stays, positions, at);
    if (inFrame.has(object.trackId)) {
      const byRule: RuleStay[] = [];
      for (const stay of stays) byRule[stay.rule] = stay;
      known.set(object.trackId, byRule);
    } else if (stays === object.stays) unseen.push(object);
    else if (stays.length > 0) unseen.push({ ...object, stays });
  }
  return { unseen, known };
}
