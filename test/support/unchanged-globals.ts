import { afterAll, beforeAll, expect } from "vitest";

/** Those of packages that a test loads while it runs. */
const ofPackages = ["awslambda", "TypeGraphQLMetadataStorage"];

// The files of a worker share its globals: what one leaves behind, others take for their own. Imports have set theirs by then.
let before: Set<string>;
beforeAll(() => {
  before = new Set(Object.getOwnPropertyNames(globalThis));
});
afterAll(() => {
  const added = Object.getOwnPropertyNames(globalThis).filter((name) => !before.has(name) && !ofPackages.includes(name));
  expect(added, "globals that were added and not taken away").toEqual([]);
});
