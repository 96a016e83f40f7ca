/** A list of a length, each of whose entries is made from its index. */
export const listOf = <Made>(count: number, make: (index: number) => Made): Made[] =>
  Array.from({ length: count }, (_, index) => make(index));
