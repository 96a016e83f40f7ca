// Runs once: no database can influence what is tested here.
import { Validator } from "@seriousme/openapi-schema-validator";
import { print } from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { routeGroups } from "../../src/rest/routes.js";
import {
  admin,
  createFixedFleet,
  empty,
  full,
  lacking,
  nobodys,
  plain,
  sparse,
  unknown,
} from "../support/fixed-fleet.js";
import { type Gateway, type Sender, startGateway } from "../support/harness.js";
import { compileSchema } from "../support/json-schema.js";
import {
  contentTypeOf,
  initOf,
  type Member,
  pathParameters,
  type RouteCase,
  requestOf,
  routeCases,
  type Shape,
  titled,
} from "../support/route-cases.js";
import { createTestWorkspace, senderFor } from "../support/test-workspace.js";

type Json = { [name: string]: Json } & { [index: number]: Json };
let gateway: Gateway;
let document: Json;
beforeAll(async () => {
  gateway = await startGateway({ seed: "none" });
  await createFixedFleet(gateway.prisma);
  document = (await (await gateway.fetch("/openapi.json")).json()) as Json;
});
afterAll(() => gateway.close());

it("has the version of the gateway", () => {
  expect(document.info).toMatchObject({
    version: packageJson.version,
    license: { identifier: packageJson.license },
  });
});

const documentedPath = ({ path }: RouteCase) => path.replaceAll(/:(\w+)/g, "{$1}");
const documented = (each: RouteCase) => document.paths?.[documentedPath(each)]?.[each.method] as Json;
const responseSchema = (each: RouteCase, status: number) => {
  const [type = ""] = (status === 200 ? contentTypeOf(each) : "application/json").split(";");
  return documented(each).responses?.[status]?.content?.[type]?.schema as Json;
};

const compile = (schema: object) => compileSchema(schema, document.components as object);

it("is public, valid OpenAPI 3.1", async () => {
  const response = await gateway.fetch("/openapi.json");
  expect({ status: response.status, type: response.headers.get("content-type") }).toEqual({
    status: 200,
    type: "application/json; charset=utf-8",
  });
  const validator = new Validator();
  expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
  expect(validator.version).toBe("3.1");
});

it("has an operationId for each endpoint: the name of its GraphQL operation, or a unique name if endpoints share the operation", () => {
  const names = routeCases.map(
    (each) =>
      [String(documented(each).operationId), String(documented(each)["x-graphql-operation"]?.name)] as const,
  );
  expect(new Set(names.map(([id]) => id)).size).toBe(names.length);
  const others = names
    .filter(([id, name]) => id.toLowerCase() !== name.toLowerCase())
    .map(([id, name]) => `${id} runs ${name}`);
  expect(others.sort()).toEqual([
    "deleteAlert runs DeleteAlerts",
    "listWorkspaceFacilities runs ListFacilities",
  ]);
});

/** The caller's key identifies repetitions. */
const takesKey = ({ method, open }: RouteCase) => method !== "get" && !open;
const keySchema = { type: "string", minLength: 1, maxLength: 200, pattern: "^[ -~]+$" };

it("has CONFLICT for changes with an Idempotency-Key", () => {
  for (const each of routeCases)
    expect([each.number, "409" in (documented(each).responses as object)]).toEqual([
      each.number,
      takesKey(each),
    ]);
});

it("names the schemas of resources, each with a description", () => {
  const schemas = document.components?.schemas as Json;
  const resources = [
    "Camera",
    "CameraSubset",
    "Calibration",
    "AnalysisJob",
    "AlertRule",
    "Alert",
    "SimplifiedAlert",
    "Facility",
    "WorkspaceFacility",
    "User",
  ];
  expect(Object.keys(schemas)).toEqual(expect.arrayContaining([...resources, "Error"]));
  for (const name of resources) expect(schemas[name]?.description, name).toBeTruthy();
  const used = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
    ([, name]) => name,
  );
  expect(new Set(used)).toEqual(new Set(Object.keys(schemas)));
});

