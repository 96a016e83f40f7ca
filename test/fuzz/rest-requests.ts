import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import type { SeededRandom } from "../../src/programs/demo/seeded-random.js";
import type { RawRequest, RawResponse } from "../http/raw-request.js";
import { compileSchema, type Validate } from "../support/json-schema.js";
import { listOf } from "../support/list-of.js";
import type { FuzzCase, FuzzGenerator } from "./fuzz-case.js";
import { mutateText } from "./mutation.js";
import { sentRequest } from "./sent-request.js";
import { authorizationOf, brokenValue, callerOf, idFor, textFor, type World } from "./world.js";

type Schema = { [name: string]: unknown };

interface Operation {
  parameters: { name: string; in: "path" | "query"; required: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

/** The parts of an OpenAPI document that requests are generated from. */
export interface OpenApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: object;
}

/**
 * Generates requests of the REST API from its description, and checks the answers against
 * it.
 */
export function restRequests(document: OpenApiDocument): FuzzGenerator {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  return (random, world) => {
    const { path, method, operation } = random.pick(operations);
    const request = requestOf({ path, method, operation }, random, world);
    // Another method, which the same path may or may not have.
    if (random.chance(0.03))
      return sentRequest({
        ...request,
        method: random.pick(["PUT", "HEAD", "OPTIONS", "DELETE", "PATCH", "POST"]),
      });
    // With an empty parameter, the path is that of another operation: `/alerts/` is
    // `/alerts`.
    if (/\/(?:\/|\?|$)/.test(request.path)) return sentRequest(request);
    return sentRequest(request, (response) => checkResponse(response, operation, document));
  };
}

function requestOf(
  { path, method, operation }: { path: string; method: string; operation: Operation },
  random: SeededRandom,
  world: World,
): RawRequest {
  const breaks = random.chance(0.4);
  const value = (schema: Schema, name: string) =>
    breaks && random.chance(0.3) ? brokenValue(random) : sampleOf(schema, name, random, world);
  const of = (place: "path" | "query") => operation.parameters.filter((each) => each.in === place);
  const filled = of("path").reduce(
    (text, { name, schema }) => text.replace(`{${name}}`, () => encode(value(schema, name), random)),
    path,
  );
  const query = of("query")
    .filter(({ required }) => (required ? !breaks || random.chance(0.9) : random.chance(0.4)))
    .flatMap(({ name, schema }) => parametersOf(name, value(schema, name), random));
  const headers: Record<string, string> = { ...authorizationOf(random, world) };
  if (random.chance(0.1)) headers["if-none-match"] = random.pick(["*", '"x"', 'W/"1-2"', ",,,"]);
  if (random.chance(0.1))
    headers["accept-encoding"] = random.pick(["gzip", "br", "deflate", "identity;q=0", "nonsense"]);
  const [[type, content] = []] = Object.entries(operation.requestBody?.content ?? {});
  let body: string | undefined;
  // Forms have a separate generator.
  if (type === "application/json" && content) {
    body = JSON.stringify(value(content.schema, "body") ?? null);
    if (breaks && random.chance(0.2)) body = mutateText(body, random);
    headers["content-type"] =
      breaks && random.chance(0.1)
        ? random.pick(["text/plain", "application/json; charset=utf-16", "application/xml"])
        : type;
  }
  const target = query.length > 0 ? `${filled}?${query.join("&")}` : filled;
  return { method, path: target, headers, ...(body !== undefined && { body }) };
}

function encode(value: unknown, random: SeededRandom): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  // Escapes that stand for nothing are sent as well.
  return random.chance(0.02)
    ? `${encodeURI(text.toWellFormed())}%E0%A4%A`
    : encodeURIComponent(text.toWellFormed());
}

function parametersOf(name: string, value: unknown, random: SeededRandom): string[] {
  if (!Array.isArray(value)) return [`${name}=${encode(value, random)}`];
  const items = value.map((item) => encode(item, random));
  return random.pick([
    () => items.map((item) => `${name}=${item}`),
    () => [`${name}=${items.join(",")}`],
    () => items.map((item) => `${name}[]=${item}`),
  ])();
}

