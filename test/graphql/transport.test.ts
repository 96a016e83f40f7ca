// Runs once: no database can influence what is tested here.
import { createHash } from "node:crypto";
import { createApiKey, createFacility, createTestUser } from "../support/factories.js";
import { type Sender, sharedGateway } from "../support/harness.js";

const query = "{ workspace { name } }";
const data = { workspace: { name: "Workspace" } };
const byUrl = (parameters: Record<string, string>) => `/graphql?${new URLSearchParams(parameters)}`;
const gateway = await sharedGateway();
const { prisma } = gateway;
const { as: reader, workspaceId } = await createTestUser(prisma, { roles: ["alerts:read"] });
const roles = ["facilities:read", "facilities:write"] as const;
const { as: writer } = await createTestUser(prisma, { workspaceId, roles });
// The gateway loads callers once, before it checks their requests. Rejecting a request
// then takes no statement.
await gateway.data(query, { as: reader });

/** Sends a raw body and returns the status, the code of the first error and the data. */
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
  it.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/graphql",
    "",
  ])("a POST with the content type '%s' is rejected", async (type) => {
    const body = new TextEncoder().encode(JSON.stringify({ query }));
    const response = await send("/graphql", {
      method: "POST",
      body,
      headers: type ? { "content-type": type } : {},
    });
    expect([400, 415]).toContain(response.status);
    expect(response.code).toMatch(/^(BAD_REQUEST|UNSUPPORTED_MEDIA_TYPE)$/);
    expect(gateway.statements).toEqual([]);
  });

  it("a GET without a header that requires a preflight is rejected, even with an API key, which browsers add by themselves", async () => {
    const key = await createApiKey(prisma, { workspaceId, permissions: ["alerts:read"] });
    for (const as of ["nobody", key] as const) {
      const response = await send(byUrl({ query }), { as, headers: { accept: "application/json" } });
      expect([response.status, response.code]).toEqual([400, "BAD_REQUEST"]);
    }
  });

  it.each(["apollo-require-preflight", "x-apollo-operation-name"])(
    "a GET with %s is accepted",
    async (header) => {
      const response = await send(byUrl({ query }), {
        headers: { accept: "application/json", [header]: "1" },
      });
      expect([response.status, response.data]).toEqual([200, data]);
    },
  );

  it("a GET with a Bearer token is accepted, and caches tell callers apart", async () => {
    const response = await send(byUrl({ query }), { headers: { accept: "application/json" } });
    expect([response.status, response.data]).toEqual([200, data]);
    expect(response.response.headers.get("vary")).toMatch(/authorization/i);
  });

  it("a GET with a Bearer token runs no mutation", async () => {
    const id = await createFacility(prisma, { workspaceId, name: "Before" });
    const mutation = `mutation { renameFacility(id: "${id}", name: "After") { id } }`;
    const response = await send(byUrl({ query: mutation }), {
      as: writer,
      headers: { accept: "application/json" },
    });
    expect([response.status, response.code]).toEqual([405, "BAD_REQUEST"]);
    expect(await prisma.facility.findFirst({ where: { id } })).toMatchObject({ name: "Before" });
  });

  it("a GET takes its variables and the name of its operation from the URL", async () => {
    const parameters = {
      query: "query One($id: UUID!) { camera(id: $id) { name } } query Two { workspace { id } }",
      variables: JSON.stringify({ id: "00000000-0000-4000-8000-000000000001" }),
      operationName: "One",
    };
    const response = await send(byUrl(parameters), {
      headers: { accept: "application/json", "apollo-require-preflight": "1" },
    });
    expect([response.status, response.data]).toEqual([200, { camera: null }]);
  });

  it.each([
    ["variables that are not JSON", { query, variables: "{" }],
    ["variables that are a list", { query, variables: "[1]" }],
    ["no query", {}],
    ["an empty query", { query: "" }],
  ])("a GET with %s is rejected", async (_what, parameters) => {
    const response = await send(byUrl(parameters as Record<string, string>), {
      headers: { accept: "application/json", "apollo-require-preflight": "1" },
    });
    expect([response.status, response.code]).toEqual([400, "BAD_REQUEST"]);
  });
});