it("describes each group of endpoints", () => {
  for (const { name, description } of document.tags as unknown as { name: string; description?: string }[])
    expect(description, name).toBeTruthy();
});

it("describes exactly the endpoints", () => {
  const described = Object.entries(document.paths as Json).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => `${operation["x-specification-endpoint"]} ${method} ${path}`,
    ),
  );
  expect(described.sort()).toEqual(
    routeCases.map((each) => `${each.number} ${each.method} ${documentedPath(each)}`).sort(),
  );
});

const parameterSchemas: Record<string, object> = {
  uuid: { type: "string", format: "uuid" },
  uuids: { type: "array", items: { type: "string", format: "uuid" } },
  text: { type: "string", minLength: 1, maxLength: 200, pattern: "\\S" },
  texts: { type: "array", items: { type: "string" } },
  timestamp: { type: "integer", format: "int64", minimum: 0, maximum: 253_402_300_799_999 },
  page: { type: "integer", minimum: 1, default: 1 },
  count: { type: "integer", minimum: 1, default: 20, maximum: 1000 },
  boolean: { type: "boolean" },
  booleans: { type: "array", items: { type: "boolean" } },
  aggregate: { type: "string", enum: ["day", "week", "month"] },
  language: { type: "string", enum: ["en", "de"] },
};

describe("describes the parameters of", () => {
  it.each(routeCases.map(titled))("%s", (_title, each) => {
    const inPath = pathParameters(each).map((name) => ({
      name,
      in: "path",
      required: true,
      schema: parameterSchemas.uuid,
    }));
    const inQuery = Object.entries(each.query ?? {}).map(([name, { kind, required = false }]) => ({
      name,
      in: "query",
      required,
      schema: name === "alertId" ? { ...parameterSchemas[kind], maxItems: 1000 } : parameterSchemas[kind],
    }));
    const parameters = documented(each).parameters as unknown as {
      name: string;
      in: string;
      required: boolean;
      schema: object;
    }[];
    expect(
      parameters.map(({ name, in: location, required, schema }) => ({
        name,
        in: location,
        required,
        schema,
      })),
    ).toEqual([
      ...[...inPath, ...inQuery],
      ...(takesKey(each)
        ? [{ name: "Idempotency-Key", in: "header", required: false, schema: keySchema }]
        : []),
    ]);
  });
});

describe("describes the request body of", () => {
  it.each(routeCases.map(titled))("%s", (_title, each) => {
    const body = documented(each).requestBody as unknown as
      | { required: boolean; content: Record<string, { schema: Json }> }
      | undefined;
    expect(body !== undefined).toBe(each.sends !== undefined);
    if (!body || !each.sends) return;
    expect({ required: body.required, types: Object.keys(body.content) }).toEqual({
      // An empty body counts as an empty object, which is valid if all members are
      // optional.
      required: each.number !== 3,
      types: [each.form ? "multipart/form-data" : "application/json"],
    });
    const [{ schema }] = Object.values(body.content) as [{ schema: Json }];
    // In JSON Schema terms, the parts of a form are strings.
    const asPart = (member: Member) => ({ ...member, good: JSON.stringify(member.good) });
    const members = Object.entries(each.sends).map(
      ([name, member]) => [name, each.form ? asPart(member) : member] as const,
    );
    expect(Object.keys(schema.properties as Json)).toEqual(members.map(([name]) => name));
    for (const [name, { description }] of Object.entries(schema.properties as Json))
      expect(description, name).toBeTruthy();
    expect(schema.required ?? []).toEqual(
      members.filter(([, { required }]) => required).map(([name]) => name),
    );
    const check = compile(schema);
    const good = Object.fromEntries(members.map(([name, member]) => [name, member.good]));
    const bare = Object.fromEntries(
      members.filter(([, { required }]) => required).map(([name, member]) => [name, member.good]),
    );
    const cleared = Object.fromEntries(
      members.map(([name, member]) => [name, member.nullable ? null : member.good]),
    );
    for (const accepted of [good, bare, cleared])
      expect({ accepted, valid: check(accepted), errors: check.errors }).toEqual({
        accepted,
        valid: true,
        errors: null,
      });
    for (const [name] of members)
      expect({ name, valid: check({ ...good, [name]: { no: "such value" } }) }).toEqual({
        name,
        valid: false,
      });
  });
});

