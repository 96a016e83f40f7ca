/** How many levels JSON may be nested: what walks through it calls itself for each. */
export const deepestJson = 64;

/** Whether a value parsed from JSON is nested deeper than that. */
export function isTooDeep(value: unknown, levels = deepestJson): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return items.some((item) => isTooDeep(item, levels - 1));
}
