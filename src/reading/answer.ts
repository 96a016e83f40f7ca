import {
  type FieldNode,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLLeafType,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  getArgumentValues,
  getNamedType,
  getNullableType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from "graphql";
import { declaredColumns, entityTypeOf, isConnection, readAheadOf } from "./annotations.js";
import type { EntityType } from "./entity-type.js";
import { argsKey, type RelationLoader } from "./relation.js";
import { type DocumentParts, expectedRows, holdsVariable, maxRowsAhead, noPageInfo, type Selection, selectedFields } from "./selection.js";

/**
 * An answer that PostgreSQL writes as it goes to the client, instead of rows of which an executor makes one: with the fields of the
 * selection, in its order, under its names. That saves most of the work of a nested view, since it is never parsed. For what only the
 * gateway can tell, such as a signed link, PostgreSQL leaves a gap with what is needed for it, which is filled (answer-text.ts).
 *
 * The rows, and which of them the caller may see, are those of the relations, as for any other selection. A selection with a field
 * that neither is a column nor reads ahead nor is worked out of its row alone has no such answer, and the executor makes it.
 */
export interface Answer {
  fields: readonly AnswerField[];
  /** What fills its gaps, with those of everything nested in it: fields refer to them by their index. */
  gaps: readonly Gap[];
  /** Whether it has objects of which nothing is known, but that they are JSON. */
  hasFreeJson: boolean;
  /** Whether it is the same each time that the operation runs, as no variable is part of it. */
  isConstant: boolean;
}

/** A field of an answer, under its name in the response. */
export type AnswerField = { name: string } & (
  | { kind: "type name"; typeName: string }
  | { kind: "column"; column: string; values: StoredValues }
  | { kind: "part"; column: string; gap: number }
  | { kind: "computed"; columns: readonly string[]; gap: number }
  | { kind: "relation"; loader: RelationLoader<unknown, unknown>; args: unknown; selection: AnswerSelection; page?: ConnectionFields }
);

/** What a column has to be looked at for: SQL can store values that its type in GraphQL does not allow. */
export type StoredValues = "any" | "dates" | "lists" | "objects" | "objects or null";

/** What fills a gap. */
export type Gap = ComputedGap | PartGap;

/** A leaf that is worked out of columns of its row. */
export interface ComputedGap {
  columns: readonly { name: string; isDate: boolean }[];
  type: LeafType;
  resolve: (row: object, context: unknown) => unknown;
}

/** Members of a value that is kept as JSON, or numbers that JSON may have no form for. */
export interface PartGap {
  part: Part | LeafType | LeafList;
  /** Matches, where it begins to search, a text that has exactly these members, in their order, so that it is what is selected. */
  pattern?: RegExp | undefined;
}

/** A selection whose answer PostgreSQL writes. */
export type AnswerSelection = Selection & { readonly answer: Answer };

/** What is selected of a value that is kept as JSON. */
export type Part = { isList: boolean; isNullable: boolean; fields: readonly { name: string; member: string; value: Part | LeafType }[] };

/** The type of a leaf, which says how its value is written. */
export interface LeafType {
  leaf: GraphQLLeafType;
  isNullable: boolean;
}

/** A list of leaves, none of which is null. */
export interface LeafList {
  items: LeafType;
  isNullable: boolean;
}

/** The fields of a connection that are selected, in their order: its nodes, and the name of its type. */
export type ConnectionFields = readonly { name: string; typeName?: string }[];

/** PostgreSQL cuts longer names. */
const maxNameLength = 63;

/** What an answer has, as far as variables do not decide it. */
interface AnswerPlan {
  columns: readonly string[];
  hasFreeJson: boolean;
  fields: readonly PlannedField[];
}

type PlannedField =
  | { kind: "type name"; name: string; typeName: string }
  | { kind: "column"; name: string; column: string; values: StoredValues }
  | { kind: "part"; name: string; column: string; filledBy: PartGap }
  | { kind: "computed"; name: string; fieldName: string; columns: readonly string[]; filledBy: ComputedGap }
  | PlannedRelation;

interface PlannedRelation {
  kind: "relation";
  name: string;
  loader: RelationLoader<unknown, unknown>;
  field: GraphQLField<unknown, unknown>;
  node: FieldNode;
  plan: AnswerPlan;
  page?: ConnectionFields;
}

/** Makes the selection for an answer, with the values of variables; undefined if it would have too many rows. */
export type AnswerBinder = (variables: Record<string, unknown>) => AnswerSelection | undefined;

/** Plans the answer with these nodes' fields of an object type's rows; undefined if the executor has to make it. */
export function planAnswer(info: DocumentParts, type: GraphQLObjectType, nodes: readonly FieldNode[]): AnswerBinder | undefined {
  const plan = planOf(info, type, nodes);
  if (!plan) return undefined;
  if (dependsOnVariables(plan)) return (variables) => new PlanBinder(variables, false).bind(plan, 1);
  const constant = new PlanBinder({}, true).bind(plan, 1);
  return () => constant;
}

function planOf(info: DocumentParts, type: GraphQLObjectType, nodes: readonly FieldNode[]): AnswerPlan | undefined {
  const entityType = entityTypeOf(type);
  if (!entityType) return undefined;
  const columns = new Set(entityType.keys);
  const fields: PlannedField[] = [];
  for (const [name, fieldNodes] of selectedFields(info, type, nodes)) {
    const field = name.length > maxNameLength ? undefined : plannedField(info, { type, entityType }, name, fieldNodes);
    if (!field) return undefined;
    if (field.kind === "column" || field.kind === "part") columns.add(field.column);
    if (field.kind === "computed") for (const column of field.columns) columns.add(column);
    fields.push(field);
  }
  return { columns: [...columns].sort(), hasFreeJson: fields.some(hasFreeJson), fields };
}

function plannedField(
  info: DocumentParts,
  parent: { type: GraphQLObjectType; entityType: EntityType },
  name: string,
  nodes: readonly FieldNode[],
): PlannedField | undefined {
  const fieldName = (nodes[0] as FieldNode).name.value;
  if (fieldName === "__typename") return { kind: "type name", name, typeName: parent.type.name };
  const field = parent.type.getFields()[fieldName];
  if (!field) return undefined;
  const { resolve } = field;
  if (!resolve) return plannedColumn(info, parent.entityType, name, field, nodes);
  const loader = readAheadOf(field);
  if (loader) return plannedRelation(info, name, { field, nodes, loader });
  const columns = declaredColumns(field);
  const type = leafTypeOf(field.type);
  if (!columns || !type || field.args.length > 0) return undefined;
  const read = [...new Set([...parent.entityType.keys, ...columns])];
  const isDate = (column: string) => parent.entityType.columns.get(column) === "date";
  return {
    kind: "computed",
    name,
    fieldName,
    columns: read,
    filledBy: { columns: read.map((column) => ({ name: column, isDate: isDate(column) })), type, resolve: resolverOf(resolve, parent.type) },
  };
}

/** The resolver of a leaf without arguments, which of its field needs to know no more than whose it is: to ask for more is an error. */
function resolverOf(resolve: GraphQLFieldResolver<unknown, unknown>, parentType: GraphQLObjectType): ComputedGap["resolve"] {
  const info = new Proxy({ parentType } as GraphQLResolveInfo, {
    get: (known, member) => {
      // Of each argument of a resolver it is asked whether it is a promise.
      if (member in known || member === "then") return known[member as keyof GraphQLResolveInfo];
      throw new Error(`A resolver of ${parentType.name} is not told ${String(member)} where PostgreSQL writes the answer`);
    },
  });
  return (row, context) => resolve(row, {}, context, info);
}

function plannedColumn(
  info: DocumentParts,
  { columns }: EntityType,
  name: string,
  field: GraphQLField<unknown, unknown>,
  nodes: readonly FieldNode[],
): PlannedField | undefined {
  const column = field.name;
  const kind = columns.get(column);
  if (kind === undefined || kind === "not JSON") return undefined;
  const isDate = kind === "date";
  if (!isLeafType(getNamedType(field.type))) {
    const part = isDate ? undefined : partOf(info, field.type, nodes);
    return part && { kind: "part", name, column, filledBy: { part, pattern: patternOf(part) } };
  }
  const type = leafTypeOf(field.type) ?? leafListOf(field.type);
  if (!type) return undefined;
  // They may be infinite, no numbers, or -0.
  if (getNamedType(field.type).name === "Float") return { kind: "part", name, column, filledBy: { part: type } };
  const values = storedValues(type, isDate);
  return values && { kind: "column", name, column, values };
}

/** What the values of a column have to be looked at for, if PostgreSQL can write them. */
function storedValues(type: LeafType | LeafList, isDate: boolean): StoredValues | undefined {
  if ("items" in type) return !isDate && isWrittenAsStored(type.items.leaf) ? "lists" : undefined;
  if (isDate) return type.leaf.name === "DateTimeISO" ? "dates" : undefined;
  if (type.leaf.name === "JSONObject") return type.isNullable ? "objects or null" : "objects";
  return isWrittenAsStored(type.leaf) ? "any" : undefined;
}

const hasFreeJson = (field: PlannedField): boolean =>
  (field.kind === "column" && field.values.startsWith("objects")) || (field.kind === "relation" && field.plan.hasFreeJson);

/** Scalars whose values JSON of PostgreSQL has in the same form. */
const scalarsAsStored = new Set(["String", "Int", "Boolean", "UUID"]);

function isWrittenAsStored(type: GraphQLLeafType): boolean {
  return isEnumType(type) ? type.getValues().every(({ name, value }) => name === value) : scalarsAsStored.has(type.name);
}

function leafTypeOf(type: GraphQLOutputType): LeafType | undefined {
  const leaf = getNullableType(type);
  return isLeafType(leaf) ? { leaf, isNullable: !isNonNullType(type) } : undefined;
}

function leafListOf(type: GraphQLOutputType): LeafList | undefined {
  const list = getNullableType(type);
  const items = isListType(list) ? leafTypeOf(list.ofType) : undefined;
  return items && !items.isNullable ? { items, isNullable: !isNonNullType(type) } : undefined;
}

function partOf(info: DocumentParts, type: GraphQLOutputType, nodes: readonly FieldNode[]): Part | undefined {
  const nullable = getNullableType(type);
  const isList = isListType(nullable);
  // The items of a list must not be null: there is no such list.
  if (isList && !isNonNullType(nullable.ofType)) return undefined;
  const object = isList ? getNullableType(nullable.ofType) : nullable;
  if (!isObjectType(object) || entityTypeOf(object)) return undefined;
  const fields: Part["fields"][number][] = [];
  for (const [name, fieldNodes] of selectedFields(info, object, nodes)) {
    const member = (fieldNodes[0] as FieldNode).name.value;
    const field = object.getFields()[member];
    if (!field || field.resolve) return undefined;
    const value = leafTypeOf(field.type) ?? partOf(info, field.type, fieldNodes);
    if (!value) return undefined;
    fields.push({ name, member, value });
  }
  return { isList, isNullable: !isNonNullType(type), fields };
}

/** How PostgreSQL writes values of these types as JSON. */
const leafPatterns: Readonly<Record<string, string>> = {
  Float: "-?\\d{1,15}(?:\\.\\d{1,15})?",
  Int: "-?\\d{1,9}",
  Boolean: "true|false",
  String: '"(?:[^"\\\\]|\\\\.)*"',
};

function patternOf(part: Part): RegExp | undefined {
  const pattern = partPattern(part);
  return pattern === undefined ? undefined : new RegExp(`(?:${pattern})(?=\\})`, "y");
}

function partPattern({ isList, isNullable, fields }: Part): string | undefined {
  const members: string[] = [];
  for (const { name, member, value } of fields) {
    const leaf = "leaf" in value ? leafPatterns[value.leaf.name] : undefined;
    if (leaf === undefined || name !== member) return undefined;
    members.push(`"${name}": (?:${leaf}${(value as LeafType).isNullable ? "|null" : ""})`);
  }
  const object = `\\{${members.join(", ")}\\}`;
  const pattern = isList ? `\\[(?:${object}(?:, ${object})*)?\\]` : object;
  return isNullable ? `${pattern}|null` : pattern;
}

interface ReadAheadField {
  field: GraphQLField<unknown, unknown>;
  nodes: readonly FieldNode[];
  loader: RelationLoader<unknown, unknown>;
}

function plannedRelation(info: DocumentParts, name: string, { field, nodes, loader }: ReadAheadField): PlannedField | undefined {
  const type = getNamedType(field.type);
  if (!isObjectType(type) || entityTypeOf(type) !== loader.relation.entityType) return undefined;
  // A row that is missing is an error where the field cannot be null.
  if (loader.relation.isToOne && field.type instanceof GraphQLNonNull) return undefined;
  const node = nodes[0] as FieldNode;
  if (!isConnection(type)) {
    const plan = planOf(info, type, nodes);
    return plan && { kind: "relation", name, loader, field, node, plan };
  }
  const page = connectionFields(info, type, nodes);
  const plan = page?.nodes && planOf(info, page.nodeType, page.nodes);
  return plan && page && !page.hasTotalCount ? { kind: "relation", name, loader, field, node, plan, page: page.fields } : undefined;
}

/** What is selected of a connection, if that is its nodes, once, the name of its type and the number of items in the list. */
export function connectionFields(info: DocumentParts, type: GraphQLObjectType, parentNodes: readonly FieldNode[]) {
  const fields: { name: string; fieldName: string; typeName?: string }[] = [];
  let nodes: readonly FieldNode[] | undefined;
  let hasTotalCount = false;
  for (const [name, fieldNodes] of selectedFields(info, type, parentNodes)) {
    const fieldName = (fieldNodes[0] as FieldNode).name.value;
    if (fieldName === "nodes" && !nodes) nodes = fieldNodes;
    else if (fieldName === "totalCount") hasTotalCount = true;
    else if (fieldName !== "__typename") return undefined;
    fields.push({ name, fieldName, ...(fieldName === "__typename" && { typeName: type.name }) });
  }
  const nodeType = getNamedType((type.getFields().nodes as GraphQLField<unknown, unknown>).type) as GraphQLObjectType;
  return { fields, nodes, nodeType, hasTotalCount };
}

function dependsOnVariables({ fields }: AnswerPlan): boolean {
  return fields.some(
    (field) =>
      field.kind === "relation" && ((field.node.arguments ?? []).some(({ value }) => holdsVariable(value)) || dependsOnVariables(field.plan)),
  );
}

/** Gives plans the values of variables, and collects what fills the gaps. */
class PlanBinder {
  readonly #gaps: Gap[] = [];

  constructor(
    private readonly variables: Record<string, unknown>,
    private readonly isConstant: boolean,
  ) {}

  /** The selection of a plan for so many parents, at most; undefined if that would be too many rows. */
  bind({ columns, hasFreeJson, fields }: AnswerPlan, parents: number): AnswerSelection | undefined {
    const bound: AnswerField[] = [];
    const keys: string[] = [];
    for (const field of fields) {
      const relation = field.kind === "relation" ? this.#bindRelation(field, parents) : undefined;
      if (relation) {
        bound.push(relation.bound);
        keys.push(relation.key);
      } else if (field.kind === "relation") {
        return undefined;
      } else {
        bound.push("filledBy" in field ? { ...field, gap: this.#gaps.push(field.filledBy) - 1 } : field);
        keys.push(keyOf(field));
      }
    }
    return {
      columns,
      children: [],
      pageInfo: noPageInfo,
      key: `answer{${keys.join()}}`,
      answer: { fields: bound, gaps: this.#gaps, hasFreeJson, isConstant: this.isConstant },
    };
  }

  #bindRelation({ name, loader, field, node, plan, page }: PlannedRelation, parents: number): { bound: AnswerField; key: string } | undefined {
    const args = loader.relation.argsOf?.(getArgumentValues(field, node, this.variables));
    const rows = parents * expectedRows(loader.relation, args);
    const selection = rows > maxRowsAhead ? undefined : this.bind(plan, rows);
    if (!selection) return undefined;
    const pageKey = page?.map((each) => `${each.name}:${each.typeName ?? ""}`).join() ?? "";
    return {
      bound: { kind: "relation", name, loader, args, selection, ...(page && { page }) },
      key: `${name}:${field.name}(${argsKey(loader.relation, args)})<${pageKey}>${selection.key}`,
    };
  }
}

function keyOf(field: Exclude<PlannedField, PlannedRelation>): string {
  if (field.kind === "type name") return `${field.name}:${field.typeName}.__typename`;
  if (field.kind === "computed") return `${field.name}:${field.fieldName}()`;
  return field.kind === "column" ? `${field.name}:${field.column}` : `${field.name}:${field.column}${partKey(field.filledBy.part)}`;
}

const partKey = (part: PartGap["part"]): string => ("fields" in part ? partKeyOf(part) : "");

const partKeyOf = ({ fields }: Part): string => `{${fields.map(({ name, member, value }) => `${name}:${member}${partKey(value)}`).join()}}`;
