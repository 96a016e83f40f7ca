/**
 * Repeats a request until the answer is as expected. The test's own time limit ends it.
 */
export async function eventually<Value>(
  ask: () => Promise<Value>,
  isWanted: (value: Value) => boolean,
): Promise<Value> {
  for (;;) {
    const value = await ask();
    if (isWanted(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
