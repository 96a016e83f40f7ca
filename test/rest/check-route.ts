import {
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isInputObjectType,
  specifiedRules,
  typeFromAST,
  validate,
} from "graphql";
import { type Lookup, type Route, sourcePath } from "../../src/engine/route/route.js";

type Run = Pick<Lookup, "operation" | "variables">;

/**
 * Checks that a route's operations fit the schema, and that every member of its request
 * is used.
 */
export function assertRouteFits(schema: GraphQLSchema, route: Route): void {
  const runs: Run[] = route.precheck ? [route, route.precheck] : [route];
  const errors = runs.flatMap(({ operation }) => validate(schema, operation, specifiedRules));
  const problems =
    errors.length > 0
      ? errors.map(({ message }) => `its operation does not fit the schema: ${message}`)
      : unusedMembers(schema, route, runs);
  if (problems.length > 0)
    throw new Error(`${route.method.toUpperCase()} ${route.path}: ${problems.join("; ")}`);
}

function unusedMembers(schema: GraphQLSchema, { input, form }: Route, runs: Run[]): string[] {
  const used = new Set(runs.flatMap((run) => usedMembers(schema, run)));
  const members = (["path", "query", "body"] as const).flatMap((part) =>
    Object.keys(input[part]?.shape ?? {}).map((name) => `${part}.${name}`),
  );
  const parts = form && [form.file, ...form.texts].map((name) => `body.${name}`);
  return [
    ...members.filter((member) => !used.has(member)).map((member) => `no variable uses \`${member}\``),
    ...members
      .filter((member) => member.startsWith("body.") && parts?.includes(member) === false)
      .map((member) => `\`${member}\` is not a part of the form`),
  ];
}

/**
 * The members of a request from which variables are made. Of a whole body, the members
 * that are fields of the input.
 */
function usedMembers(schema: GraphQLSchema, { operation, variables }: Run): string[] {
  const definitions = getOperationAST(operation)?.variableDefinitions ?? [];
  return Object.entries(variables).flatMap(([target, source]) => {
    const path = sourcePath(source);
    const definition = definitions.find(({ variable }) => variable.name.value === target);
    if (path.includes(".") || !definition) return [path];
    const type = getNamedType(typeFromAST(schema, definition.type as Parameters<typeof typeFromAST>[1]));
    return isInputObjectType(type) ? Object.keys(type.getFields()).map((name) => `${path}.${name}`) : [];
  });
}
