import { type Belonging, belongingOf } from "./belonging.js";
import { seenFrame } from "./condition-tree.js";
import type {
  CameraState,
  DetectionFrame,
  FiredAlert,
  RememberedObject,
  RuleState,
  RuleStay,
} from "./detection.js";
import { alertOf, coolingRules, isCooledDown, objectsToTell } from "./firing.js";
import type { PreparedRules } from "./prepared-rules.js";
import { remainingStays, withinLimit } from "./remembered-objects.js";
import { extendedInRule, nextTimer } from "./stay.js";
import { clockTime, isOpen } from "./window.js";

/** What a frame changes. */
export interface StepResult {
  state: CameraState;
  alerts: FiredAlert[];
  /** Whether the frame is not later than the last one, and therefore changes nothing. */
  isDropped: boolean;
}

/** Evaluates the rules of a camera on its next frame. */
export function step(state: CameraState, frame: DetectionFrame, prepared: PreparedRules): StepResult {
  const { at } = frame;
  if (state.at !== null && at <= state.at) return { state, alerts: [], isDropped: true };
  const belongings = belongingsOf(frame, prepared);
  const { objects, staysOf } = nextObjects(state, frame, prepared, belongings);
  const known = new Map(state.rules.map((rule) => [rule.id, rule]));
  const alerts: FiredAlert[] = [];
  const rules = prepared.rules.map((rule, position): RuleState => {
    const { id } = rule;
    const { firedAt = null, timer: knownTimer = null } = known.get(id) ?? {};
    const belonging = belongings[position];
    if (!belonging) return { id, firedAt, timer: null };
    const timer = nextTimer(knownTimer, at, belonging.shared.size > 0);
    const stayOf = (object: number) => staysOf[object]?.find((stay) => stay.rule === position);
    const told = isCooledDown(rule, firedAt, at) ? objectsToTell(belonging, at, timer, stayOf) : [];
    if (told.length === 0) return { id, firedAt, timer };
    for (const object of told) markTold(staysOf[object], position);
    alerts.push(alertOf(rule, frame, prepared.imageDimensions, { told, yields: belonging.yields }));
    return { id, firedAt: at, timer };
  });
  return {
    state: {
      at,
      rules: [...rules, ...coolingRules(state.rules, prepared, at)],
      objects: withinLimit(objects),
    },
    alerts,
    isDropped: false,
  };
}

/** What belongs to each rule; null for rules that do not apply at the time of the frame. */
function belongingsOf(
  frame: DetectionFrame,
  { rules, imageDimensions, timeZoneId }: PreparedRules,
): (Belonging | null)[] {
  const { at } = frame;
  const seen = seenFrame(frame, imageDimensions ?? frame);
  const all = frame.objects.map((_, object) => object);
  const clock = rules.some(({ window }) => window) ? clockTime(at, timeZoneId) : 0;
  return rules.map(({ condition, window, snoozedUntil }) => {
    const isSnoozed = snoozedUntil !== null && at < snoozedUntil;
    return isSnoozed || (window && !isOpen(window, clock)) ? null : belongingOf(condition(seen, all), seen);
  });
}

/**
 * The objects that the camera remembers from a frame on, and the stays of those in the
 * frame, by their positions in it.
 */
function nextObjects(
  state: CameraState,
  { at, objects: seen }: DetectionFrame,
  prepared: PreparedRules,
  belongings: readonly (Belonging | null)[],
): { objects: RememberedObject[]; staysOf: (RuleStay[] | undefined)[] } {
  // Stays end in rules that do not apply.
  const positions = state.rules.map(({ id }) => {
    const position = prepared.positions.get(id);
    return position !== undefined && belongings[position] ? position : undefined;
  });
  const inFrame = new Set(seen.map(({ trackId }) => trackId));
  const known = new Map<string, readonly RuleStay[]>();
  const objects: RememberedObject[] = [];
  for (const object of state.objects) {
    const stays = remainingStays(object.stays, positions, at);
    if (inFrame.has(object.trackId)) known.set(object.trackId, stays);
    else if (stays === object.stays) objects.push(object);
    else if (stays.length > 0) objects.push({ ...object, stays });
  }
  const staysOf = seen.map(({ trackId }, object) => {
    if (trackId === undefined) return undefined;
    const stays = staysInFrame(known.get(trackId) ?? [], object, belongings, at);
    if (stays.length > 0) objects.push({ trackId, seenAt: at, stays });
    return stays;
  });
  return { objects, staysOf };
}

/** The stays of an object in a frame, given those so far. */
function staysInFrame(
  known: readonly RuleStay[],
  object: number,
  belongings: readonly (Belonging | null)[],
  at: number,
): RuleStay[] {
  const isIn = (rule: number) => belongings[rule]?.own.has(object) ?? false;
  const stays = known.filter(({ rule }) => !isIn(rule));
  for (const rule of belongings.keys())
    if (isIn(rule)) {
      const stay = known.find((each) => each.rule === rule);
      stays.push(extendedInRule(rule, stay, at));
    }
  return stays;
}

/** Marks an object as told by a rule. The stays may be those of the state before, but not their list. */
function markTold(stays: RuleStay[] | undefined, rule: number): void {
  const index = stays?.findIndex((stay) => stay.rule === rule) ?? -1;
  const stay = stays?.[index];
  if (stays && stay) stays[index] = { ...stay, isTold: true };
}
