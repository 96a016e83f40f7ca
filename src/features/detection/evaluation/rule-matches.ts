import type { Match, SeenFrame } from "./condition-tree.js";

/**
 * Which objects of a frame match a rule, by their positions, and how long each must have matched to qualify, in
 * milliseconds: infinitely long if it matches nothing. An object that matches several sources needs the shortest time.
 */
export interface RuleMatches {
  matches: readonly Match[];
  /** The times by the stay of each object itself. */
  own: readonly number[];
  /** The times by the timer that the rule shares among untracked objects, shortages and excesses. */
  shared: readonly number[];
  /** Whether anything goes by the shared timer. */
  hasShared: boolean;
}

export function ruleMatchesOf(matches: readonly Match[], { objects: seen }: SeenFrame): RuleMatches {
  const own = new Array<number>(seen.length).fill(Number.POSITIVE_INFINITY);
  const shared = new Array<number>(seen.length).fill(Number.POSITIVE_INFINITY);
  let hasShared = false;
  for (const { objects, source } of matches)
    for (const object of objects) {
      const isShared = source.isShared || seen[object]?.trackId === undefined;
      const times = isShared ? shared : own;
      if (isShared) hasShared = true;
      times[object] = Math.min(source.minMs, times[object] as number);
    }
  return { matches, own, shared, hasShared };
}

/** Whether an object matches anything in the tree. */
export const isMatched = ({ own, shared }: RuleMatches, object: number): boolean =>
  own[object] !== Number.POSITIVE_INFINITY || shared[object] !== Number.POSITIVE_INFINITY;
