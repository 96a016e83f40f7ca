/**
 * Globals of packages that a test loads while it runs, such as the `__extends` of code
 * compiled by TypeScript.
 */
const isOfPackage = (name: string) =>
  name.startsWith("__") || ["awslambda", "TypeGraphQLMetadataStorage"].includes(name);

// The files of a worker share its globals: one file's leftovers would look like another's
// own. Imports have already set theirs.
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
