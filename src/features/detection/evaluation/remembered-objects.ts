import type { RememberedObject, RuleStay } from "./detection.js";
import { isRemembered } from "./stay.js";

/** The maximum number of tracked objects that a camera remembers. */
const maxRemembered = 200;

/** The position of each rule of the state among the rules of now; undefined if its stays have ended. */
type RulePositions = readonly (number | undefined)[];

/** The stays of an object that is not in a frame, as far as rules remember them. */
export function remainingStays(
  stays: readonly RuleStay[],
  positions: RulePositions,
  at: number,
): readonly RuleStay[] {
  const remains = (stay: RuleStay) => positions[stay.rule] === stay.rule && isRemembered(stay, at);
  // Copying all objects for each frame would take most of the time.
  if (stays.every(remains)) return stays;
  return stays.flatMap((stay) => {
    const rule = positions[stay.rule];
    return rule !== undefined && isRemembered(stay, at) ? [{ ...stay, rule }] : [];
  });
}

/** Drops the objects that were not seen for longest if there are too many; of equals, those with smaller IDs. */
export function withinLimit(objects: RememberedObject[]): RememberedObject[] {
  const excess = objects.length - maxRemembered;
  if (excess <= 0) return objects;
  const dropped = new Set([...objects].sort(byLastSight).slice(0, excess));
  return objects.filter((object) => !dropped.has(object));
}

const byLastSight = (one: RememberedObject, other: RememberedObject): number =>
  one.seenAt - other.seenAt || (one.trackId < other.trackId ? -1 : 1);
