import type { Request } from "express";
import { z } from "zod";
import { badRequest, type ErrorDetail, type ServiceError } from "../platform/errors.js";
import type { RequestParts, Route, VariableSource } from "./route.js";

/** Checks what a request is made of; BAD_REQUEST names every fault with its path, such as `query.start`. */
export function readInput(route: Route, request: Request, body: unknown): RequestParts {
  const given = { path: request.params, query: readQuery(request, route.input.query), body };
  const input: RequestParts = { path: {}, query: {}, body: {} };
  const faults: ErrorDetail[] = [];
  for (const part of ["path", "query", "body"] as const) {
    const outcome = route.input[part]?.safeParse(given[part]);
    if (outcome?.success) input[part] = outcome.data;
    for (const issue of outcome?.error?.issues ?? [])
      faults.push({ path: [part, ...issue.path].join("."), message: messageOf(part, issue, given[part]) });
  }
  if (faults.length > 0) throw badRequest(faults);
  return input;
}

function messageOf(part: string, issue: z.core.$ZodIssue, given: unknown): string {
  const value = issue.path.reduce<unknown>((outer, name) => (outer as Record<PropertyKey, unknown> | undefined)?.[name], given);
  if (value === undefined) return "is required";
  // A query's parameter that takes one value was given several.
  if (part === "query" && Array.isArray(value) && issue.path.length === 1 && issue.code.startsWith("invalid_")) return "must be given once";
  return value === null && issue.code === "invalid_type" ? "must not be null" : issue.message;
}

/** The query's parameters that the route knows: lists as lists, and what was given more than once as a list that no rule takes. */
function readQuery(request: Request, schema: z.ZodObject | undefined): Record<string, unknown> {
  const search = request.url.includes("?") ? request.url.slice(request.url.indexOf("?")) : "";
  const parameters = new URLSearchParams(search);
  const query: Record<string, unknown> = {};
  for (const [name, type] of Object.entries(schema?.shape ?? {})) {
    const values = [...parameters.getAll(name), ...parameters.getAll(`${name}[]`)];
    const listed = isList(type) ? values.flatMap((value) => value.split(",")).filter((value) => value !== "") : values;
    if (listed.length === 0) continue;
    query[name] = isList(type) || listed.length > 1 ? listed : listed[0];
  }
  return query;
}

function isList(type: unknown): boolean {
  return type instanceof z.ZodOptional ? isList(type.unwrap()) : type instanceof z.ZodArray;
}

/** The variables of the route's operation, from the checked input. What was not given is left out. */
export function toVariables(route: Route, input: RequestParts): Record<string, unknown> {
  const variables: Record<string, unknown> = {};
  for (const [target, source] of Object.entries(route.variables)) {
    const value = valueAt(input, origin(source));
    const computed = typeof source === "string" || value === undefined ? value : source.compute(value as never, input);
    put(variables, target.split("."), computed);
  }
  return variables;
}

/** An error of the operation in the words of the request: its paths name parameters instead of GraphQL arguments. */
export function inRequestTerms(route: Route, error: ServiceError): ServiceError {
  if (!error.details) return error;
  return badRequest(error.details.map((detail) => ({ ...detail, path: requestPath(route, detail.path) })));
}

function requestPath(route: Route, argumentPath: string): string {
  const targets = Object.entries(route.variables).sort(([one], [other]) => other.length - one.length);
  for (const [target, source] of targets) {
    if (argumentPath === target || argumentPath.startsWith(`${target}.`)) return `${origin(source)}${argumentPath.slice(target.length)}`;
  }
  // What is put together of parameters is the part of the request in which these stand.
  const [, source] = targets.find(([target]) => target.startsWith(`${argumentPath}.`)) ?? [];
  return source ? (origin(source).split(".")[0] as string) : argumentPath;
}

const origin = (source: VariableSource) => (typeof source === "string" ? source : source.from);

function valueAt(input: RequestParts, path: string): unknown {
  const [part, name] = path.split(".") as [keyof RequestParts, string];
  return input[part][name];
}

function put(target: Record<string, unknown>, [name, ...rest]: string[], value: unknown): void {
  if (name === undefined) return;
  if (rest.length === 0) {
    if (value !== undefined) target[name] = value;
    return;
  }
  const inner = (target[name] ?? {}) as Record<string, unknown>;
  target[name] = inner;
  put(inner, rest, value);
}
