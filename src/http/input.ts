import type { Request } from "express";
import { z } from "zod";
import { badRequest, type ErrorDetail, type ServiceError } from "../platform/errors.js";
import type { Route, VariableSource } from "./route.js";

type Part = "path" | "query";
/** The checked parts of a request. */
export type Input = Record<Part, Record<string, unknown>>;

/** Reads and checks what a request is made of; BAD_REQUEST names every fault with its path, such as `query.start`. */
export function readInput(route: Route, request: Request): Input {
  const given: Input = { path: request.params, query: readQuery(request, route.input.query) };
  const input: Input = { path: {}, query: {} };
  const faults: ErrorDetail[] = [];
  for (const part of ["path", "query"] as const) {
    const outcome = route.input[part]?.safeParse(given[part]);
    if (outcome?.success) input[part] = outcome.data;
    for (const issue of outcome?.error?.issues ?? []) faults.push({ path: [part, ...issue.path].join("."), message: messageOf(issue) });
  }
  if (faults.length > 0) throw badRequest(faults);
  return input;
}

function messageOf(issue: z.core.$ZodIssue): string {
  return issue.code === "invalid_type" && issue.input === undefined ? "is required" : issue.message;
}

function readQuery(request: Request, schema: z.ZodObject | undefined): Record<string, unknown> {
  const search = request.url.includes("?") ? request.url.slice(request.url.indexOf("?")) : "";
  const parameters = new URLSearchParams(search);
  const query: Record<string, unknown> = {};
  for (const [name, type] of Object.entries(schema?.shape ?? {})) {
    const values = [...parameters.getAll(name), ...parameters.getAll(`${name}[]`)];
    if (values.length === 0) continue;
    if (isList(type)) query[name] = values.flatMap((value) => value.split(",")).filter((value) => value !== "");
    else if (values.length > 1) throw badRequest([{ path: `query.${name}`, message: "must be given once" }]);
    else query[name] = values[0];
  }
  return query;
}

function isList(type: unknown): boolean {
  return type instanceof z.ZodOptional ? isList(type.unwrap()) : type instanceof z.ZodArray;
}

/** The variables of the route's operation, from the checked input. What was not given is left out. */
export function toVariables(route: Route, input: Input): Record<string, unknown> {
  const variables: Record<string, unknown> = {};
  for (const [target, source] of Object.entries(route.variables)) {
    const value = typeof source === "string" ? valueAt(input, source) : source.compute(input);
    if (value !== undefined) put(variables, target.split("."), value);
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
  return argumentPath;
}

const origin = (source: VariableSource) => (typeof source === "string" ? source : source.from);

function valueAt(input: Input, path: string): unknown {
  const [part, name] = path.split(".") as [Part, string];
  return input[part][name];
}

function put(target: Record<string, unknown>, [name, ...rest]: string[], value: unknown): void {
  if (name === undefined) return;
  if (rest.length === 0) {
    target[name] = value;
    return;
  }
  const inner = (target[name] ?? {}) as Record<string, unknown>;
  target[name] = inner;
  put(inner, rest, value);
}
