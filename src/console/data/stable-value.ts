import { useMemo } from "react";

/**
 * Returns the same object while its contents are the same, so that no query runs again.
 */
export function useStableValue<Value>(value: Value): Value {
  const key = JSON.stringify(value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the value.
  return useMemo(() => value, [key]);
}
