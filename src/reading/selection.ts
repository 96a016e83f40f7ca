import {
  type FieldNode,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLNamedOutputType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  isObjectType,
  Kind,
  type ValueNode,
} from "graphql";
import { createParameterDecorator } from "type-graphql";
import { isPossibleType, selectionReducer } from "../platform/selection-set.js";
import { declaredColumns, entityTypeOf, isPartOfConnection, readAheadOf } from "./annotations.js";
import type { Answer, AnswerSelection } from "./answer.js";
import { argsKey, type Relation, type RelationLoader } from "./relation.js";

/** What is read of the rows of an entity type: columns, and the rows of relations that are read ahead. */
export interface Selection {
  columns: readonly string[];
  children: readonly ChildSelection[];
  pageInfo: SelectedPageInfo;
  /** The same for selections that read the same. */
  key: string;
  /** What PostgreSQL writes of the rows, if that is the answer instead of rows; see answer.ts. */
  answer?: Answer;
}

/** Which fields of `pageInfo` are selected that take more rows than those of the page. */
export interface SelectedPageInfo {
  hasNextPage: boolean;
  hasPreviousPage: boolean;
}

/** A relation that is read together with its parents, and what is read of its rows. */
export interface ChildSelection {
  loader: RelationLoader<unknown, unknown>;
  args: unknown;
  selection: Selection;
}

export const noPageInfo: SelectedPageInfo = { hasNextPage: false, hasPreviousPage: false };

/** The selection of columns alone. */
export function columnsOnly(columns: readonly string[]): Selection {
  return { columns, children: [], pageInfo: noPageInfo, key: [...columns].sort().join() };
}

/** What a field selects, as far as variables do not decide it. */
interface FieldPlan {
  columns: string[];
  children: { loader: RelationLoader<unknown, unknown>; field: GraphQLField<unknown, unknown>; node: FieldNode; plan: FieldPlan }[];
  pageInfo: SelectedPageInfo;
  /** The selection, where variables decide nothing. */
  constant?: Selection;
}

const plansByNodes = new WeakMap<FieldNode | readonly FieldNode[], Map<GraphQLNamedOutputType, FieldPlan>>();
const selectionsByVariables = new WeakMap<object, Map<FieldPlan, Selection>>();

/**
 * What the selected fields of `info`'s type need of its rows; of a connection, the fields of its nodes; of an abstract type, those of
 * one of its object types. Fields that @include or @skip may leave out are read with the others, as variables must not change the
 * columns; relations of such fields are not read ahead.
 */
export function selectionOf(info: GraphQLResolveInfo, type: GraphQLNamedOutputType = getNamedType(info.returnType)): Selection {
  if (isAnswerInfo(info)) return info.answerSelection;
  const plan = planOf(info, type);
  if (plan.constant) return plan.constant;
  const selections = selectionsByVariables.get(info.variableValues) ?? new Map<FieldPlan, Selection>();
  selectionsByVariables.set(info.variableValues, selections);
  const selection = selections.get(plan) ?? bind(plan, info.variableValues);
  selections.set(plan, selection);
  return selection;
}

const nodesByName = new WeakMap<readonly FieldNode[], Map<string, FieldNode[]>>();

/**
 * What is selected of the objects in a field of the objects that a resolver returns, whatever the field is called in the response;
 * undefined if it is not selected.
 */
export function selectionBelow(info: GraphQLResolveInfo, fieldName: string): Selection | undefined {
  const type = getNamedType(info.returnType) as GraphQLObjectType;
  let nodes = nodesByName.get(info.fieldNodes);
  if (!nodes) {
    nodes = new Map();
    for (const node of [...selectedFields(info, type, info.fieldNodes).values()].flat()) {
      nodes.set(node.name.value, [...(nodes.get(node.name.value) ?? []), node]);
    }
    nodesByName.set(info.fieldNodes, nodes);
  }
  const [field, fieldNodes] = [type.getFields()[fieldName], nodes.get(fieldName)];
  if (!field || !fieldNodes || fieldNodes.every((node) => isLeftOut(node, info.variableValues))) return undefined;
  return selectionOf({ ...info, fieldNodes }, getNamedType(field.type));
}

function isLeftOut(node: FieldNode, variables: GraphQLResolveInfo["variableValues"]): boolean {
  if (!node.directives?.length) return false;
  const isSkipped = getDirectiveValues(GraphQLSkipDirective, node, variables)?.if === true;
  return isSkipped || getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if === false;
}

/** What a resolver is told about its field if PostgreSQL writes the answer: no less than by an executor. */
export interface AnswerInfo extends GraphQLResolveInfo {
  readonly answerSelection: AnswerSelection;
}

/** Whether PostgreSQL writes the answer of a field. */
export const isAnswerInfo = (info: GraphQLResolveInfo): info is AnswerInfo => "answerSelection" in info;

/** What the result of a resolver is selected for, as a parameter; see {@link selectionOf}. */
export function Selected(): ParameterDecorator {
  return createParameterDecorator(({ info }) => selectionOf(info)) as ParameterDecorator;
}

function planOf(info: GraphQLResolveInfo, type: GraphQLNamedOutputType): FieldPlan {
  // Every run has the same nodes. Of several, executors pass the same array to all siblings, and compiled operations to every run.
  const [first] = info.fieldNodes as [FieldNode];
  const key = info.fieldNodes.length === 1 ? first : info.fieldNodes;
  let plans = plansByNodes.get(key);
  if (!plans) {
    plans = new Map();
    plansByNodes.set(key, plans);
  }
  let plan = plans.get(type);
  if (!plan) {
    const entityType = entityTypeOf(type);
    if (!entityType) throw new Error(`${type.name} is not @BackedBy an entity type`);
    plan = planFor(info, type, info.fieldNodes, entityType.keys);
    if (isConstant(plan)) plan.constant = bind(plan, {});
    plans.set(type, plan);
  }
  return plan;
}