/** A value that a JSON Schema allows, as far as that does not depend on patterns. */
export function sampleOf(schema: Schema, name: string, random: SeededRandom, world: World): unknown {
  if ("const" in schema) return schema.const;
  const choices = (schema.enum ?? schema.anyOf ?? schema.oneOf) as unknown[] | undefined;
  if (choices)
    return schema.enum ? random.pick(choices) : sampleOf(random.pick(choices) as Schema, name, random, world);
  const types = [schema.type ?? []].flat() as string[];
  switch (random.pick(types.length > 0 ? types : ["string"])) {
    case "null":
      return null;
    case "boolean":
      return random.chance(0.5);
    case "integer":
    case "number":
      return numberOf(schema, name, random);
    case "array":
      return listOf(random.integer(0, 3), () =>
        sampleOf((schema.items ?? {}) as Schema, name, random, world),
      );
    case "object":
      return objectOf(schema, random, world);
    default:
      if (schema.format === "uuid") return idFor(name, random, world);
      return textFor(name, random);
  }
}

function numberOf({ minimum, maximum }: Schema, name: string, random: SeededRandom): number {
  if (name === "start")
    return random.pick([0, 1_700_000_000, Date.now() - 86_400_000 * random.integer(0, 100)]);
  if (name === "end") return random.pick([4_000_000_000, 253_402_300_799_999, Date.now()]);
  const lowest = typeof minimum === "number" && Number.isSafeInteger(minimum) ? minimum : 0;
  return random.integer(lowest, Math.min(typeof maximum === "number" ? maximum : 100, lowest + 60));
}

function objectOf(schema: Schema, random: SeededRandom, world: World): object {
  const required = (schema.required ?? []) as string[];
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  const taken = properties.filter(([name]) => required.includes(name) || random.chance(0.5));
  const value = (each: Schema, name: string) =>
    random.chance(0.05) ? brokenValue(random) : sampleOf(each, name, random, world);
  return Object.fromEntries(taken.map(([name, each]) => [name, value(each, name)]));
}

const decoders: Record<string, (body: Buffer) => Buffer> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  deflate: inflateSync,
};

function checkResponse(
  { status, headers, body: received }: RawResponse,
  { responses }: Operation,
  { components }: OpenApiDocument,
): string | undefined {
  const decode = received.length > 0 ? decoders[headers["content-encoding"] ?? ""] : undefined;
  const text = (decode?.(received) ?? received).toString();
  const described = responses[status];
  if (!described && status < 400) return `status ${status} is not described`;
  const [schema] = Object.entries(described?.content ?? {})
    .filter(([type]) => type === "application/json")
    .map(([, content]) => content.schema);
  const expected = status >= 400 ? { $ref: "#/components/schemas/Error" } : schema;
  if (!expected || headers["content-type"]?.startsWith("application/json") === false) {
    return status >= 400
      ? `an error of the type ${headers["content-type"]}: ${text.slice(0, 300)}`
      : undefined;
  }
  const validate: Validate = compileSchema(expected, components);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return `${status} with a body that is no JSON: ${text.slice(0, 300)}`;
  }
  return validate(body)
    ? undefined
    : `${status}, not as described: ${JSON.stringify(validate.errors)?.slice(0, 500)}\n${text.slice(0, 500)}`;
}

/** Requests for paths that do not exist, or that are spelt in a strange way. */
export const strangePaths: FuzzGenerator = (random, world): FuzzCase => {
  const paths = [
    "/",
    "/graphql",
    "/healthz",
    "/readyz",
    "/metrics",
    "/docs",
    "/openapi.json",
    "/schema.graphql",
    "/files/alerts/x.jpg",
    "/alerts",
    "/user",
    "/uploads/x",
  ];
  const path = mutateText(random.pick(paths), random).replaceAll(/[^\x21-\x7e]/g, (character) =>
    encodeURIComponent(character.toWellFormed()),
  );
  const caller = callerOf(random, world);
  return sentRequest({
    method: random.pick(["GET", "GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE"]),
    path: path.startsWith("/") ? path : `/${path}`,
    headers: {
      ...(caller !== undefined && {
        authorization: random.chance(0.2)
          ? mutateText(caller, random).replaceAll(/[^\x20-\x7e]/g, "")
          : caller,
      }),
    },
  });
};