describe("a body", () => {
  it.each([
    JSON.stringify([{ query }, { query }]),
    JSON.stringify([{ query }]),
    ...["[]", "null", '"query"', "5", "{", "", "{}"],
    ...['{"query": null}', '{"query": ["{ workspace { name } }"]}', '{"query": {"kind": "Document"}}'],
    '{"query": ""}',
    JSON.stringify({ query, operationName: 5 }),
    JSON.stringify({ query, variables: "{}" }),
    JSON.stringify({ query, variables: [] }),
    JSON.stringify({ query, extensions: "x" }),
  ])("%s is rejected", async (body) => {
    const response = await post(body);
    expect([response.status, response.code]).toEqual([400, "BAD_REQUEST"]);
    expect(gateway.statements).toEqual([]);
  });

  it.each<Record<string, string>>([{}, { query }])(
    "with the hash of a persisted query is rejected so that clients send documents alone (%j)",
    async (document) => {
      const extensions = {
        persistedQuery: { version: 1, sha256Hash: createHash("sha256").update(query).digest("hex") },
      };
      const expected = {
        errors: [
          { message: "PersistedQueryNotSupported", extensions: { code: "PERSISTED_QUERY_NOT_SUPPORTED" } },
        ],
      };
      const sent = await post(JSON.stringify({ ...document, extensions }));
      expect([sent.status, sent.code]).toEqual([200, "PERSISTED_QUERY_NOT_SUPPORTED"]);
      const byGet = await gateway.fetch(byUrl({ ...document, extensions: JSON.stringify(extensions) }), {
        as: reader,
      });
      expect(await byGet.json()).toEqual(expected);
    },
  );

  it("with null variables, operation name and extensions is like one without them", async () => {
    const response = await post(
      JSON.stringify({ query, variables: null, operationName: null, extensions: null }),
    );
    expect([response.status, response.data]).toEqual([200, data]);
  });

  it("with the content type in capitals is accepted", async () => {
    expect((await post(JSON.stringify({ query }), { "content-type": "APPLICATION/JSON" })).data).toEqual(
      data,
    );
  });
});

describe("credentials", () => {
  const bodies = [
    "{",
    "[]",
    "{}",
    JSON.stringify({ query: "{" }),
    JSON.stringify({ query: "{ __typename }" }),
  ];

  it("that are wrong are rejected before the body and the document are looked at", async () => {
    const { id } = await createApiKey(prisma, { workspaceId, permissions: [] });
    const as = { authorization: `Basic cmk_${id.replaceAll("-", "")}_${"0".repeat(64)}` };
    for (const body of bodies) {
      const response = await send("/graphql", {
        as,
        method: "POST",
        body,
        headers: { "content-type": "application/json" },
      });
      expect([response.status, response.code], body).toEqual([401, "UNAUTHENTICATED"]);
    }
    const byGet = await send(byUrl({ query: "{" }), {
      as,
      headers: { accept: "application/json", "apollo-require-preflight": "1" },
    });
    expect([byGet.status, byGet.code]).toEqual([401, "UNAUTHENTICATED"]);
  });
});

describe("the status of a response", () => {
  const documents: [string, string, number][] = [
    ["that was executed", query, 200],
    ["that does not parse", "{", 400],
    ["that is not valid", "{ nothing }", 400],
    ["with invalid variables", "query ($id: UUID!) { camera(id: $id) { name } }", 400],
  ];

  it.each(documents)("to an operation %s, in both media types", async (_what, document, status) => {
    for (const type of ["application/json", "application/graphql-response+json"]) {
      const response = await post(JSON.stringify({ query: document }), { accept: type });
      expect(response.status, type).toBe(status);
      expect(response.response.headers.get("content-type")).toBe(`${type}; charset=utf-8`);
    }
  });

  it("is 200 for a partial result with errors", async () => {
    const response = await post(JSON.stringify({ query: "{ workspace { name users { email } } }" }));
    expect(response).toMatchObject({
      status: 200,
      code: "FORBIDDEN",
      data: { workspace: { name: "Workspace", users: null } },
    });
  });
});
