import {
  astFromValue,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  OperationTypeNode,
  print,
  type ValueNode,
} from "graphql";
import { subgraphSchema } from "../../src/api/graphql/schema.js";

/** The types of arguments that take keys of objects of any type. */
const keyTypes = ["ID", "_Any"];

/** The schema with everything that settings add. */
const schema = subgraphSchema();

type Field = GraphQLField<unknown, unknown>;

/** A field of Query, Mutation or Subscription, or one below that takes an id. */
export interface AskedField {
  operation: OperationTypeNode;
  /** Such as `Query.camera`. */
  name: string;
  /**
   * The fields of queries that lead to it, with their arguments; none for a root field.
   */
  below: string[];
  field: Field;
  /**
   * The paths of the arguments that are ids, such as `id` or `input.cameraId`, and
   * whether they are required.
   */
  ids: { path: string; required: boolean }[];
}

/** The types of whose objects the schema has node ids. */
export const nodeTypes: string[] = schema
  .getPossibleTypes(schema.getType("Node") as GraphQLInterfaceType)
  .map(({ name }) => name);

const rootTypes = [OperationTypeNode.QUERY, OperationTypeNode.MUTATION, OperationTypeNode.SUBSCRIPTION];

const askedField = (
  operation: OperationTypeNode,
  type: GraphQLObjectType,
  field: Field,
  below: string[] = [],
): AskedField => ({
  ...{ operation, name: `${type.name}.${field.name}`, field, below },
  ids: field.args.flatMap((argument) => idsIn(argument, argument.name, isRequired(argument))),
});

export const rootFields: AskedField[] = rootTypes.flatMap((operation) => {
  const type = schema.getRootType(operation) as GraphQLObjectType;
  return Object.values(type.getFields()).map((field) => askedField(operation, type, field));
});

/** The paths of a query from the caller's workspace to a type. */
const ways: Record<string, string[]> = {
  Workspace: ["workspace"],
  Facility: ["facilities"],
  Camera: ["cameras"],
  AlertRule: ["cameras", "alertRules"],
};

/** The fields of other types that take ids. */
export const nestedFields: AskedField[] = Object.values(schema.getTypeMap()).flatMap((type) => {
  if (
    !isObjectType(type) ||
    type.name.startsWith("__") ||
    rootTypes.some((operation) => schema.getRootType(operation) === type)
  )
    return [];
  const fields = Object.values(type.getFields()).map((field) =>
    askedField(OperationTypeNode.QUERY, type, field, ways[type.name] ?? [`no way to ${type.name}`]),
  );
  return fields.filter(({ ids }) => ids.length > 0);
});

/** An id that a field takes. */
export interface IdPosition {
  asked: AskedField;
  /** Such as `Query.camera(id)`. */
  position: string;
  path: string;
  /** The type of the objects whose node ids are given there. */
  nodeType?: string;
}

export const positions = [...rootFields, ...nestedFields].flatMap((asked): IdPosition[] =>
  asked.ids.flatMap(({ path }): IdPosition[] => {
    if (!takesKeys(asked, path)) return [{ asked, position: `${asked.name}(${path})`, path }];
    return nodeTypes.map((nodeType) => ({
      ...{ asked, path, nodeType },
      position: `${asked.name}(${path} of ${nodeType})`,
    }));
  }),
);
/** The root fields that need no id. */
export const withoutIds = rootFields.filter(({ ids }) => ids.every(({ required }) => !required));

type Input = Pick<GraphQLArgument, "type" | "defaultValue">;
function isRequired({ type, defaultValue }: Input): boolean {
  return isNonNullType(type) && defaultValue === undefined;
}

/** Whether an argument takes the keys of objects of any type. */
function takesKeys({ field }: AskedField, path: string): boolean {
  return field.args.some(({ name, type }) => name === path && keyTypes.includes(getNamedType(type).name));
}

