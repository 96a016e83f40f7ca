/** The value of a key, which is made once and kept. Of more keys than `most`, those that were kept first are forgotten. */
export function keptFor<Value>(
  kept: Map<string, Value>,
  key: string,
  make: (key: string) => Value,
  most = 500,
): Value {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const made = make(key);
  const [oldest] = kept.keys();
  if (kept.size >= most && oldest !== undefined) kept.delete(oldest);
  kept.set(key, made);
  return made;
}
