import { authorizationOf } from "../support/harness.js";
import { documentSnippetsOfFile } from "./document-snippets.js";

const snippets = documentSnippetsOfFile();

test("GraphQL Code Generator makes types from the gateway's schema", async () => {
  await snippets.add(
    "src/cameras.graphql",
    "query Cameras { cameras { id name createdAt streamType advancedSettings alerts(first: 1) { nodes { id localCreatedAt } } } }",
  );
  const authorization = (await authorizationOf({ user: "demo|admin" })) as string;
  await snippets.run("graphql-codegen", ["--config", "codegen.yml"], {
    TOKEN: authorization.slice("Bearer ".length),
  });
  await snippets.add(
    "src/names.ts",
    `import type { CamerasQuery } from "./operations.js";
export const names = (data: CamerasQuery): string[] => data.cameras.map(({ name, createdAt }) => name + createdAt.toUpperCase());
// @ts-expect-error There is no such field.
export const wrong = (data: CamerasQuery) => data.cameras.map(({ nothing }) => nothing);
`,
  );
  await snippets.compile("src/names.ts");
  const { CamerasDocument } = await snippets.load<{ CamerasDocument: object }>("src/operations.ts");
  expect(CamerasDocument).toMatchObject({ kind: "Document" });
});
