/** The names of the members of a record. Its type must name all that it has. */
export const keysOf = <Row extends object>(record: Row) => Object.keys(record) as (keyof Row & string)[];

/** The members of a record. Its type must name all that it has. */
export const entriesOf = <Row extends object>(record: Row) =>
  Object.entries(record) as { [Name in keyof Row & string]: [Name, Row[Name]] }[keyof Row & string][];

/** A record with a value for each name. */
export const recordOf = <Name extends string, Value>(names: readonly Name[], make: (name: Name) => Value) =>
  Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Value>;

/** Whether a record has a member of its own with this name. */
export const hasKey = <Row extends object>(record: Row, name: unknown): name is keyof Row & string =>
  typeof name === "string" && Object.hasOwn(record, name);

/** Whether a value is an object with members, and no list. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A member of whatever a value is; undefined if it has none. */
export const memberIn = (value: unknown, name: string): unknown =>
  isRecord(value) ? value[name] : undefined;
