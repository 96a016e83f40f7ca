import {
  type DocumentNode,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLList,
  type GraphQLNamedInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  type OperationDefinitionNode,
  TypeInfo,
  typeFromAST,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { type ErrorDetail, maxDetails } from "../platform/errors.js";
import {
  changedNumber,
  changedNumbers,
  hasNumbers,
  isTextKnown,
  readMarked,
} from "../platform/json/json-numbers.js";
import { JsonObject, SafeInt } from "../platform/scalars.js";

type Values = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

/**
 * Finds numbers in variables whose exact value JavaScript cannot keep, although their
 * type requires it, as JSON and long integers do. Only Float accepts the nearest number.
 * Searches only if the text of the variables contains such numbers.
 */
export function inexactNumbers(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  given: Values,
): ErrorDetail[] {
  if (!isTextKnown(given)) return [];
  const inJson = variablesInJson(schema, document);
  const paths = (operation.variableDefinitions ?? []).flatMap(({ variable, type: typeNode }) => {
    const name = variable.name.value;
    // In a valid document, variables have input types.
    const type = typeFromAST(schema, typeNode as Parameters<typeof typeFromAST>[1]) as GraphQLInputType;
    return Object.hasOwn(given, name)
      ? [...exactValues(given[name], inJson.has(name) ? JsonObject : type, [name])]
      : [];
  });
  if (paths.length === 0) return [];
  const marked = readMarked(given);
  if (!marked) return [];
  const details: ErrorDetail[] = [];
  for (const path of paths) {
    if (details.length >= maxDetails) break;
    const changed = changedNumbers(valueAt(marked, path), maxDetails);
    details.push(
      ...changed.map((inner) => ({ path: [...path, ...inner].join("."), message: changedNumber })),
    );
  }
  return details;
}

/** The paths of all values with numbers whose type requires the exact value. */
function* exactValues(value: unknown, type: GraphQLInputType, path: Path): Generator<Path> {
  if (!holdsExact(type)) return;
  const named = getNamedType(type);
  if (isListType(getNullableType(type)) && Array.isArray(value)) {
    const { ofType } = getNullableType(type) as GraphQLList<GraphQLInputType>;
    for (const [index, item] of value.entries()) yield* exactValues(item, ofType, [...path, index]);
  } else if (isInputObjectType(named)) yield* exactFields(Object(value), named, path);
  else if (hasNumbers(value)) yield path;
}

function* exactFields(value: Values, type: GraphQLInputObjectType, path: Path): Generator<Path> {
  for (const { name, type: fieldType } of Object.values(type.getFields())) {
    if (Object.hasOwn(value, name)) yield* exactValues(value[name], fieldType, [...path, name]);
  }
}

const exactTypes = new WeakMap<GraphQLInputType, boolean>();

/** Whether a type, or any type in it, requires exact values. */
function holdsExact(type: GraphQLInputType): boolean {
  const named = getNamedType(type);
  const holds =
    exactTypes.get(named) ??
    [...typesIn(named)].some(({ name }) => name === JsonObject.name || name === SafeInt.name);
  exactTypes.set(named, holds);
  return holds;
}

/** A type with the types of its fields, recursively. */
function typesIn(
  type: GraphQLNamedInputType,
  types = new Set<GraphQLNamedInputType>(),
): ReadonlySet<GraphQLNamedInputType> {
  if (types.has(type)) return types;
  types.add(type);
  if (isInputObjectType(type))
    for (const field of Object.values(type.getFields())) typesIn(getNamedType(field.type), types);
  return types;
}

const inJsonByDocument = new WeakMap<DocumentNode, ReadonlySet<string>>();

/**
 * The variables used within literals of JSON. Their only type there is that of their
 * declaration.
 */
function variablesInJson(schema: GraphQLSchema, document: DocumentNode): ReadonlySet<string> {
  const known = inJsonByDocument.get(document);
  if (known) return known;
  const names = new Set<string>();
  const types = new TypeInfo(schema);
  const enter = {
    Variable: ({ name }: { name: { value: string } }) => void (types.getInputType() ?? names.add(name.value)),
  };
  visit(document, visitWithTypeInfo(types, { ...enter, VariableDefinition: () => false }));
  inJsonByDocument.set(document, names);
  return names;
}

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((outer, step) => (outer as Values)[step], value);
