// Runs once: no database can influence what is tested here.

import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { getIntrospectionQuery } from "graphql";
import { ConnectorCamerasDocument } from "../../src/generated/connectors.js";
import { openSocket, running } from "../live/live-socket.js";
import { createTestUser } from "../support/factories.js";
import { gatewayOn, ownGateway } from "../support/harness.js";
import { ownDirectory } from "../support/temporary-directory.js";

const workspaceName = "query WorkspaceName { workspace { name } }";
const workspaceId = "query WorkspaceId { workspace { id } }";
const heartbeats = "subscription Heartbeats { facilityHeartbeat { id } }";
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const data = { workspace: { name: "Workspace" } };

const directory = await ownDirectory();
const file = await operationsFile({
  "workspace-name": workspaceName,
  [sha256(workspaceId)]: workspaceId,
  heartbeats,
});
const gateway = await ownGateway({ environment: { KNOWN_OPERATIONS: file } });
const reader = (await createTestUser(gateway.prisma, { roles: ["facilities:read"] })).as;

async function operationsFile(content: unknown): Promise<string> {
  const file = path.join(directory, `${sha256(JSON.stringify(content)).slice(0, 8)}.json`);
  await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

async function post(
  body: object,
): Promise<{ status: number; data?: unknown; errors?: { extensions: { code: string } }[] }> {
  const headers = { "content-type": "application/json" };
  const response = await gateway.fetch("/graphql", {
    method: "POST",
    as: reader,
    headers,
    body: JSON.stringify(body),
  });
  return { status: response.status, ...((await response.json()) as object) };
}

const get = (parameters: Record<string, string>) =>
  gateway.fetch(`/graphql?${new URLSearchParams(parameters)}`, {
    as: reader,
    headers: { accept: "application/json", "apollo-require-preflight": "1" },
  });

const persistedQuery = (sha256Hash: string) => ({
  extensions: { persistedQuery: { version: 1, sha256Hash } },
});

it("the operations of connectors run without being listed", async () => {
  const { status, data } = await post({ query: ConnectorCamerasDocument.toString(), variables: {} });
  expect([status, data]).toEqual([200, { cameras: [] }]);
});

describe("a known operation runs", () => {
  it.each<[string, object]>([
    ["its text", { query: workspaceName }],
    ["its id", { documentId: "workspace-name" }],
    ["the hash of its text", { documentId: sha256(workspaceName) }],
    ["the hash of its text, marked as such", { documentId: `sha256:${sha256(workspaceName)}` }],
    ["the hash of a persisted query", persistedQuery(sha256(workspaceName))],
  ])("by %s", async (_what, body) => {
    expect(await post(body)).toEqual({ status: 200, data });
  });

  it("by the hash under which the file has it", async () => {
    expect(await post({ documentId: sha256(workspaceId) })).toMatchObject({
      status: 200,
      data: { workspace: {} },
    });
  });

  it("by its id in a URL", async () => {
    expect(await (await get({ documentId: "workspace-name" })).json()).toEqual({ data });
    expect(
      await (
        await get({ extensions: JSON.stringify(persistedQuery(sha256(workspaceName)).extensions) })
      ).json(),
    ).toEqual({ data });
  });

  it("if the playground needs it to read the schema", async () => {
    const introspection = getIntrospectionQuery({ inputValueDeprecation: false, schemaDescription: true });
    expect(await post({ query: introspection, operationName: "IntrospectionQuery" })).toMatchObject({
      status: 200,
      data: { __schema: {} },
    });
  });

  it("as a subscription, by its text and by its id", async () => {
    const live = await openSocket(gateway, { as: reader });
    live.subscribe(heartbeats, { id: "text" });
    live.send({ type: "subscribe", id: "id", payload: { query: "", documentId: "heartbeats" } });
    live.send({
      type: "subscribe",
      id: "hash",
      payload: { query: "", ...persistedQuery(sha256(heartbeats)) },
    });
    await running(gateway, 3);
  });
});

describe("anything else is forbidden", () => {
  it.each<[string, object]>([
    ["another text", { query: "{ workspace { name } }" }],
    ["a known text with a space more", { query: `${workspaceName} ` }],
    [
      "another text with the id of a known operation",
      { query: "{ workspace { name } }", documentId: "workspace-name" },
    ],
    ["an unknown id", { documentId: "workspace-names" }],
    ["an id that every object has", { documentId: "constructor" }],
    ["an id that is no text", { documentId: ["workspace-name"] }],
    ["no document", { variables: {} }],
  ])("%s", async (_what, body) => {
    expect(await post(body)).toMatchObject({ status: 403, errors: [{ extensions: { code: "FORBIDDEN" } }] });
    expect(await post(body)).not.toHaveProperty("data");
  });

  it("in a URL as well", async () => {
    expect((await get({ query: "{ workspace { name } }" })).status).toBe(403);
    expect((await get({ documentId: "other" })).status).toBe(403);
  });

  it("as a subscription as well", async () => {
    const live = await openSocket(gateway, { as: reader });
    live.subscribe("subscription { facilityHeartbeat { name } }", { id: "text" });
    live.send({ type: "subscribe", id: "id", payload: { query: "", documentId: "other" } });
    await expect.poll(() => [live.errors("text"), live.errors("id")]).toEqual([["FORBIDDEN"], ["FORBIDDEN"]]);
  });

  it("but REST runs", async () => {
    expect((await gateway.fetch("/facilities", { as: reader })).status).toBe(200);
  });
});

it.each<[string, () => Promise<string>, RegExp]>([
  [
    "does not exist",
    async () => path.join(directory, "missing.json"),
    /KNOWN_OPERATIONS must name a readable file: reading .*missing\.json failed with ENOENT/,
  ],
  ["is not JSON", () => operationsFile("{"), /^KNOWN_OPERATIONS cannot be read from .*JSON/],
  [
    "is a list",
    () => operationsFile([workspaceName]),
    /^KNOWN_OPERATIONS cannot be read from .*: must be an object of documents by their id$/,
  ],
  [
    "has other things than texts",
    () => operationsFile({ a: 1 }),
    /^KNOWN_OPERATIONS cannot be read from .*: a .*string/,
  ],
  [
    "has invalid documents",
    () => operationsFile({ good: workspaceName, unknown: "{ nothing }", broken: "{" }),
    /^KNOWN_OPERATIONS has invalid documents in .*:\n {2}unknown: Cannot query field "nothing" on type "Query".\n {2}broken: Syntax Error/,
  ],
])("the gateway does not start with a file that %s", async (_what, file, message) => {
  await expect(gatewayOn({ DATA_DIR: directory, KNOWN_OPERATIONS: await file() })).rejects.toThrow(message);
});
