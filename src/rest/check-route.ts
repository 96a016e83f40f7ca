import {
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isInputObjectType,
  isInputType,
  isNonNullType,
  specifiedRules,
  typeFromAST,
  validate,
} from "graphql";
import { type Lookup, type Route, sourcePath, type VariableSource } from "../http/route.js";

/**
 * Checks at startup that a route fits its operation: every member of the request has a use, every variable has a source, and each
 * names something that exists. The types of the operation do not cover this, since variables are assembled by path.
 */
export function assertRouteFits(schema: GraphQLSchema, route: Route): void {
  const problems = [
    ...unusedMembers(route),
    ...operationProblems(schema, route, route),
    ...(route.precheck ? operationProblems(schema, route, route.precheck) : []),
  ];
  if (problems.length > 0) throw new Error(`${route.method.toUpperCase()} ${route.path}: ${problems.join("; ")}`);
}

function unusedMembers({ input, variables, precheck, form }: Route): string[] {
  const used = new Set([...Object.values(variables), ...Object.values(precheck?.variables ?? {})].map(sourcePath));
  const members = (["path", "query", "body"] as const).flatMap((part) => Object.keys(input[part]?.shape ?? {}).map((name) => `${part}.${name}`));
  const parts = form && [form.file, ...form.texts].map((name) => `body.${name}`);
  return [
    ...members.filter((member) => !used.has(member) && !used.has(member.split(".")[0] as string)).map((member) => `no variable uses \`${member}\``),
    ...members
      .filter((member) => member.startsWith("body.") && parts && !parts.includes(member))
      .map((member) => `\`${member}\` is not a part of the form`),
  ];
}

function operationProblems(schema: GraphQLSchema, route: Route, { operation: document, variables }: Route | Lookup): string[] {
  const [error] = validate(schema, document, specifiedRules);
  if (error) return [`its operation does not fit the schema: ${error.message}`];
  const types = variableTypes(schema, document);
  const sources = Object.entries(variables);
  return [
    ...sources.flatMap(([target, source]) => sourceProblems(route, target, source, typeAt(types, target.split(".")))),
    ...Object.entries(types).flatMap(([name, type]) => missingSources(route, variables, name, type)),
  ];
}

type Types = Record<string, GraphQLInputType>;

function variableTypes(schema: GraphQLSchema, document: DocumentNode): Types {
  const types: Types = {};
  for (const { variable, type: node } of getOperationAST(document)?.variableDefinitions ?? []) {
    const type = typeFromAST(schema, node as Parameters<typeof typeFromAST>[1]);
    if (isInputType(type)) types[variable.name.value] = type;
  }
  return types;
}

function fieldTypes(type: GraphQLInputType): Types {
  const named = getNamedType(type);
  return isInputObjectType(named) ? Object.fromEntries(Object.values(named.getFields()).map((field) => [field.name, field.type])) : {};
}

function typeAt(types: Types, [name = "", ...rest]: string[]): GraphQLInputType | undefined {
  const type = types[name];
  return type && rest.length > 0 ? typeAt(fieldTypes(type), rest) : type;
}

function sourceProblems({ input }: Route, target: string, source: VariableSource, type: GraphQLInputType | undefined): string[] {
  const [part, name] = sourcePath(source).split(".") as ["path" | "query" | "body", string | undefined];
  const members = Object.keys(input[part]?.shape ?? {});
  if (!type) return [`the operation has no variable \`${target}\``];
  if (name !== undefined) return members.includes(name) ? [] : [`\`${target}\` comes from \`${part}.${name}\`, which the route does not declare`];
  const known = Object.keys(fieldTypes(type));
  return members.filter((member) => !known.includes(member)).map((member) => `\`${part}.${member}\` is not a field of \`${target}\``);
}

/** Variables without a source. The fields of an input need one only where they are required. */
function missingSources(route: Route, variables: Route["variables"], target: string, type: GraphQLInputType, isField = false): string[] {
  const source = variables[target];
  if (!source && Object.keys(variables).every((each) => !each.startsWith(`${target}.`))) {
    return isField && !isNonNullType(type) ? [] : [`nothing supplies the variable \`${target}\``];
  }
  // A single member is passed on as it is: the rules of inputs are compared with their types elsewhere.
  if (source && sourcePath(source).includes(".")) return [];
  const wholePart = source && Object.keys(route.input[sourcePath(source) as "body"]?.shape ?? {});
  return Object.entries(fieldTypes(type)).flatMap(([name, fieldType]) =>
    wholePart?.includes(name) ? [] : missingSources(route, variables, `${target}.${name}`, fieldType, true),
  );
}
