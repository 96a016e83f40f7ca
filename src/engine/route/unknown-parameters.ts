import type { Request, Response } from "express";
import { z } from "zod";
import { badRequest, type ServiceError } from "../../platform/errors/errors.js";
import { isRecord } from "../../platform/record.js";
import { searchParameters } from "./input.js";
import type { Route } from "./route.js";

export const ignoredParametersHeader = "X-Ignored-Parameters";
const maxHeaderLength = 1024;
/** The maximum length of a name in an error. */
const maxShownLength = 100;

interface UnknownParameter {
  part: "query" | "body";
  /**
   * The name; that of a nested field of the body follows those of the objects around it, as in `imageDimensions.depth`.
   */
  name: string;
}

/** The parameters of a request that its route does not know, each once. */
export function unknownParameters({ input }: Route, request: Request, body: unknown): UnknownParameter[] {
  const inQuery = new Set<string>();
  for (const name of searchParameters(request).keys()) {
    if (!Object.hasOwn(input.query?.shape ?? {}, name.replace(/\[\]$/, ""))) inQuery.add(name);
  }
  return [
    ...Array.from(inQuery, (name) => ({ part: "query" as const, name })),
    ...Array.from(unknownFields(input.body, body), (name) => ({ part: "body" as const, name })),
  ];
}

function* unknownFields(rule: unknown, value: unknown): Generator<string> {
  const shape = objectRuleIn(rule)?.shape;
  if (!shape || !isRecord(value)) return;
  for (const [name, field] of Object.entries(value)) {
    if (!Object.hasOwn(shape, name)) yield name;
    else for (const inner of unknownFields(shape[name], field)) yield `${name}.${inner}`;
  }
}

/** The rule for the fields of a value that may be an object with known fields. */
function objectRuleIn(rule: unknown): z.ZodObject | undefined {
  if (rule instanceof z.ZodObject) return rule;
  if (rule instanceof z.ZodOptional || rule instanceof z.ZodNullable || rule instanceof z.ZodDefault)
    return objectRuleIn(rule.unwrap());
  return rule instanceof z.ZodUnion
    ? rule.options.map(objectRuleIn).find((option) => option !== undefined)
    : undefined;
}

/** Names the ignored parameters in the response, percent-encoded, as far as the header has room. */
export function showIgnored(response: Response, ignored: UnknownParameter[]): void {
  let header = "";
  for (const { name } of ignored) {
    if (name.length > maxHeaderLength) continue;
    // A JSON name may contain half of a surrogate pair.
    const longer = `${header}${header && ", "}${encodeURIComponent(name.toWellFormed())}`;
    if (longer.length > maxHeaderLength) break;
    header = longer;
  }
  if (header) response.set(ignoredParametersHeader, header);
}

export function refusedParameters(unknown: UnknownParameter[]): ServiceError {
  return badRequest(
    unknown.map(({ part, name }) => ({
      path: `${part}.${name.slice(0, maxShownLength).toWellFormed()}`,
      message: "is not a parameter of this endpoint",
    })),
  );
}
