/** The id of the n-th entity of a kind; see {@link idKinds}. */
export const idOf = (kind: string, n: number) =>
  `0000000${kind}-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;

/** The hexadecimal digit that identifies the kind of entity in an id. */
export const idKinds = {
  workspace: "1",
  user: "2",
  facility: "3",
  camera: "4",
  rule: "5",
  area: "6",
} as const;
