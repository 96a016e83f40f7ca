import { isEnumType, print } from "graphql";
import { z } from "zod";
import type { Route } from "../http/route.js";
import { statusOfCode } from "../platform/errors.js";
import type { Shape } from "./operation-shape.js";
import { isLowerCaseEnum } from "./response-body.js";
import type { PreparedRoute } from "./run-operation.js";

type Json = { [name: string]: unknown };

/** A group of endpoints in the documentation. */
export interface DocumentedGroup {
  tag: string;
  routes: PreparedRoute[];
}

/** The OpenAPI 3.1 description of the REST API, derived from the routes that serve it. */
export function openApiDocument(groups: DocumentedGroup[], publicUrl: string): Json {
  const paths: Record<string, Json> = {};
  for (const { tag, routes } of groups) {
    for (const prepared of routes) {
      const path = prepared.route.path.replaceAll(/:(\w+)/g, "{$1}");
      paths[path] = { ...paths[path], [prepared.route.method]: describeOperation(tag, prepared) };
    }
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Camera monitoring gateway",
      version: "1.0.0",
      description: [
        "The REST API of the gateway. Each endpoint runs a GraphQL operation, shown as `x-graphql-operation`, on the schema of `/graphql`.",
        "Members of a response are never omitted: without a value they are `null` or `[]`. Resources that are not visible to the caller are",
        "treated as if they did not exist. Send `Authorization: Bearer <token>`, or an API key with Basic authentication.",
      ].join(" "),
    },
    servers: [{ url: publicUrl }],
    tags: groups.map(({ tag }) => ({ name: tag })),
    security: [{ bearer: [] }, { apiKey: [] }],
    paths,
    components: { schemas: { Error: errorSchema }, securitySchemes },
  };
}

const securitySchemes = {
  bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT", description: "A token from the identity provider." },
  apiKey: { type: "http", scheme: "basic", description: "An API key `cmk_…` as the user name or the password." },
};

const errorSchema = {
  type: "object",
  required: ["status", "code", "message"],
  properties: {
    status: { const: "error" },
    code: { enum: Object.keys(statusOfCode).filter((code) => !code.startsWith("GRAPHQL_")) },
    message: { type: "string" },
    details: {
      type: "array",
      description: "All issues of invalid input.",
      items: { type: "object", required: ["path", "message"], properties: { path: { type: "string" }, message: { type: "string" } } },
    },
  },
};

function describeOperation(tag: string, { route, shape }: PreparedRoute): Json {
  const [definition] = route.operation.definitions.filter((each) => each.kind === "OperationDefinition");
  return {
    tags: [tag],
    operationId: `endpoint${route.number}`,
    summary: route.summary,
    ...(route.permission && { description: `Requires \`${route.permission}\` at the facility.` }),
    parameters: [...parametersOf(route, "path"), ...parametersOf(route, "query")],
    ...(route.input.body && {
      requestBody: { required: !route.input.body.safeParse({}).success, content: { [bodyType(route)]: { schema: bodySchema(route.input.body) } } },
    }),
    ...(route.accepts === "basic" && { security: [{ apiKey: [] }] }),
    ...(route.accepts === "anonymous" && { security: [] }),
    responses: {
      200: successResponse(route, shape),
      ...(route.method === "get" &&
        !route.download && { 304: { description: "Not modified since the response whose `ETag` was sent as `If-None-Match`" } }),
      ...errorResponses(route),
    },
    "x-specification-endpoint": route.number,
    ...(route.permission && { "x-permission": route.permission }),
    "x-graphql-operation": { name: definition?.name?.value, document: print(route.operation) },
  };
}

function parametersOf(route: Route, place: "path" | "query"): Json[] {
  return Object.entries(route.input[place]?.shape ?? {}).map(([name, type]) => {
    const description = z.globalRegistry.get(type as z.ZodType)?.description;
    return {
      name,
      in: place,
      required: place === "path" || !(type as z.ZodType).safeParse(undefined).success,
      ...(description && { description }),
      schema: parameterSchema(type as z.ZodType),
    };
  });
}

