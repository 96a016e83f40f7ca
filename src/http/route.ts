import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import type { z } from "zod";
import type { AcceptedScheme } from "../access/authenticate.js";
import type { Permission } from "../access/permissions.js";

/** The checked parts of a request. */
export type RequestParts = Record<"path" | "query" | "body", Record<string, unknown>>;

/** Where a variable of the operation comes from: a part of the request by its path, such as `query.page`, or computed from it. */
export type VariableSource = string | { from: string; compute: (value: never, input: RequestParts) => unknown };

/** How the operation's data becomes the body. `from` leads to what is answered; null on the way there is NOT_FOUND. */
export interface RouteAnswer {
  /**
   * `data`: `{status, data}`; `single`: the same with a list of one; `page`: `{status, data: {page, count, total, alerts}}`
   * from a connection; `bare`: the object itself; `message`: `{status, message}`; `inserted`: `{status, insertedItem}`;
   * `empty`: nothing but the status.
   */
  envelope: "data" | "single" | "page" | "bare" | "message" | "inserted" | "empty";
  from: readonly string[];
  /** Whether null is a good answer rather than NOT_FOUND. */
  nullable?: boolean;
  /** What is said of a write that was done. */
  message?: string;
}

/** One REST endpoint: a named GraphQL operation under a path. It holds no rule of its own. */
export interface Route {
  /** The endpoint's number in the interface specification. */
  number: number;
  method: "get" | "post" | "patch" | "delete";
  /** With `:name` parameters. */
  path: string;
  summary: string;
  operation: TypedDocumentNode<unknown, never>;
  /** What the request is made of; unknown members are ignored. */
  input: { path?: z.ZodObject; query?: z.ZodObject; body?: z.ZodObject };
  /** From each variable of the operation, by its path, to where in the request it comes from. */
  variables: Record<string, VariableSource>;
  answer: RouteAnswer;
  /** The way of authentication that the endpoint insists on, where it does. */
  accepts?: AcceptedScheme;
  /** What the caller must hold at the facility concerned, for the docs. The operation checks it, but where `checkedAt` is given. */
  permission?: Permission;
  /** The path parameter that names the facility where the row itself checks `permission`, once the facility was found visible. */
  checkedAt?: string;
}

/** Defines an endpoint; the types of its operation meet here and are not needed any further. */
export function route<Data, Variables>(definition: Omit<Route, "operation"> & { operation: TypedDocumentNode<Data, Variables> }): Route {
  return definition as unknown as Route;
}
