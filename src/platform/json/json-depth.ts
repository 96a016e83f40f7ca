/**
 * The maximum nesting of JSON. Functions that walk through JSON recurse once per level.
 */
export const maxJsonDepth = 64;

/** Whether a value parsed from JSON is nested more deeply than {@link maxJsonDepth}. */
export function isTooDeep(value: unknown, levels = maxJsonDepth): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return items.some((item) => isTooDeep(item, levels - 1));
}
