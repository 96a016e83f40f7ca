import type { SeenFrame, Yield } from "./condition-tree.js";

/**
 * Which objects of a frame belong to a rule, by their positions, and how long each must
 * have belonged to qualify, in milliseconds. An object that several sources yield needs
 * the shortest time.
 */
export interface Belonging {
  yields: readonly Yield[];
  /** By the timer of the object itself. */
  own: ReadonlyMap<number, number>;
  /** By the timer that the rule shares among untracked objects, shortages and excesses. */
  shared: ReadonlyMap<number, number>;
}

export function belongingOf(yields: readonly Yield[], { objects }: SeenFrame): Belonging {
  const own = new Map<number, number>();
  const shared = new Map<number, number>();
  for (const { object, source } of yields) {
    const times = source.isShared || objects[object]?.trackId === undefined ? shared : own;
    times.set(object, Math.min(source.minMs, times.get(object) ?? source.minMs));
  }
  return { yields, own, shared };
}
