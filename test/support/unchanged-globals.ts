import { afterAll, beforeAll, expect } from "vitest";

/**
 * Those of packages that a test loads while it runs, such as the `__extends` of what
 * TypeScript has compiled.
 */
const isOfPackage = (name: string) =>
  name.startsWith("__") || ["awslambda", "TypeGraphQLMetadataStorage"].includes(name);

// The files of a worker share its globals: what one leaves behind, others take for their
// own. Imports have set theirs by then.
let before: Set<string>;
beforeAll(() => {
  before = new Set(Object.getOwnPropertyNames(globalThis));
});
afterAll(() => {
  const added = Object.getOwnPropertyNames(globalThis).filter(
    (name) => !before.has(name) && !isOfPackage(name),
  );
  expect(added, "globals that were added and not taken away").toEqual([]);
});
