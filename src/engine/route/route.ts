import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { type DocumentNode, getOperationAST, Kind } from "graphql";
import { z } from "zod";
import type { AcceptedScheme } from "../access/credentials.js";
import type { Permission } from "../access/permissions.js";
import type { LenientMutation } from "../access/strict-permissions.js";
import type { Download } from "../http/download.js";
import type { UploadForm } from "../http/uploads.js";
import { pathParameter } from "./parameters.js";

export type RequestParts = Record<"path" | "query" | "body", Record<string, unknown>>;

/**
 * The source of a variable's value. A string is a path into the request, such as `query.page`, or `body` for the whole
 * body, whose members then have the names of the input's fields. A function computes the value from the one at the
 * path.
 */
export type VariableSource =
  | string
  | { from: string; compute: (value: never, input: RequestParts) => unknown };

export const sourcePath = (source: VariableSource) => (typeof source === "string" ? source : source.from);

/** How the operation's data becomes the body. `from` is the path to the value. Null on the way there is NOT_FOUND. */
interface RouteResponse {
  /**
   * The form of the body. `data`: `{status, data}`; `single`: the same with a list of one item; `page`: `{status, data:
   * {page, count, total, alerts}}` from a connection; `bare`: the object itself; `message`: `{status, message}`;
   * `inserted`: `{status, insertedItem}`, and `message` if there is one; `empty`: no body; `file`: the download behind
   * the link.
   */
  envelope: "data" | "single" | "page" | "bare" | "message" | "inserted" | "empty" | "file";
  from: readonly string[];
  /** The name of the resource's schema in the documentation, if its members differ from those of the GraphQL type. */
  schema?: string;
  /** Whether null is a valid value rather than NOT_FOUND. */
  nullable?: boolean;
  /** The message that confirms a write. */
  message?: string;
}

/** An operation that checks whether something exists. */
export interface Lookup {
  operation: TypedDocumentNode<unknown, never>;
  variables: Record<string, VariableSource>;
  from: readonly string[];
}

/** A REST endpoint: a named GraphQL operation at a path. An endpoint has no rules of its own. */
export interface Route {
  /** The number of the endpoint in the interface specification. */
  number: number;
  method: "get" | "post" | "patch" | "delete";
  /** The path, with `:name` parameters. */
  path: string;
  summary: string;
  /** The endpoint's name in the documentation, if another one runs the same operation; by default the operation's. */
  operationId?: string;
  operation: TypedDocumentNode<unknown, never>;
  /** The schemas of the request's parts. Unknown members are ignored. */
  input: { path?: z.ZodObject; query?: z.ZodObject; body?: z.ZodObject | undefined };
  /** The parts of a multipart form with a file, if the body is one. The parts are the members of `input.body`. */
  form?: UploadForm;
  /** A lookup to run before the body of a form is read. The request fails if it finds nothing. */
  precheck?: Lookup;
  /** The source of each variable of the operation, or of a variable's field, such as `input.name`. */
  variables: Record<string, VariableSource>;
  response: RouteResponse;
  /** The file to respond with. Requests with a `ticket` for the file need no credentials. */
  download?: Download;
  /** The only accepted authentication scheme, if restricted; `anonymous` for endpoints that ignore credentials. */
  accepts?: AcceptedScheme | "anonymous";
  /** Whether API keys, which are no users, get FORBIDDEN. For the documentation: the operation checks it. */
  usersOnly?: true;
  example?: Record<string, unknown>;
  /**
   * The permission at the facility, for the documentation: the operation checks it, except with `facilityParameter`.
   */
  permission?: Permission;
  /**
   * The mutation of the operation, if STRICT_PERMISSIONS asks for more than `permission` at the path's `facilityId`.
   * The operation checks it; for forms, the route does so before the body is read.
   */
  lenientMutation?: LenientMutation;
  /** The path parameter of the facility where the route itself checks `permission`, after finding it visible. */
  facilityParameter?: string;
}

/** Defines a lookup, and erases the types of its operation. */
export function lookup<Data, Variables>(
  operation: TypedDocumentNode<Data, Variables>,
  variables: Record<string, VariableSource> = {},
): Lookup {
  return {
    operation,
    variables,
    from: [rootFieldOf(operation)],
  };
}

type Endpoint = `${"GET" | "POST" | "PATCH" | "DELETE"} /${string}`;

/** The definition of an endpoint, without the parts that can be derived. */
interface RouteDefinition<Data, Variables>
  extends Omit<Route, "method" | "path" | "operation" | "input" | "variables" | "response"> {
  operation: TypedDocumentNode<Data, Variables>;
  query?: z.ZodObject;
  body?: z.ZodObject;
  /** The sources of variables. By default, a variable takes the parameter, or the member of the body, with its name. */
  variables?: Record<string, VariableSource>;
  /** By default, `from` is the operation's field. */
  response: Omit<RouteResponse, "from"> & Partial<RouteResponse>;
}

/** Defines an endpoint. The parameters of its path are UUIDs. */
export function route<Data, Variables>(
  endpoint: Endpoint,
  definition: RouteDefinition<Data, Variables>,
): Route {
  const [method = "", path = ""] = endpoint.split(" ");
  const { query, body, response, variables = {}, ...others } = definition;
  const operation = others.operation as TypedDocumentNode<unknown, never>;
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  const input = {
    ...(names.length > 0 && {
      path: z.object(Object.fromEntries(names.map((name) => [name, pathParameter(name)]))),
    }),
    ...(query && { query }),
    ...(body && { body }),
  };
  return {
    ...others,
    operation,
    method: method.toLowerCase() as Route["method"],
    path,
    input,
    variables: { ...sourcesByName(operation, input, variables), ...variables },
    response: { from: [rootFieldOf(operation)], ...response },
  };
}

function rootFieldOf(document: DocumentNode): string {
  const [field] = getOperationAST(document)?.selectionSet.selections ?? [];
  if (field?.kind !== Kind.FIELD) throw new Error("The operation of a route selects a field");
  return field.name.value;
}

function sourcesByName(
  document: DocumentNode,
  input: Route["input"],
  given: Route["variables"],
): Record<string, string> {
  const members = (["body", "query", "path"] as const).flatMap((part) =>
    Object.keys(input[part]?.shape ?? {}).map((name) => [name, `${part}.${name}`]),
  );
  const sources: Record<string, string> = Object.fromEntries(
    input.body ? [["input", "body"], ...members] : members,
  );
  const variables =
    getOperationAST(document)?.variableDefinitions?.map(({ variable }) => variable.name.value) ?? [];
  const missing = variables.filter(
    (name) => !Object.keys(given).some((target) => target.split(".")[0] === name),
  );
  return Object.fromEntries(missing.flatMap((name) => (sources[name] ? [[name, sources[name]]] : [])));
}
