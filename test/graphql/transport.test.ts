import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createUser, createWorkspace } from "../support/factories.js";
import { type Gateway, type Sender, startGateway } from "../support/harness.js";

const reader = { user: "test|reader" };
const query = "{ workspace { name } }";
const data = { workspace: { name: "Workspace" } };
const byUrl = (parameters: Record<string, string>) => `/graphql?${new URLSearchParams(parameters)}`;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ seed: "none" });
  const workspaceId = await createWorkspace(gateway.prisma, {});
  await createUser(gateway.prisma, { workspaceId, authId: reader.user, roles: ["alerts:read"] });
});
afterAll(() => gateway.close());

/** Sends a raw body; answers the status, the first error's code and the data. */
async function send(
  target: string,
  options: RequestInit & { as?: Sender },
): Promise<{ status: number; code: unknown; data: unknown; response: Response }> {
  gateway.clearStatements();
  const response = await gateway.fetch(target, { as: reader, ...options });
  const body = (await response.json()) as { data?: unknown; errors?: { extensions: { code: string } }[] };
  return { status: response.status, code: body.errors?.[0]?.extensions.code, data: body.data, response };
}

const post = (body: string, headers: Record<string, string> = {}) =>
  send("/graphql", { method: "POST", body, headers: { "content-type": "application/json", ...headers } });

describe("cross-site requests", () => {
  it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/graphql", ""])(
    "a POST of the content type '%s' is refused",
    async (type) => {
      const body = new TextEncoder().encode(JSON.stringify({ query }));
      const answer = await send("/graphql", { method: "POST", body, headers: type ? { "content-type": type } : {} });
      expect([400, 415]).toContain(answer.status);
      expect(answer.code).toMatch(/^(BAD_REQUEST|UNSUPPORTED_MEDIA_TYPE)$/);
      expect(gateway.statements).toEqual([]);
    },
  );

  it("a GET is refused without a header that needs a preflight", async () => {
    const answer = await send(byUrl({ query }), { headers: { accept: "application/json" } });
    expect([answer.status, answer.code]).toEqual([400, "BAD_REQUEST"]);
    expect(gateway.statements).toEqual([]);
  });

  it.each(["apollo-require-preflight", "x-apollo-operation-name"])("a GET with %s is answered", async (header) => {
    const answer = await send(byUrl({ query }), { headers: { accept: "application/json", [header]: "1" } });
    expect([answer.status, answer.data]).toEqual([200, data]);
  });

  it("a GET takes its variables and the name of its operation from the URL", async () => {
    const parameters = {
      query: "query One($id: UUID!) { camera(id: $id) { name } } query Two { workspace { id } }",
      variables: JSON.stringify({ id: "00000000-0000-4000-8000-000000000001" }),
      operationName: "One",
    };
    const answer = await send(byUrl(parameters), { headers: { accept: "application/json", "apollo-require-preflight": "1" } });
    expect([answer.status, answer.data]).toEqual([200, { camera: null }]);
  });

  it.each([
    ["variables that are no JSON", { query, variables: "{" }],
    ["variables that are a list", { query, variables: "[1]" }],
    ["no query", {}],
    ["an empty query", { query: "" }],
  ])("a GET with %s is refused", async (_what, parameters) => {
    const answer = await send(byUrl(parameters as Record<string, string>), {
      headers: { accept: "application/json", "apollo-require-preflight": "1" },
    });
    expect([answer.status, answer.code]).toEqual([400, "BAD_REQUEST"]);
  });
});

