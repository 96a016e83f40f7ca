import type { RuleStay, Stay } from "./detection.js";

/** What is away for longer starts anew. */
const maxGapMs = 2_000;
/** A tracked object that is away for longer is forgotten: alerts will report it again. */
const maxAbsenceMs = 60_000;

/** Whether something that is in at a time goes on with its stay. */
const isGoingOn = ({ lastAt }: Stay, at: number): boolean => at - lastAt <= maxGapMs;

const extended = (stay: Stay | null | undefined, at: number): Stay => ({
  since: stay && isGoingOn(stay, at) ? stay.since : at,
  lastAt: at,
});

/** The timer of a rule after a frame, given the timer before it; null if it is not running. */
export function nextTimer(timer: Stay | null, at: number, isIn: boolean): Stay | null {
  if (isIn) return extended(timer, at);
  return timer && isGoingOn(timer, at) ? timer : null;
}

/** The stay in a rule of a tracked object that is in, given the stay that is remembered. */
export const extendedInRule = (rule: number, stay: RuleStay | undefined, at: number): RuleStay => ({
  rule,
  ...extended(stay, at),
  isReported: stay?.isReported ?? false,
});

/** Whether a rule still remembers a tracked object. */
export const isRemembered = ({ lastAt }: Stay, at: number): boolean => at - lastAt <= maxAbsenceMs;
