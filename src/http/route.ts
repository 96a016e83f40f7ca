import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import type { z } from "zod";
import type { AcceptedScheme } from "../access/authenticate.js";
import type { Permission } from "../access/permissions.js";
import type { Download } from "./download.js";
import type { UploadForm } from "./uploads.js";

/** The checked parts of a request. */
export type RequestParts = Record<"path" | "query" | "body", Record<string, unknown>>;

/** Where a variable of the operation comes from: a part of the request by its path, such as `query.page`, or computed from it. */
export type VariableSource = string | { from: string; compute: (value: never, input: RequestParts) => unknown };

/** How the operation's data becomes the body. `from` leads to what is answered; null on the way there is NOT_FOUND. */
export interface RouteAnswer {
  /**
   * `data`: `{status, data}`; `single`: the same with a list of one; `page`: `{status, data: {page, count, total, alerts}}`
   * from a connection; `bare`: the object itself; `message`: `{status, message}`; `inserted`: `{status, insertedItem}`, with `message` if given;
   * `empty`: nothing but the status; `file`: the download that the link there opens.
   */
  envelope: "data" | "single" | "page" | "bare" | "message" | "inserted" | "empty" | "file";
  from: readonly string[];
  /** Whether null is a good answer rather than NOT_FOUND. */
  nullable?: boolean;
  /** What is said of a write that was done. */
  message?: string;
}

/** An operation that must find something. */
export interface Lookup {
  operation: TypedDocumentNode<unknown, never>;
  variables: Record<string, VariableSource>;
  /** Leads to what must not be null. */
  from: readonly string[];
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
  input: { path?: z.ZodObject; query?: z.ZodObject; body?: z.ZodObject | undefined };
  /** Where the body is a multipart form with a file: its parts, which are members of `input.body`. */
  form?: UploadForm;
  /** What must be found, and is not answered, before the body of a form is read. */
  before?: Lookup;
  /** From each variable of the operation, by its path, to where in the request it comes from. */
  variables: Record<string, VariableSource>;
  answer: RouteAnswer;
  /** The file that is answered; whoever has a `ticket` for it needs no credentials. */
  download?: Download;
  /** The way of authentication that the endpoint insists on, where it does; `nothing` for one that needs none and ignores any. */
  accepts?: AcceptedScheme | "nothing";
  /** What the caller must hold at the facility concerned, for the docs. The operation checks it, but where `checkedAt` is given. */
  permission?: Permission;
  /** The path parameter that names the facility where the row itself checks `permission`, once the facility was found visible. */
  checkedAt?: string;
}

/** Defines a lookup; the types of its operation are not needed any further. */
export function lookup<Data, Variables>(definition: Omit<Lookup, "operation"> & { operation: TypedDocumentNode<Data, Variables> }): Lookup {
  return definition as unknown as Lookup;
}

/** Defines an endpoint; the types of its operation meet here and are not needed any further. */
export function route<Data, Variables>(definition: Omit<Route, "operation"> & { operation: TypedDocumentNode<Data, Variables> }): Route {
  return definition as unknown as Route;
}
