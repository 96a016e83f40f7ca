import {
  type FieldNode,
  type GraphQLField,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getNamedType,
  isEnumType,
  isLeafType,
  isNonNullType,
  isObjectType,
  Kind,
  type ValueNode,
} from "graphql";
import { defined } from "../../../platform/defined.js";
import { type FieldNodes, objectTypeOf, selectedFields } from "../../../platform/selection-set.js";
import {
  declaredColumns,
  entityTypeOf,
  isConnection,
  loadedBy,
  readAheadOf,
  returnsLoaded,
} from "../annotations.js";
import type { EntityType } from "../entity-type.js";
import type { Completion } from "./completion.js";
import { completePattern, completionOf } from "./completion-plan.js";
import {
  noPageInfo,
  type PartGap,
  type Relation,
  type RelationLoader,
  type SelectedPageInfo,
  type StoredValues,
} from "./selection.js";

/**
 * The columns, relations and values that a selection needs of the rows of an entity type, or of a page of them, before
 * variables have values. It is made once per document. binding.ts binds it to the values of variables.
 */
export interface Plan {
  columns: readonly string[];
  pageInfo: SelectedPageInfo;
  /** For rows: the fields of each row. */
  fields: readonly PlannedField[];
  /** For a page: its parts. */
  parts?: readonly PlannedPart[];
  /** Whether PostgreSQL can write all of it. */
  isWritable: boolean;
  /** Whether it contains free JSON, such as `metadata`. */
  hasFreeJson: boolean;
  /** The number of fields in it, at any depth. */
  size: number;
}

export type PlannedField = { name: string } & (
  | { kind: "type name"; typeName: string }
  /** A column that PostgreSQL writes. */
  | { kind: "column"; column: string; values: StoredValues }
  /** Members of a value that is stored as JSON, or numbers that JSON may not represent. */
  | { kind: "part"; column: string; part: PartGap; partKey: string }
  | PlannedRelation
  | ResolvedField
  /** A field that only graphql-js can complete. */
  | { kind: "left to graphql-js"; columns: readonly string[] }
);

/** A field that its resolver computes from columns of the row, or loads. */
export interface ResolvedField extends SelectedField {
  kind: "resolved";
  entityType: EntityType;
  columns: readonly string[];
  completion: Completion;
  completionKey: string;
  relation?: Relation<unknown> | undefined;
  /** The selection of the rows that the resolver loads. */
  plan?: Plan;
}

/** A field that loads a relation. The relation may be read together with the parent. */
export interface PlannedRelation extends SelectedField {
  kind: "relation";
  columns: readonly string[];
  loader: RelationLoader<unknown, unknown>;
  plan: Plan;
  /** Whether no directive can leave it out. */
  isUnconditional: boolean;
  /** Used instead if there may be too many rows to read ahead: then the resolver loads them. */
  otherwise?: ResolvedField | undefined;
}

/** The position of a field in a document. */
export interface SelectedField {
  name: string;
  field: GraphQLField<unknown, unknown>;
  parentType: GraphQLObjectType;
  nodes: FieldNodes;
}

export type PlannedPart = { name: string } & (
  | { kind: "type name"; typeName: string }
  | { kind: "nodes"; plan: Plan }
  | { kind: "edges"; parts: readonly PlannedEdgePart[] }
  | { kind: "page info"; parts: readonly PlannedPageInfoPart[] }
  | { kind: "total count" }
);

export type PlannedEdgePart = { name: string } & (
  | { kind: "type name"; typeName: string }
  | { kind: "cursor" }
  | { kind: "node"; plan: Plan }
);

export type PlannedPageInfoPart = { name: string } & (
  | { kind: "type name"; typeName: string }
  | { kind: "hasNextPage" | "hasPreviousPage" | "startCursor" | "endCursor" }
);

/** The parts of `info` that plans are made from. None belongs to a request, because plans are kept. */
export type PlanningParts = Pick<GraphQLResolveInfo, "schema" | "fragments" | "operation">;

/** PostgreSQL truncates longer names. */
const maxNameLength = 63;
/** A function of PostgreSQL takes at most a hundred arguments. Each member of an object takes two. */
const maxParts = 40;

/** Plans the selection of these nodes on the rows of an object type, or a page of them. Undefined without rows. */
export function planOf(
  parts: PlanningParts,
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
): Plan | undefined {
  const entityType = entityTypeOf(type);
  if (!entityType) return undefined;
  return isConnection(type) ? planOfPage(parts, type, nodes) : planOfRows(parts, { type, entityType }, nodes);
}

interface RowType {
  type: GraphQLObjectType;
  entityType: EntityType;
}

