import { getOperationAST, print } from "graphql";
import { z } from "zod";
import { strictRemark } from "../../engine/access/strict-permissions.js";
import { idempotencyHeader, maxKeyLength } from "../../engine/operation/idempotency.js";
import type { Route } from "../../engine/route/route.js";
import { ignoredParametersHeader } from "../../engine/route/unknown-parameters.js";
import { defined } from "../../platform/defined.js";
import { authenticationReasons, statusOfCode } from "../../platform/errors/errors.js";
import { version } from "../../platform/version.js";
import type { Shape } from "./operation-shape.js";
import type { PreparedRoute } from "./run-operation.js";
import { object, SchemaComponents } from "./schema-components.js";

type Json = { [name: string]: unknown };

interface DescribedGroup {
  tag: string;
  description: string;
  routes: PreparedRoute[];
}

/** The OpenAPI 3.1 description of the REST API, derived from its routes. */
export function openApiDescription(groups: DescribedGroup[], publicUrl: string): Json {
  const components = new SchemaComponents();
  const paths: Record<string, Json> = {};
  for (const { tag, routes } of groups) {
    for (const prepared of routes) {
      const path = prepared.route.path.replaceAll(/:(\w+)/g, "{$1}");
      paths[path] = { ...paths[path], [prepared.route.method]: describeOperation(tag, prepared, components) };
    }
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Camera monitoring gateway",
      version,
      description: [
        "The REST API of the gateway. Each endpoint runs a GraphQL operation, its twin, on the schema of `/graphql`.",
        "Members of a response are never omitted: without a value they are `null` or `[]`. Resources that are not visible to the caller are",
        "treated as if they did not exist. Send `Authorization: Bearer <token>`, or an API key with Basic authentication.",
      ].join(" "),
      contact: { name: "The operators of this gateway" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: publicUrl }],
    tags: groups.map(({ tag, description }) => ({ name: tag, description })),
    security: [{ bearer: [] }, { apiKey: [] }],
    paths,
    components: {
      schemas: { ...components.schemas, Error: errorSchema },
      headers: { [ignoredParametersHeader]: ignoredParameters },
      securitySchemes,
    },
  };
}

const securitySchemes = {
  bearer: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "A token from the identity provider.",
  },
  apiKey: {
    type: "http",
    scheme: "basic",
    description: "An API key `cmk_…` as the user name or the password.",
  },
};

const ignoredParameters = {
  description:
    "The query parameters and body fields of the request that the endpoint does not have, percent-encoded and comma-separated.",
  schema: { type: "string", maxLength: 1024 },
};

const errorSchema = {
  type: "object",
  required: ["status", "code", "message"],
  properties: {
    status: { const: "error" },
    code: {
      enum: Object.keys(statusOfCode).filter((code) => !code.startsWith("GRAPHQL_")),
      description: "The kind of failure.",
    },
    message: { type: "string", description: "What is wrong, in English." },
    reason: {
      enum: [...authenticationReasons],
      description:
        "Only with `UNAUTHENTICATED`: there were no credentials, or they are not valid, or they have expired.",
    },
    traceId: {
      type: "string",
      pattern: "^[0-9a-f]{32}$",
      description: "The W3C trace id of the request, if the gateway records traces.",
    },
    details: {
      type: "array",
      description: "All issues of invalid input.",
      items: {
        type: "object",
        required: ["path", "message"],
        properties: {
          path: { type: "string", description: "Where the invalid value is, such as `body.name`." },
          message: { type: "string", description: "What is wrong with it." },
        },
      },
    },
  },
};

function describeOperation(tag: string, { route, shape }: PreparedRoute, components: SchemaComponents): Json {
  const operation = defined(getOperationAST(route.operation));
  const name = defined(operation.name?.value);
  return {
    tags: [tag],
    operationId: route.operationId ?? `${name.charAt(0).toLowerCase()}${name.slice(1)}`,
    summary: route.summary,
    description: [
      ...accessSentences(route),
      `Runs the GraphQL ${operation.operation} \`${name}\`, with the field \`${twinOf(route)}\`.`,
    ].join(" "),
    parameters: [
      ...parametersOf(route, "path"),
      ...parametersOf(route, "query"),
      ...(takesKey(route) ? [idempotencyKeyParameter] : []),
    ],
    ...(route.input.body && {
      requestBody: {
        required: !route.input.body.safeParse({}).success,
        content: {
          [bodyType(route)]: {
            schema: bodySchema(route.input.body),
            ...(route.example && { example: route.example }),
          },
        },
      },
    }),
    ...securityOf(route),
    responses: {
      200: {
        ...successResponse(route, shape, components),
        headers: { [ignoredParametersHeader]: { $ref: `#/components/headers/${ignoredParametersHeader}` } },
      },
      ...(route.method === "get" &&
        !route.download && {
          304: { description: "Not modified since the response whose `ETag` was sent as `If-None-Match`" },
        }),
      ...errorResponses(route),
    },
    "x-specification-endpoint": route.number,
    ...(route.permission && { "x-permission": route.permission }),
    "x-graphql-operation": { name, field: twinOf(route), document: print(route.operation) },
  };
}

/** The path to the GraphQL field with the same result. */
const twinOf = ({ response: { envelope, from } }: Route) =>
  (envelope === "inserted" || envelope === "file" ? from.slice(0, 1) : from).join(".");