describe("gives examples that are accepted for", () => {
  const withInput = routeCases.filter((each) => each.query || each.sends || pathParameters(each).length > 0);
  it.each(withInput.map(titled))("%s", async (_title, each) => {
    const workspace = await createTestWorkspace(gateway.prisma, 200 + each.number);
    const { parameters, requestBody } = documented(each) as unknown as {
      parameters: { name: string; in: string; description?: string; example: unknown; schema: Json }[];
      requestBody?: { content: Record<string, { schema: Json; example: Record<string, string> }> };
    };
    for (const { name, description, example, schema } of parameters) {
      expect(description, name).toBeTruthy();
      expect({ name, valid: compile(schema)(example) }).toEqual({ name, valid: true });
    }
    const placed = (place: string) => parameters.filter((parameter) => parameter.in === place);
    const path = placed("path").reduce(
      (text, { name, example }) => text.replace(`{${name}}`, String(example)),
      documentedPath(each),
    );
    const query = placed("query").map(({ name, example }) => `${name}=${[example].flat().join(",")}`);
    const content = Object.values(requestBody?.content ?? {})[0];
    if (content) expect(compile(content.schema)(content.example)).toBe(true);
    // The example of a file is its name.
    if (each.form) return;
    const body = content && {
      body: JSON.stringify(content.example),
      headers: { "content-type": "application/json" },
    };
    const as = senderFor(each, workspace.admin);
    const response = await gateway.fetch(`${path}?${query.join("&")}`, {
      method: each.method.toUpperCase(),
      as,
      ...body,
    });
    expect([200, 404], await response.clone().text()).toContain(response.status);
  });
});

