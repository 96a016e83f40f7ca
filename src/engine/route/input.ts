import type { Request } from "express";
import { z } from "zod";
import { badRequest, type ErrorDetail, type ServiceError } from "../../platform/errors/errors.js";
import { isRecord } from "../../platform/record.js";
import { type RequestParts, type Route, sourcePath } from "./route.js";

/** Validates the parts of a request. BAD_REQUEST lists every issue with its path, such as `query.start`. */
export function readInput(route: Route, request: Request, body: unknown): RequestParts {
  const values = { path: request.params, query: readQuery(request, route.input.query), body };
  const input: RequestParts = { path: {}, query: {}, body: {} };
  const issues: ErrorDetail[] = [];
  for (const part of ["path", "query", "body"] as const) {
    const outcome = route.input[part]?.safeParse(values[part]);
    if (outcome?.success) input[part] = outcome.data;
    for (const issue of outcome?.error?.issues ?? [])
      issues.push({ path: [part, ...issue.path].join("."), message: messageOf(part, issue, values[part]) });
  }
  if (issues.length > 0) throw badRequest(issues);
  return input;
}

function messageOf(part: string, issue: z.core.$ZodIssue, values: unknown): string {
  // For a part that holds JSON, only the text is available here.
  const value = issue.path.reduce<unknown>(
    (outer, name) => (typeof outer === "string" ? outer : ownMember(outer, name)),
    values,
  );
  if (value === undefined) return "is required";
  // The request repeats a query parameter that takes a single value.
  if (
    part === "query" &&
    Array.isArray(value) &&
    issue.path.length === 1 &&
    issue.code.startsWith("invalid_")
  )
    return "must be given once";
  return value === null && issue.code === "invalid_type" ? "must not be null" : issue.message;
}

const ownMember = (outer: unknown, name: PropertyKey): unknown =>
  typeof outer === "object" && outer !== null && Object.hasOwn(outer, name)
    ? Reflect.get(outer, name)
    : undefined;

export const searchParameters = ({ url }: Request) =>
  url.includes("?") ? new URLSearchParams(url.slice(url.indexOf("?"))) : noParameters;

const noParameters = new URLSearchParams();

/** The query parameters that the route declares. Repeating one makes a list, which only list parameters accept. */
function readQuery(request: Request, schema: z.ZodObject | undefined): Record<string, unknown> {
  const parameters = searchParameters(request);
  const query: Record<string, unknown> = {};
  for (const [name, type] of Object.entries(schema?.shape ?? {})) {
    const values = [...parameters.getAll(name), ...parameters.getAll(`${name}[]`)];
    const items = isList(type)
      ? values.flatMap((value) => value.split(",")).filter((value) => value !== "")
      : values;
    if (items.length === 0) continue;
    query[name] = isList(type) || items.length > 1 ? items : items[0];
  }
  return query;
}

function isList(type: unknown): boolean {
  return type instanceof z.ZodOptional ? isList(type.unwrap()) : type instanceof z.ZodArray;
}

/** Builds the variables of the route's operation from validated input. Values that were not given are omitted. */
export function toVariables(route: Route, input: RequestParts): Record<string, unknown> {
  const variables: Record<string, unknown> = {};
  for (const [target, source] of Object.entries(route.variables)) {
    const value = valueAt(input, sourcePath(source));
    const computed =
      typeof source === "string" || value === undefined ? value : source.compute(value as never, input);
    setAt(variables, target.split("."), computed);
  }
  return variables;
}

/** Rewrites an error of the operation for the client: its paths name parameters instead of GraphQL arguments. */
export function withRequestPaths(route: Route, error: ServiceError): ServiceError {
  if (!error.details) return error;
  return badRequest(error.details.map((detail) => ({ ...detail, path: requestPath(route, detail.path) })));
}

function requestPath(route: Route, argumentPath: string): string {
  const targets = Object.entries(route.variables).sort(([one], [other]) => other.length - one.length);
  for (const [target, source] of targets) {
    if (argumentPath === target || argumentPath.startsWith(`${target}.`))
      return `${sourcePath(source)}${argumentPath.slice(target.length)}`;
  }
  // An object built from several parameters maps to the part of the request that contains them.
  const [, source] = targets.find(([target]) => target.startsWith(`${argumentPath}.`)) ?? [];
  return source ? (sourcePath(source).split(".")[0] ?? "") : argumentPath;
}

function valueAt(input: RequestParts, path: string): unknown {
  const [part, name] = path.split(".") as [keyof RequestParts, string | undefined];
  return name === undefined ? { ...input[part] } : input[part][name];
}

function setAt(target: Record<string, unknown>, [name, ...rest]: string[], value: unknown): void {
  if (name === undefined) return;
  if (rest.length === 0) {
    if (value !== undefined) target[name] = value;
    return;
  }
  const inner = isRecord(target[name]) ? target[name] : {};
  target[name] = inner;
  setAt(inner, rest, value);
}
