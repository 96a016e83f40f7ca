import { type AuditResult, auditServer } from "graphql-http";
import { startGateway } from "../support/harness.js";

const gateway = await startGateway({ seed: "demo" });
afterAll(() => gateway?.close());

test("no requirement of GraphQL over HTTP is violated", async () => {
  const results: AuditResult[] = await auditServer({
    url: `${gateway.url}/graphql`,
    fetchFn: (url: string, init: RequestInit) => gateway.fetch(url, { ...init, as: { user: "demo|admin" } }),
  });
  expect(results.length).toBeGreaterThan(50);
  const failed = results.filter((result) => result.status === "error");
  expect(failed.map(({ name, status }) => ({ name, status }))).toEqual([]);
});