function planOfRows(parts: PlanningParts, rowType: RowType, nodes: readonly FieldNode[]): Plan {
  const fields = [...selectedFields(parts, rowType.type, nodes)].map(([name, fieldNodes]) =>
    plannedField(parts, rowType, name, fieldNodes),
  );
  const columns = new Set(rowType.entityType.keys);
  for (const field of fields) for (const column of columnsOf(field)) columns.add(column);
  return {
    columns: [...columns].sort(),
    pageInfo: noPageInfo,
    fields,
    isWritable: fields.every(isWritable),
    hasFreeJson: fields.some(hasFreeJson),
    size: fields.reduce((size, field) => size + 1 + ("plan" in field ? (field.plan?.size ?? 0) : 0), 0),
  };
}

function columnsOf(field: PlannedField): readonly string[] {
  if (field.kind === "type name") return [];
  return "column" in field ? [field.column] : field.columns;
}

function isWritable(field: PlannedField): boolean {
  if (field.kind === "left to graphql-js" || field.name.length > maxNameLength) return false;
  return !("plan" in field) || field.plan === undefined || field.plan.isWritable;
}

const hasFreeJson = (field: PlannedField): boolean =>
  (field.kind === "column" && field.values.startsWith("objects")) ||
  (field.kind === "relation" && field.plan.hasFreeJson);

function plannedField(
  parts: PlanningParts,
  { type, entityType }: RowType,
  name: string,
  nodes: FieldNodes,
): PlannedField {
  const fieldName = nodes[0].name.value;
  if (fieldName === "__typename") return { kind: "type name", name, typeName: type.name };
  const field = type.getFields()[fieldName];
  // Validation guarantees that the field exists.
  if (!field) return { kind: "left to graphql-js", name, columns: [] };
  const columns = declaredColumns(field) ?? [field.name];
  const selected: SelectedField = { name, field, parentType: type, nodes };
  // The resolver of a computed column serves only rows that a write returned.
  const planned =
    field.resolve && !(field.name in entityType.computedColumns)
      ? plannedByResolver(parts, entityType, selected)
      : plannedColumn(parts, entityType, selected);
  return planned ?? { kind: "left to graphql-js", name, columns };
}

function plannedByResolver(
  parts: PlanningParts,
  entityType: EntityType,
  selected: SelectedField,
): PlannedField | undefined {
  const { field, nodes } = selected;
  const loader = readAheadOf(field);
  const type = getNamedType(field.type);
  // Other resolvers need parsed rows, because they look at them.
  const plan =
    isObjectType(type) && (loader || returnsLoaded(field)) ? planOf(parts, type, nodes) : undefined;
  const completion = plan || !entityTypeOf(type) ? completionOf(parts, field.type, nodes) : undefined;
  const columns = declaredColumns(field) ?? [];
  const needed = [...new Set([...entityType.keys, ...columns])];
  const resolved: ResolvedField | undefined = completion && {
    kind: "resolved",
    ...selected,
    entityType,
    columns: needed,
    completion,
    completionKey: keyOf(completion),
    relation: loadedBy(field)?.relation,
    ...(plan && { plan }),
  };
  // If the field cannot be null, a missing row is an error.
  if (!loader || !plan || (loader.relation.isToOne && isNonNullType(field.type))) return resolved;
  const isUnconditional = nodes.every(({ directives }) => !directives?.length);
  return { kind: "relation", ...selected, columns, loader, plan, isUnconditional, otherwise: resolved };
}

function plannedColumn(
  parts: PlanningParts,
  { columns }: EntityType,
  { name, field, nodes }: SelectedField,
): PlannedField | undefined {
  const column = field.name;
  const kind = columns.get(column);
  if (kind === undefined || kind === "not JSON") return undefined;
  const completion = completionOf(parts, field.type, nodes);
  if (!completion || completion.kind === "written") return undefined;
  const type = getNamedType(field.type);
  // Floats may be infinite, NaN or -0.
  if (isLeafType(type) && type.name !== "Float") {
    const values = storedValues(completion, type, kind === "date");
    return values && { kind: "column", name, column, values };
  }
  return kind === "date"
    ? undefined
    : {
        kind: "part",
        name,
        column,
        part: { completion, pattern: completePattern(completion) },
        partKey: keyOf(completion),
      };
}

/** The check that the values of a column need; undefined if PostgreSQL cannot write them. */
function storedValues(
  { kind, isNullable }: Completion,
  type: GraphQLLeafType,
  isDate: boolean,
): StoredValues | undefined {
  if (kind === "list") return !isDate && isWrittenAsStored(type) ? "lists" : undefined;
  if (isDate) return type.name === "DateTimeISO" ? "dates" : undefined;
  if (type.name === "JSONObject") return isNullable ? "objects or null" : "objects";
  return isWrittenAsStored(type) ? "any" : undefined;
}

/** Scalars whose values PostgreSQL writes in the same form as GraphQL. */
const scalarsAsStored = new Set(["String", "Int", "Boolean", "UUID"]);