function accessSentences(route: Route): string[] {
  if (route.accepts === "anonymous")
    return ["Needs no credentials, and ignores any: the `requestId` is the credential."];
  const sentences = [
    route.permission
      ? `Requires \`${route.permission}\` at the facility.`
      : "Requires no permission; what the caller may not see is treated as if it did not exist.",
    ...(route.lenientMutation ? [strictRemark(route.lenientMutation)] : []),
    ...(route.accepts === "basic" ? ["Accepts API keys with Basic authentication only."] : []),
  ];
  return route.usersOnly
    ? ["Requires no permission. It concerns the calling user, so API keys are refused."]
    : sentences;
}

function securityOf({ accepts, usersOnly }: Route): Json {
  if (accepts === "anonymous") return { security: [] };
  if (accepts === "basic") return { security: [{ apiKey: [] }] };
  return usersOnly ? { security: [{ bearer: [] }] } : {};
}

/** Whether an idempotency key can mark a request as a repetition. */
const takesKey = ({ method, accepts }: Route): boolean => method !== "get" && accepts !== "anonymous";

const idempotencyKeyParameter = {
  name: idempotencyHeader,
  in: "header",
  required: false,
  example: "0198f0a2-5b7c-7d3e-8f01-23456789abcd",
  description:
    "Chosen by the client, such as a UUID. For 24 hours, the same request of the same caller with the same key is not carried out again, but returns the first outcome; another request with it is refused.",
  schema: { type: "string", minLength: 1, maxLength: maxKeyLength, pattern: "^[ -~]+$" },
};

function parametersOf(route: Route, location: "path" | "query"): Json[] {
  return Object.entries(route.input[location]?.shape ?? {}).map(([name, type]) => {
    const { description, example } = z.globalRegistry.get(type) ?? {};
    return {
      name,
      in: location,
      required: location === "path" || !z.safeParse(type, undefined).success,
      ...(description !== undefined && { description }),
      schema: parameterSchema(type),
      ...(example !== undefined && { example }),
    };
  });
}

/** The JSON Schema of a parameter in the form that clients send, before parsing. */
function parameterSchema(type: z.core.$ZodType): Json {
  if (type instanceof z.ZodDefault)
    return { ...parameterSchema(type.unwrap()), default: type.parse(undefined) };
  if (type instanceof z.ZodOptional) return parameterSchema(type.unwrap());
  if (type instanceof z.ZodArray) {
    const { minItems, maxItems } = z.toJSONSchema(type, { io: "input" });
    return {
      type: "array",
      items: parameterSchema(type.element),
      ...(minItems && { minItems }),
      ...(maxItems && { maxItems }),
    };
  }
  const {
    description: _shownAbove,
    example: _shownBeside,
    ...described
  }: Json = { ...z.globalRegistry.get(type) };
  if (described.type) return described;
  const {
    $schema: _dialect,
    description: _shown,
    example: _shownToo,
    ...schema
  }: Json = z.toJSONSchema(type, { io: "input" });
  return schema;
}

const bodyType = (route: Route) => (route.form ? "multipart/form-data" : "application/json");

function bodySchema(body: z.ZodObject): Json {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(body, { io: "input", unrepresentable: "any" });
  return schema;
}

function successResponse(route: Route, shape: Shape, components: SchemaComponents): Json {
  if (route.download)
    return {
      description: "The file",
      content: { [route.download.contentType]: { schema: { type: "string", format: "binary" } } },
    };
  if (route.response.envelope === "empty") return { description: "Success; the response has no body" };
  return {
    description: "Success",
    content: { "application/json": { schema: envelopeSchema(route, shape, components) } },
  };
}

function envelopeSchema({ response }: Route, shape: Shape, components: SchemaComponents): Json {
  if (response.envelope === "message")
    return object({ status: { const: "ok" }, message: { const: response.message } });
  if (response.envelope === "inserted") {
    const message = response.message && { message: { const: response.message } };
    return object({ status: { const: "ok" }, ...message, insertedItem: { type: "string", format: "uuid" } });
  }
  if (response.envelope === "bare")
    return components.schemaOf({ ...shape, nullable: false }, response.schema);
  return object({ status: { const: "ok" }, data: dataSchema(response, shape, components) });
}

function dataSchema(
  { envelope, nullable = false, schema }: Route["response"],
  shape: Shape,
  components: SchemaComponents,
): Json {
  const found = { ...shape, nullable };
  if (envelope === "single")
    return { type: "array", minItems: 1, maxItems: 1, items: components.schemaOf(found, schema) };
  if (envelope !== "page" || shape.kind !== "object") return components.schemaOf(found, schema);
  const count = { type: "integer" };
  return object({
    page: count,
    count,
    total: count,
    alerts: components.schemaOf(defined(shape.fields.nodes)),
  });
}

function errorResponses(route: Route): Json {
  const failures: Record<number, string> = {
    429: "Too many requests",
    500: "Internal server error",
    503: "Temporarily unavailable; `message` says whether it is safe to retry",
  };
  if (takesKey(route))
    failures[409] =
      "In conflict with what is stored, or with another request that has the same `Idempotency-Key`";
  if (route.accepts !== "anonymous")
    failures[401] = "Missing, invalid or expired credentials, as `reason` says";
  if (Object.keys(route.input).length > 0) failures[400] = "Invalid input";
  if (route.input.body)
    Object.assign(failures, {
      413: "The body is too large",
      415: route.form
        ? "The body is not a form, or its file is not a supported picture"
        : "The body is not JSON",
    });
  if (route.input.path || route.method === "delete")
    failures[404] = "Not found, or not visible to the caller";
  if (route.permission || route.lenientMutation) failures[403] = "Missing permission";
  if (route.usersOnly) failures[403] = "The caller is an API key, which is no user";
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Error" } } };
  return Object.fromEntries(
    Object.entries(failures).map(([status, description]) => [status, { description, content }]),
  );
}
