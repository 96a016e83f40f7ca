import type { SeenFrame, Yield } from "./condition-tree.js";

/**
 * Which objects of a frame belong to a rule, by their positions, and how long each must have belonged to
 * qualify, in milliseconds: infinitely long where nothing yields it. An object that several sources yield
 * needs the shortest time.
 */
export interface Belonging {
  yields: readonly Yield[];
  /** The times by the stay of each object itself. */
  own: readonly number[];
  /** The times by the timer that the rule shares among untracked objects, shortages and excesses. */
  shared: readonly number[];
  /** Whether anything goes by the shared timer. */
  hasShared: boolean;
}

export function belongingOf(yields: readonly Yield[], { objects: seen }: SeenFrame): Belonging {
  const own = new Array<number>(seen.length).fill(Number.POSITIVE_INFINITY);
  const shared = new Array<number>(seen.length).fill(Number.POSITIVE_INFINITY);
  let hasShared = false;
  for (const { objects, source } of yields)
    for (const object of objects) {
      const isShared = source.isShared || seen[object]?.trackId === undefined;
      const times = isShared ? shared : own;
      if (isShared) hasShared = true;
      times[object] = Math.min(source.minMs, times[object] as number);
    }
  return { yields, own, shared, hasShared };
}

/** Whether the tree yields an object, whatever in it does. */
export const isYielded = ({ own, shared }: Belonging, object: number): boolean =>
  own[object] !== Number.POSITIVE_INFINITY || shared[object] !== Number.POSITIVE_INFINITY;
