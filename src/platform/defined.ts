/** A value that cannot be undefined or null here. Throws if it is. */
export function defined<Value>(value: Value): NonNullable<Value> {
  if (value === undefined || value === null) throw new Error("A value is missing");
  return value;
}