describe("a body", () => {
  it.each([
    ["of several operations", JSON.stringify([{ query }, { query }])],
    ["of one operation in a list", JSON.stringify([{ query }])],
    ["of an empty list", "[]"],
    ["that is null", "null"],
    ["that is a text", '"query"'],
    ["that is a number", "5"],
    ["that is no JSON", "{"],
    ["that is empty", ""],
    ["without a query", "{}"],
    ["with null for a query", '{"query": null}'],
    ["with a list for a query", '{"query": ["{ workspace { name } }"]}'],
    ["with a document for a query", '{"query": {"kind": "Document"}}'],
    ["with an empty query", '{"query": ""}'],
    ["with a number for an operation name", JSON.stringify({ query, operationName: 5 })],
    ["with a text for variables", JSON.stringify({ query, variables: "{}" })],
    ["with a list for variables", JSON.stringify({ query, variables: [] })],
    ["with a text for extensions", JSON.stringify({ query, extensions: "x" })],
  ])("%s is refused", async (_what, body) => {
    const answer = await post(body);
    expect([answer.status, answer.code]).toEqual([400, "BAD_REQUEST"]);
    expect(gateway.statements).toEqual([]);
  });

  it("with a persisted query's hash alone is refused so that Apollo's clients send the whole query", async () => {
    const answer = await gateway.fetch("/graphql", {
      method: "POST",
      as: reader,
      body: JSON.stringify({ extensions: { persistedQuery: { version: 1, sha256Hash: "0".repeat(64) } } }),
      headers: { "content-type": "application/json" },
    });
    expect(await answer.json()).toEqual({ errors: [{ message: "PersistedQueryNotSupported", extensions: { code: "BAD_REQUEST" } }] });
  });

  it("over 4 MiB is refused", async () => {
    const answer = await post(JSON.stringify({ query, variables: { padding: "x".repeat(4 * 1024 * 1024) } }));
    expect([answer.status, answer.code]).toEqual([413, "PAYLOAD_TOO_LARGE"]);
  });

  it("of null variables, operation name and extensions is as one without them", async () => {
    const answer = await post(JSON.stringify({ query, variables: null, operationName: null, extensions: null }));
    expect([answer.status, answer.data]).toEqual([200, data]);
  });

  it.each(["application/json; charset=utf-8", "APPLICATION/JSON", "application/json;charset=UTF-8"])("as %s is read", async (type) => {
    expect((await post(JSON.stringify({ query }), { "content-type": type })).data).toEqual(data);
  });
});

describe("the status of an answer", () => {
  const documents: [string, string, number][] = [
    ["that was run", query, 200],
    ["that does not parse", "{", 400],
    ["that is not valid", "{ nothing }", 400],
    ["with wrong variables", "query ($id: UUID!) { camera(id: $id) { name } }", 400],
    ["over a limit", "{ cameras { alerts(first: 1001) { nodes { id } } } }", 400],
  ];

  it.each(documents)("to an operation %s, in both media types", async (_what, document, status) => {
    for (const type of ["application/json", "application/graphql-response+json"]) {
      const answer = await post(JSON.stringify({ query: document }), { accept: type });
      expect(answer.status, type).toBe(status);
      expect(answer.response.headers.get("content-type")).toBe(`${type}; charset=utf-8`);
    }
  });

  it("without credentials is 401 in both media types", async () => {
    for (const accept of ["application/json", "application/graphql-response+json"]) {
      const headers = { accept, "content-type": "application/json" };
      const answer = await send("/graphql", { as: "nobody", method: "POST", body: JSON.stringify({ query }), headers });
      expect([answer.status, answer.code]).toEqual([401, "UNAUTHENTICATED"]);
      expect(answer.response.headers.get("www-authenticate")).toMatch(/^Bearer .*Basic /);
    }
  });

  it("is 200 where a part of the answer is an error", async () => {
    const answer = await post(JSON.stringify({ query: "{ workspace { name users { email } } }" }));
    expect(answer).toMatchObject({ status: 200, code: "FORBIDDEN", data: { workspace: { name: "Workspace", users: null } } });
  });
});

describe("an error", () => {
  it.each([
    ["of the parser", "{"],
    ["of validation", "{ nothing }"],
    ["of an argument", "{ cameras { alerts(first: 0) { nodes { id } } } }"],
    ["of a limit", `{ ${"a: workspace { name } ".repeat(31)} }`],
    ["of a permission", "{ workspace { users { email } } }"],
  ])("%s shows nothing but message, place, code and details", async (_what, document) => {
    const response = await gateway.fetch("/graphql", {
      method: "POST",
      as: reader,
      body: JSON.stringify({ query: document }),
      headers: { "content-type": "application/json" },
    });
    const { errors } = (await response.json()) as { errors: { extensions: object }[] };
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) {
      const { extensions, ...shown } = error;
      expect(["message", "locations", "path"]).toEqual(expect.arrayContaining(Object.keys(shown)));
      expect(["code", "details"]).toEqual(expect.arrayContaining(Object.keys(extensions)));
    }
    expect(JSON.stringify(errors)).not.toMatch(/stack|node_modules|\.ts|\.js/);
  });
});