function idsIn({ type }: Input, path: string, required: boolean): AskedField["ids"] {
  const named = getNamedType(type);
  if (named.name === "UUID" || keyTypes.includes(named.name)) return [{ path, required }];
  if (!isInputObjectType(named)) return [];
  return Object.values(named.getFields()).flatMap((field) =>
    idsIn(field, `${path}.${field.name}`, required && isRequired(field)),
  );
}

/**
 * Gives the value of an argument that is not an object, by its path, such as
 * `input.name`, and the name of its type; for a list one item or all.
 */
export type ValueAt = (path: string, type: string) => unknown;

/** The variables for a field: required ones, and the arguments at given paths. */
export function variablesOf(
  { field }: Pick<AskedField, "field">,
  included: readonly string[],
  valueAt: ValueAt,
): Record<string, unknown> {
  return valuesOf(field.args, "", included, valueAt);
}

function valuesOf(
  inputs: readonly (Input & { name: string })[],
  parent: string,
  included: readonly string[],
  valueAt: ValueAt,
) {
  const paths = inputs.map((input) => ({ input, path: parent ? `${parent}.${input.name}` : input.name }));
  const wanted = paths.filter(
    ({ input, path }) =>
      isRequired(input) || included.some((each) => each === path || each.startsWith(`${path}.`)),
  );
  return Object.fromEntries(
    wanted.map(({ input, path }) => [input.name, valueFor(input.type, path, included, valueAt)]),
  );
}

function valueFor(
  type: GraphQLInputType,
  path: string,
  included: readonly string[],
  valueAt: ValueAt,
): unknown {
  const nullable = getNullableType(type);
  // These lead to records.
  if (isListType(nullable) && getNamedType(type).name === "AlertDimension")
    return ["FACILITY", "CAMERA", "ALERT_RULE"];
  if (isListType(nullable)) return [valueFor(nullable.ofType, path, included, valueAt)].flat();
  if (isInputObjectType(nullable)) {
    // The filter needs one of several kinds of periods.
    const period = nullable.name === "AlertFilter" ? ["start", "end"].map((name) => `${path}.${name}`) : [];
    return valuesOf(Object.values(nullable.getFields()), path, [...included, ...period], valueAt);
  }
  return isEnumType(nullable) ? nullable.getValues()[0]?.name : valueAt(path, getNamedType(type).name);
}

/** An operation with a field, whose arguments are its variables. */
export function documentOf(
  { operation, field, below }: AskedField,
  variables: object,
  selection: string,
): string {
  const given = field.args.filter(({ name }) => name in variables);
  const declared = given.map(({ name, type }) => `$${name}: ${type}`).join(", ");
  const passed = given.map(({ name }) => `${name}: $${name}`).join(", ");
  const asked = `${field.name}${passed && `(${passed})`} ${selection}`;
  return `${operation}${declared && ` (${declared})`} { ${below.reduceRight((inner, name) => `${name} { ${inner} }`, asked)} } ${fragmentsOf(selection)}`;
}

/** The values of the field in the answer to such an operation. */
export function valuesIn({ field, below }: AskedField, data: unknown): unknown[] {
  const sources = below.reduce((found, name) => found.flatMap((item) => (item as Item)[name]), [data]);
  return sources.map((item) => (item as Item | null)?.[field.name]);
}

/** The arguments of a field that are required, and a page of enough, as text. */
export function argumentText(field: Field, valueAt: ValueAt): string {
  const variables: Record<string, unknown> = variablesOf({ field }, ["first"], (path, type) =>
    path === "first" ? 10 : valueAt(path, type),
  );
  const given = field.args.filter(({ name }) => name in variables);
  const text = given.map(({ name, type }) => `${name}: ${literalOf(variables[name], type)}`).join(", ");
  return text && `(${text})`;
}

function literalOf(value: unknown, type: GraphQLInputType): string {
  // Objects of text, which graphql-js does not print as values of scalars.
  if (getNamedType(type).name === "_Any") return JSON.stringify(value).replaceAll(/"(\w+)":/g, "$1: ");
  return print(astFromValue(value, type) as ValueNode);
}