it("accepts ids in upper case, as they are described", () => {
  const described = JSON.stringify(
    Object.values(document.paths as Json).map((methods) =>
      Object.values(methods).map(({ requestBody }) => requestBody),
    ),
  );
  const patterns = [...described.matchAll(/"format":"uuid","type":"string","pattern":("[^"]+")/g)].map(
    ([, pattern]) => new RegExp(JSON.parse(pattern as string)),
  );
  expect(patterns.length).toBeGreaterThan(0);
  for (const pattern of patterns) expect("0199AAAA-BBBB-7CCC-8DDD-EEEEEEEEEEEE").toMatch(pattern);
});

describe("describes the authentication of", () => {
  it.each(routeCases.map(titled))("%s", (_title, each) => {
    const { security = document.security, responses } = documented(each);
    const schemes = [
      ...(each.basicOnly ? [] : [{ bearer: [] }]),
      ...(each.usersOnly ? [] : [{ apiKey: [] }]),
    ];
    expect(security).toEqual(each.open ? [] : schemes);
    expect("401" in (responses as Json)).toBe(!each.open);
  });
});

describe("names the permission and the GraphQL operation of", () => {
  it.each(routeCases.map(titled))("%s", (_title, each) => {
    const route = routeGroups.flatMap(({ routes }) => routes).find(({ number }) => number === each.number);
    const operation = documented(each);
    expect(operation["x-permission"]).toBe(each.permission);
    if (each.permission) expect(operation.description).toContain(each.permission);
    expect(operation.description).toContain(operation["x-graphql-operation"]?.name);
    expect(operation.summary).toBe(route?.summary);
    const source = print(route?.operation as Parameters<typeof print>[0]);
    const field = operation["x-graphql-operation"]?.field;
    expect(operation["x-graphql-operation"]).toEqual({
      name: /^(?:query|mutation) (\w+)/m.exec(source)?.[1],
      field,
      document: source,
    });
    // Inserted objects and downloads are below the field.
    expect(operation.description).toContain(`with the field \`${field}\``);
    expect(route?.response.from.join(".")).toMatch(new RegExp(`^${field}(?:\\.|$)`));
  });
});

const dereferenced = (schema: Json): Json =>
  schema.$ref
    ? (document.components?.schemas?.[String(schema.$ref).replace("#/components/schemas/", "")] as Json)
    : schema;

const nullableOutline = (plain: unknown) =>
  Array.isArray(plain) ? [`${plain[0]} or null`, plain[1]] : `${plain} or null`;

/**
 * A schema of the document in the terms of the cases: members, lists, and nullability.
 */
function outline(described: Json): unknown {
  const alternatives = (described.anyOf ?? []) as unknown as Json[];
  if (alternatives.length > 0) return nullableOutline(outline(alternatives[0] as Json));
  const schema = dereferenced(described);
  const types = [schema.type].flat() as unknown as string[];
  const nullable = types.includes("null") ? " or null" : "";
  if (types.includes("array")) return [`list${nullable}`, outline(schema.items as Json)];
  if (schema.properties)
    return [
      `object${nullable}`,
      Object.fromEntries(Object.entries(schema.properties).map(([name, each]) => [name, outline(each)])),
    ];
  return `${"const" in schema ? schema.const : types.filter((type) => type !== "null").join()}${nullable}`;
}

const jsonTypes: Record<string, string> = {
  integer: "integer",
  number: "number",
  boolean: "boolean",
  "free object": "object",
};

function outlineOf(shape: Shape, nullable = ""): unknown {
  if (typeof shape === "string") return `${jsonTypes[shape] ?? "string"}${nullable}`;
  if ("constant" in shape) return shape.constant;
  if ("oneOf" in shape) return `string${nullable}`;
  if ("orNull" in shape) return outlineOf(shape.orNull, " or null");
  if ("fields" in shape)
    return [
      `object${nullable}`,
      Object.fromEntries(Object.entries(shape.fields).map(([name, each]) => [name, outlineOf(each)])),
    ];
  return [`list${nullable}`, outlineOf("listOf" in shape ? shape.listOf : shape.listOfOne)];
}

describe("describes exactly the specified response of", () => {
  // Nullable in GraphQL only: members of a configuration, and a hash shown only to the
  // calling user.
  const open = ["minWidth", "minHeight", "interval", "supportHash"];
  const withoutOptionalNulls = (value: unknown) =>
    JSON.parse(JSON.stringify(value), (key, each) =>
      open.includes(key) ? each.replace(" or null", "") : each,
    );
  it.each(routeCases.map(titled))("%s", (_title, each) => {
    const schema = responseSchema(each, 200);
    if (each.body === "nothing") expect(schema).toBeUndefined();
    else expect(withoutOptionalNulls(outline(schema))).toEqual(withoutOptionalNulls(outlineOf(each.body)));
  });
});

describe("describes the actual responses of", () => {
  const reads = routeCases.filter(({ method }) => method === "get").map(titled);
  const withJson = reads.filter(([, { body }]) => body !== "xlsx");

  it.each(withJson)("%s", async (_title, each) => {
    const check = compile(responseSchema(each, 200));
    let checked = 0;
    for (const as of [admin, plain, nobodys]) {
      for (const ids of [full, sparse, empty]) {
        const response = await gateway.fetch(requestOf(each, { ...ids }), { as });
        if (response.status !== 200) continue;
        checked += 1;
        expect({ valid: check(await response.json()), errors: check.errors }).toEqual({
          valid: true,
          errors: null,
        });
      }
    }
    expect(checked).toBeGreaterThan(0);
  });

  it.each(reads)("%s on failure", async (_title, each) => {
    const failures: [number, Promise<Response>][] = [[401, gateway.fetch(requestOf(each, { ...full }))]];
    for (const name of pathParameters(each)) {
      failures.push([400, gateway.fetch(requestOf(each, { ...full, [name]: "x" }), { as: admin })]);
      failures.push([
        404,
        gateway.fetch(requestOf(each, { ...full, [name]: unknown[name as keyof typeof unknown] }), {
          as: admin,
        }),
      ]);
    }
    for (const name of Object.keys(each.query ?? {})) {
      failures.push([400, gateway.fetch(requestOf(each, { ...full }, { [name]: "\0" }), { as: admin })]);
    }
    if (each.permission)
      failures.push([403, gateway.fetch(requestOf(each, { ...full }), { as: lacking(each) })]);
    for (const [status, pending] of failures) {
      const response = await pending;
      expect(response.status).toBe(status);
      const check = compile(responseSchema(each, status));
      expect({ valid: check(await response.json()), errors: check.errors }, String(status)).toEqual({
        valid: true,
        errors: null,
      });
    }
  });

  const writes = routeCases.filter(({ method }) => method !== "get").map(titled);
  const unauthenticatedFor = (each: RouteCase): Sender[] => (each.open ? [] : ["nobody"]);

  it.each(writes)("%s", async (_title, each) => {
    const workspace = await createTestWorkspace(gateway.prisma, each.number);
    const response = await gateway.fetch(requestOf(each, { ...workspace.ids }), {
      as: senderFor(each, workspace.admin),
      ...initOf(each),
    });
    expect(response.status).toBe(200);
    if (each.body === "nothing") return;
    const check = compile(responseSchema(each, 200));
    expect({ valid: check(await response.json()), errors: check.errors }).toEqual({
      valid: true,
      errors: null,
    });
  });

  it.each(writes)("%s on failure", async (_title, each) => {
    const workspace = await createTestWorkspace(gateway.prisma, 100 + each.number);
    const as = senderFor(each, workspace.admin);
    const good = requestOf(each, { ...workspace.ids });
    const send = (target: string, init: RequestInit & { as?: typeof as }) =>
      gateway.fetch(target, { as, ...initOf(each), ...init });
    const failures: [number, Promise<Response>][] = unauthenticatedFor(each).map((sender) => [
      401,
      send(good, { as: sender }),
    ]);
    for (const name of pathParameters(each)) {
      failures.push([400, send(requestOf(each, { ...workspace.ids, [name]: "x" }), {})]);
      failures.push([
        404,
        send(requestOf(each, { ...workspace.ids, [name]: unknown[name as keyof typeof unknown] }), {}),
      ]);
    }
    if (each.query) failures.push([404, send(requestOf(each, { ...unknown }), {})]);
    if (each.form) {
      const form = { "content-type": "multipart/form-data; boundary=edge" };
      failures.push([400, send(good, { headers: form, body: "--edge--\r\n" })]);
      failures.push([413, send(good, { headers: form, body: new Uint8Array(11 * 2 ** 20 + 1) })]);
      failures.push([415, send(good, { headers: { "content-type": "text/plain" }, body: "x" })]);
    } else if (each.sends) {
      const json = { "content-type": "application/json" };
      failures.push([400, send(good, { headers: json, body: "{" })]);
      failures.push([
        413,
        send(good, { headers: json, body: JSON.stringify({ long: "x".repeat(2 ** 20) }) }),
      ]);
      failures.push([415, send(good, { headers: { "content-type": "text/plain" } })]);
    }
    if (each.permission) failures.push([403, send(good, { as: senderFor(each, workspace.onlooker) })]);
    if (each.usersOnly) failures.push([403, send(good, { as: workspace.admin.key })]);
    for (const [status, pending] of failures) {
      const response = await pending;
      expect(response.status).toBe(status);
      const schema = responseSchema(each, status);
      expect(schema, `${status} is described`).toBeDefined();
      const check = compile(schema);
      expect({ valid: check(await response.json()), errors: check.errors }, String(status)).toEqual({
        valid: true,
        errors: null,
      });
    }
  });
});