/** The JSON Schema of a parameter as sent by clients, before it is parsed. */
function parameterSchema(type: z.ZodType): Json {
  if (type instanceof z.ZodDefault) return { ...parameterSchema(type.unwrap() as z.ZodType), default: type.parse(undefined) };
  if (type instanceof z.ZodOptional) return parameterSchema(type.unwrap() as z.ZodType);
  if (type instanceof z.ZodArray) {
    const { minItems, maxItems } = z.toJSONSchema(type, { io: "input" });
    return { type: "array", items: parameterSchema(type.element as z.ZodType), ...(minItems && { minItems }), ...(maxItems && { maxItems }) };
  }
  const { description: _shownAbove, ...described }: Json = { ...z.globalRegistry.get(type) };
  if (described.type) return described;
  const { $schema: _dialect, ...schema } = z.toJSONSchema(type, { io: "input" });
  return schema;
}

const bodyType = (route: Route) => (route.form ? "multipart/form-data" : "application/json");

function bodySchema(body: z.ZodObject): Json {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(body, { io: "input", unrepresentable: "any" });
  return schema;
}

function successResponse(route: Route, shape: Shape): Json {
  if (route.download) return { description: "The file", content: { [route.download.contentType]: { schema: { type: "string", format: "binary" } } } };
  if (route.response.envelope === "empty") return { description: "Success; the response has no body" };
  return { description: "Success", content: { "application/json": { schema: envelopeSchema(route, shape) } } };
}

function envelopeSchema({ response }: Route, shape: Shape): Json {
  if (response.envelope === "message") return object({ status: { const: "ok" }, message: { const: response.message } });
  if (response.envelope === "inserted") {
    const message = response.message && { message: { const: response.message } };
    return object({ status: { const: "ok" }, ...message, insertedItem: { type: "string", format: "uuid" } });
  }
  if (response.envelope === "bare") return { ...jsonSchema(shape), type: "object" };
  return object({ status: { const: "ok" }, data: dataSchema(response, shape) });
}

function dataSchema({ envelope, nullable }: Route["response"], shape: Shape): Json {
  const found = { ...shape, nullable: nullable ?? false };
  if (envelope === "single") return { type: "array", minItems: 1, maxItems: 1, items: jsonSchema(found) };
  if (envelope !== "page" || shape.kind !== "object") return jsonSchema(found);
  const count = { type: "integer" };
  return object({ page: count, count, total: count, alerts: jsonSchema(shape.fields.nodes as Shape) });
}

const object = (properties: Record<string, unknown>): Json => ({ type: "object", required: Object.keys(properties), properties });

const scalarSchemas: Record<string, Json> = {
  UUID: { type: "string", format: "uuid" },
  DateTimeISO: { type: "string", format: "date-time" },
  JSONObject: { type: "object" },
  SafeInt: { type: "integer" },
  String: { type: "string" },
  Int: { type: "integer" },
  Float: { type: "number" },
  Boolean: { type: "boolean" },
};

function jsonSchema(shape: Shape): Json {
  const schema: Json = { ...plainSchema(shape), ...(shape.description && { description: shape.description }) };
  if (!shape.nullable) return schema;
  return "enum" in schema
    ? { ...schema, type: ["string", "null"], enum: [...(schema.enum as unknown[]), null] }
    : { ...schema, type: [schema.type, "null"] };
}

function plainSchema(shape: Shape): Json {
  if (shape.kind === "list") return { type: "array", items: jsonSchema(shape.items) };
  if (shape.kind === "object") return object(Object.fromEntries(Object.entries(shape.fields).map(([name, field]) => [name, jsonSchema(field)])));
  if (isEnumType(shape.type)) {
    const names = shape.type.getValues().map(({ name }) => (isLowerCaseEnum(shape) ? name.toLowerCase() : name));
    return { type: "string", enum: names };
  }
  return scalarSchemas[shape.type.name] ?? {};
}

function errorResponses(route: Route): Json {
  const failures: Record<number, string> = {
    429: "Too many requests",
    500: "Internal server error",
    503: "Temporarily unavailable; it is safe to retry",
  };
  if (route.accepts !== "anonymous") failures[401] = "Missing or invalid credentials";
  if (Object.keys(route.input).length > 0) failures[400] = "Invalid input";
  if (route.input.body)
    Object.assign(failures, {
      413: "The body is too large",
      415: route.form ? "The body is not a form, or its file is not a supported picture" : "The body is not JSON",
    });
  if (route.input.path || route.method === "delete") failures[404] = "Not found, or not visible to the caller";
  if (route.permission || route.path.startsWith("/user")) failures[403] = "Missing permission";
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Error" } } };
  return Object.fromEntries(Object.entries(failures).map(([status, description]) => [status, { description, content }]));
}