const fieldsOf = (type: GraphQLObjectType): Field[] => Object.values(type.getFields());
const targetOf = (field: Field) => {
  const target = getNamedType(field.type);
  if (isAbstractType(target))
    throw new Error(`${target.name} is abstract: only root fields are followed to each of its types`);
  return target;
};
/** The types of a field's results: one, or each type of an abstract one. */
export const targetsOf = (field: Field): readonly GraphQLNamedType[] => {
  const target = getNamedType(field.type);
  return isAbstractType(target) ? schema.getPossibleTypes(target) : [target];
};
const isConnection = (type: GraphQLObjectType) => type.name.endsWith("Connection");
const nodeOf = (connection: GraphQLObjectType) =>
  targetOf(connection.getFields().nodes as Field) as GraphQLObjectType;
/** Whether a type is a record with an id, in contrast to parts such as points. */
const isRecord = (type: GraphQLObjectType) => "id" in type.getFields();
/** Whether a field leads from a record to others. A count of alerts does so, too. */
function isEdge(field: Field): boolean {
  return targetsOf(field).some(
    (target) =>
      isObjectType(target) && (isRecord(target) || isConnection(target) || target.name === "AlertCount"),
  );
}
/**
 * Whether a field leads to something without an id that leads to records: the edges of
 * that are its owner's.
 */
function leadsOn(field: Field): boolean {
  const target = targetOf(field);
  return isObjectType(target) && !isEdge(field) && fieldsOf(target).some((each) => isEdge(each));
}

/**
 * Every field of a query that leads from one record to others, such as `Camera.alerts`.
 */
export const edges: string[] = Object.values(schema.getTypeMap())
  .filter(
    (type) =>
      isObjectType(type) && !type.name.startsWith("__") && !/(?:Connection|Edge|Payload)$/.test(type.name),
  )
  // Only subscriptions return events, and only `recordDetections` says which rules were quiet.
  .filter(
    (type) =>
      type !== schema.getMutationType() &&
      type !== schema.getSubscriptionType() &&
      !["AlertChange", "EvaluatedCamera", "QuietRule"].includes(type.name),
  )
  .flatMap((type) =>
    fieldsOf(type as GraphQLObjectType)
      .filter(isEdge)
      .map((field) => `${type.name}.${field.name}`),
  )
  .toSorted();

/** Gives the text of a field's arguments, by the field's name such as `Camera.alerts`. */
export type ArgumentsOf = (name: string, field: Field) => string;

/**
 * Selects everything in a type, with a number of levels of edges below. Leaves are in
 * fragments, because they are repeated.
 */
function selectionOf(type: GraphQLObjectType, levels: number, argumentsOf: ArgumentsOf): string {
  const followed = levels === 0 ? [] : fieldsOf(type).filter((field) => isEdge(field) || leadsOn(field));
  const selections = followed.map((field) => {
    const below = selectionBelow(targetOf(field) as GraphQLObjectType, levels - 1, argumentsOf);
    return `${field.name}${argumentsOf(`${type.name}.${field.name}`, field)} ${below}`;
  });
  return `{ ...Leaves${type.name} ${selections.join(" ")} }`;
}

function selectionBelow(target: GraphQLObjectType, levels: number, argumentsOf: ArgumentsOf): string {
  if (!isConnection(target)) return selectionOf(target, levels, argumentsOf);
  return `{ nodes ${selectionOf(nodeOf(target), levels, argumentsOf)} edges { cursor node { id } } pageInfo { hasNextPage } totalCount }`;
}

/** The fragments that a text uses. */
export function fragmentsOf(text: string): string {
  const names = new Set(Array.from(text.matchAll(/\.\.\.Leaves(\w+)/g), ([, name]) => name as string));
  return [...names]
    .map((name) => `fragment Leaves${name} on ${name} ${leavesOf(schema.getType(name) as GraphQLObjectType)}`)
    .join(" ");
}

function leavesOf(type: GraphQLObjectType): string {
  const leaves = fieldsOf(type).filter(
    (field) => !isEdge(field) && !leadsOn(field) && field.args.length === 0,
  );
  const selected = leaves.map((field) => {
    const target = targetOf(field);
    return isObjectType(target) ? `${field.name} ${leavesOf(target)}` : field.name;
  });
  return `{ __typename ${selected.join(" ")} }`;
}