function isWrittenAsStored(type: GraphQLLeafType): boolean {
  return isEnumType(type)
    ? type.getValues().every(({ name, value }) => name === value)
    : scalarsAsStored.has(type.name);
}

/** Equal for completions that write a value of the same type in the same way. */
function keyOf(completion: Completion): string {
  if (completion.kind === "list") return keyOf(completion.items);
  if (completion.kind !== "object") return "";
  const members = completion.members.map((each) =>
    "typeName" in each
      ? `${each.name}:${each.typeName}.__typename`
      : `${each.name}:${each.member}${keyOf(each.value)}`,
  );
  return `{${members.join()}}`;
}

function planOfPage(parts: PlanningParts, type: GraphQLObjectType, nodes: readonly FieldNode[]): Plan {
  const pageInfo = { ...noPageInfo };
  const plans: Plan[] = [];
  const planOfNode = (field: GraphQLField<unknown, unknown>, nodes: readonly FieldNode[]): Plan => {
    const plan = defined(planOf(parts, objectTypeOf(field.type), nodes));
    plans.push(plan);
    return plan;
  };
  const planned: PlannedPart[] = [];
  let size = 0;
  for (const { name, field, fieldNodes } of fieldsOf(parts, type, nodes)) {
    size += 1;
    if (!field) planned.push({ kind: "type name", name, typeName: type.name });
    else if (field.name === "totalCount") planned.push({ kind: "total count", name });
    else if (field.name === "nodes")
      planned.push({ kind: "nodes", name, plan: planOfNode(field, fieldNodes) });
    else if (field.name === "edges")
      planned.push({ kind: "edges", name, parts: edgeParts(parts, field, fieldNodes, planOfNode) });
    else planned.push({ kind: "page info", name, parts: pageInfoParts(parts, field, fieldNodes, pageInfo) });
  }
  const lists = [planned, ...planned.map((part) => ("parts" in part ? part.parts : []))];
  return {
    columns: [
      ...new Set([...defined(entityTypeOf(type)).keys, ...plans.flatMap(({ columns }) => columns)]),
    ].sort(),
    pageInfo,
    fields: plans.flatMap(({ fields }) => fields),
    parts: planned,
    isWritable: plans.every(({ isWritable }) => isWritable) && lists.every((list) => list.length <= maxParts),
    hasFreeJson: plans.some(({ hasFreeJson }) => hasFreeJson),
    size: plans.reduce((sum, plan) => sum + plan.size, size),
  };
}

function edgeParts(
  parts: PlanningParts,
  field: GraphQLField<unknown, unknown>,
  nodes: readonly FieldNode[],
  planOfNode: (field: GraphQLField<unknown, unknown>, nodes: readonly FieldNode[]) => Plan,
): PlannedEdgePart[] {
  const type = objectTypeOf(field.type);
  return fieldsOf(parts, type, nodes).map(({ name, field, fieldNodes }) => {
    if (!field) return { kind: "type name", name, typeName: type.name };
    return field.name === "cursor"
      ? { kind: "cursor", name }
      : { kind: "node", name, plan: planOfNode(field, fieldNodes) };
  });
}

function pageInfoParts(
  parts: PlanningParts,
  field: GraphQLField<unknown, unknown>,
  nodes: readonly FieldNode[],
  pageInfo: SelectedPageInfo,
): PlannedPageInfoPart[] {
  const type = objectTypeOf(field.type);
  return fieldsOf(parts, type, nodes).map(({ name, field }) => {
    if (!field) return { kind: "type name", name, typeName: type.name };
    const kind = field.name as "hasNextPage" | "hasPreviousPage" | "startCursor" | "endCursor";
    if (kind === "hasNextPage" || kind === "hasPreviousPage") pageInfo[kind] = true;
    return { kind, name };
  });
}

/** The selected fields of a type. `__typename` has no field. */
function fieldsOf(parts: PlanningParts, type: GraphQLObjectType, nodes: readonly FieldNode[]) {
  return [...selectedFields(parts, type, nodes)].map(([name, fieldNodes]) => ({
    name,
    fieldNodes,
    field: type.getFields()[fieldNodes[0].name.value],
  }));
}

/** Whether the arguments of any field in the plan contain a variable. */
export function holdsVariables({ fields }: Plan): boolean {
  return fields.some((field) => {
    if (field.kind !== "relation" && field.kind !== "resolved") return false;
    const isGiven = (field.nodes[0]?.arguments ?? []).some(({ value }) => holdsVariable(value));
    return isGiven || (field.plan !== undefined && holdsVariables(field.plan));
  });
}

export function holdsVariable(value: ValueNode): boolean {
  if (value.kind === Kind.LIST) return value.values.some(holdsVariable);
  return value.kind === Kind.OBJECT
    ? value.fields.some((field) => holdsVariable(field.value))
    : value.kind === Kind.VARIABLE;
}