function isConstant({ children }: FieldPlan): boolean {
  return children.every(({ node, plan }) => !(node.arguments ?? []).some(({ value }) => holdsVariable(value)) && isConstant(plan));
}

/** Whether the value of an argument is a variable, or contains one. */
export function holdsVariable(value: ValueNode): boolean {
  if (value.kind === Kind.LIST) return value.values.some(holdsVariable);
  return value.kind === Kind.OBJECT ? value.fields.some((field) => holdsVariable(field.value)) : value.kind === Kind.VARIABLE;
}

/** No relation is read ahead of which more rows than this may come: they would all be one JSON text. */
export const maxRowsAhead = 20_000;
/** How many rows are expected of a list without a limit. */
const rowsOfUnlimitedList = 20;

/** How many rows are expected of a relation for one parent, at most. */
export function expectedRows({ isToOne, ranges }: Relation<unknown>, args: unknown): number {
  if (isToOne || !ranges) return isToOne ? 1 : rowsOfUnlimitedList;
  return ranges(args, { hasNextPage: true, hasPreviousPage: true }).reduce((total, { rows }) => total + rows, 0);
}

/** Gives the arguments in a plan their values. */
function bind(plan: FieldPlan, variables: Record<string, unknown>, parents = 1): Selection {
  const children: ChildSelection[] = [];
  const keys = new Set<string>();
  for (const { loader, field, node, plan: childPlan } of plan.children) {
    const args = loader.relation.argsOf?.(getArgumentValues(field, node, variables));
    const rows = parents * expectedRows(loader.relation, args);
    if (rows > maxRowsAhead) continue;
    const selection = bind(childPlan, variables, rows);
    const key = `${field.name}(${argsKey(loader.relation, args)}){${selection.key}}`;
    if (!keys.has(key)) children.push({ loader, args, selection });
    keys.add(key);
  }
  const { columns, pageInfo } = plan;
  const marks = [...(pageInfo.hasNextPage ? ["+"] : []), ...(pageInfo.hasPreviousPage ? ["-"] : [])];
  return { columns, children, pageInfo, key: [...columns, ...marks, ...keys].join() };
}

/** What is needed to find the fields that are selected. */
export type DocumentParts = Pick<GraphQLResolveInfo, "schema" | "fragments">;

/** The fields that are selected of objects of a type below these nodes, each with its nodes, under its name in the response. */
export function selectedFields({ schema, fragments }: DocumentParts, type: GraphQLObjectType, nodes: readonly FieldNode[]): Map<string, FieldNode[]> {
  const fields = new Map<string, FieldNode[]>();
  const collect = selectionReducer(
    fragments,
    noResult,
    (_result, selection) => {
      if (selection.kind !== Kind.FIELD) return;
      const key = selection.alias?.value ?? selection.name.value;
      const known = fields.get(key);
      if (known) known.push(selection);
      else fields.set(key, [selection]);
    },
    (typeCondition) => isPossibleType(schema, typeCondition, type),
  );
  for (const { selectionSet } of nodes) if (selectionSet) collect(selectionSet);
  return fields;
}

const noResult = () => {};

type Fields = Omit<FieldPlan, "columns" | "constant"> & { columns: Set<string> };

function planFor(info: DocumentParts, type: GraphQLNamedOutputType, nodes: readonly FieldNode[], keys: readonly string[]): FieldPlan {
  const fields: Fields = { columns: new Set(keys), children: [], pageInfo: { hasNextPage: false, hasPreviousPage: false } };
  if (isObjectType(type)) collectFields(info, type, nodes, fields);
  return { ...fields, columns: [...fields.columns].sort() };
}

function collectFields(info: DocumentParts, type: GraphQLObjectType, parentNodes: readonly FieldNode[], fields: Fields): void {
  for (const nodes of selectedFields(info, type, parentNodes).values()) {
    const field = type.getFields()[(nodes[0] as FieldNode).name.value];
    if (!field) continue;
    if (isPartOfConnection(type)) collectConnectionField(info, field, nodes, fields);
    else collectField(info, field, nodes, fields);
  }
}

function collectConnectionField(info: DocumentParts, field: GraphQLField<unknown, unknown>, nodes: FieldNode[], fields: Fields): void {
  const type = getNamedType(field.type);
  if (!isObjectType(type)) return;
  if (field.name === "pageInfo") collectPageInfo(info, type, nodes, fields.pageInfo);
  else collectFields(info, type, nodes, fields);
}

function collectField(info: DocumentParts, field: GraphQLField<unknown, unknown>, nodes: FieldNode[], fields: Fields): void {
  for (const column of declaredColumns(field) ?? [field.name]) fields.columns.add(column);
  const loader = readAheadOf(field);
  const isUnconditional = nodes.every(({ directives }) => !directives?.length);
  if (!loader || !isUnconditional) return;
  const plan = planFor(info, getNamedType(field.type), nodes, loader.relation.entityType.keys);
  fields.children.push({ loader, field, node: nodes[0] as FieldNode, plan });
}

function collectPageInfo(info: DocumentParts, type: GraphQLObjectType, nodes: readonly FieldNode[], pageInfo: SelectedPageInfo): void {
  for (const [node] of selectedFields(info, type, nodes).values()) {
    const name = node?.name.value;
    if (name === "hasNextPage" || name === "hasPreviousPage") pageInfo[name] = true;
  }
}