/**
 * The selection in a root field's answer: everything in one of its types, or nothing for
 * a leaf.
 */
export function selectionOfField(
  field: Field,
  levels: number,
  argumentsOf: ArgumentsOf,
  target = targetOf(field) as GraphQLNamedType,
): string {
  if (isLeafType(target)) return "";
  const below = selectionBelow(target as GraphQLObjectType, levels, argumentsOf);
  return target === getNamedType(field.type) ? below : `{ __typename ... on ${target.name} ${below} }`;
}

/** The smallest selection that shows whether anything is there. */
export function existenceOf(field: Field): string {
  const target = getNamedType(field.type);
  if (isLeafType(target)) return "";
  return isConnection(target as GraphQLObjectType) ? "{ nodes { __typename } totalCount }" : "{ __typename }";
}

/** A record at the start of an edge, with the ids at its end, or their number. */
export interface FollowedEdge {
  edge: string;
  source: string | undefined;
  targets: string[] | number;
}

type Item = Record<string, unknown>;

/**
 * The edges in an answer to a selection for one of the types that a root field leads to.
 */
export function followedFromRoot(field: Field, target: GraphQLNamedType, data: Item): FollowedEdge[] {
  const root = schema.getQueryType() as GraphQLObjectType;
  if (!isAbstractType(getNamedType(field.type)) || !isObjectType(target)) return followedEdges(root, data);
  const items = [data[field.name]]
    .flat()
    .filter((item) => (item as Item | null)?.__typename === target.name) as Item[];
  const targets = items.map(({ id }) => id as string);
  const below = items.flatMap((item) => followedEdges(target, item, item.id as string));
  return [{ edge: `${root.name}.${field.name}`, source: undefined, targets }, ...below];
}

function followedEdges(type: GraphQLObjectType, item: Item, source?: string): FollowedEdge[] {
  const followed = fieldsOf(type).filter((field) => field.name in item && (isEdge(field) || leadsOn(field)));
  return followed.flatMap((field) => {
    const target = targetOf(field) as GraphQLObjectType;
    const edge = `${type.name}.${field.name}`;
    const value = item[field.name];
    if (target.name === "AlertCount")
      return [
        { edge, source, targets: (value as { count: number }[]).reduce((sum, { count }) => sum + count, 0) },
      ];
    const items = (isConnection(target) ? itemsOf(value as Item | null) : [value ?? []].flat()) as Item[];
    const node = isConnection(target) ? nodeOf(target) : target;
    const below = items.flatMap((each) =>
      followedEdges(node, each, isRecord(node) ? (each.id as string) : source),
    );
    return isEdge(field)
      ? [{ edge, source, targets: items.map(({ id }) => id as string) }, ...below]
      : together(below, source);
  });
}

/** Joins the edges of several records from the same source. */
export function together(found: FollowedEdge[], source: string | undefined): FollowedEdge[] {
  const own = found.filter((each) => each.source === source);
  const names = [...new Set(own.map(({ edge }) => edge))];
  const joined = names.map((edge) => ({
    edge,
    source,
    targets: own.filter((each) => each.edge === edge).flatMap(({ targets }) => targets as string[]),
  }));
  return [...joined, ...found.filter((each) => each.source !== source)];
}

/** The items of a page, whose fields must all show the same items. */
function itemsOf(page: Item | null): Item[] {
  if (!page) return [];
  const {
    nodes,
    edges: withCursors,
    totalCount,
    pageInfo,
  } = page as { [name: string]: Item[] } & { totalCount: number; pageInfo: Item };
  const ids = (items: Item[] | undefined) => items?.map(({ id }) => id).join();
  if (
    ids(nodes) !== ids(withCursors?.map(({ node }) => node as Item)) ||
    totalCount !== nodes?.length ||
    pageInfo.hasNextPage
  )
    throw new Error(`The fields of a page contradict each other: ${JSON.stringify(page)}`);
  return nodes;
}
