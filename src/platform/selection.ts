import {
  type FieldNode,
  type FragmentSpreadNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  getArgumentValues,
  getNamedType,
  type InlineFragmentNode,
  isObjectType,
  Kind,
  type SelectionSetNode,
  type ValueNode,
} from "graphql";
import { Extensions } from "type-graphql";

/** A row of which only the columns that the operation needs were read. */
export type Selected<Row, Always extends keyof Row> = Pick<Row, Always> & { [Column in Exclude<keyof Row, Always>]?: Row[Column] | undefined };

/**
 * Says which columns of its parent a field is made of; every field with a resolver carries it, so that its parent's row
 * is read with these columns and no others. A plain field is the column of its own name.
 */
export function Reads(...columns: string[]) {
  return Extensions({ reads: columns });
}

/** What can be read ahead of a field: rows that hang on the field's parent. Whoever sees the parent must see them. */
export interface FollowedEdge<Request = never> {
  /** The columns that are read of its rows whatever was asked. */
  keys: readonly string[];
  /** What the field's arguments ask for. */
  requestOf: (values: Record<string, unknown>) => Request;
  /** How many rows a parent may have: an estimate where there is no limit. */
  expectedRows: (request: Request) => number;
}

/** Says that a field answers what an edge reads, so that it may be read together with its parent. */
export function Follows<Request>(edge: FollowedEdge<Request>) {
  return Extensions({ follows: edge });
}

/** What is read of rows for an operation: columns, and what hangs on the rows. */
export interface Selection {
  columns: readonly string[];
  children: readonly ChildSelection[];
  /** Whether it asks of a page of rows if more follow. */
  asksForMore: boolean;
  /** The same for selections that read the same. */
  key: string;
}

/** Rows that are read together with those that they hang on. */
export interface ChildSelection {
  edge: FollowedEdge;
  request: unknown;
  selection: Selection;
}

/** The selection of columns alone. */
export function columnsAlone(columns: readonly string[]): Selection {
  return { columns, children: [], asksForMore: false, key: [...columns].sort().join() };
}

/** What a field selects, apart from what variables decide. */
interface FieldPlan {
  columns: string[];
  children: { edge: FollowedEdge; field: GraphQLField<unknown, unknown>; node: FieldNode; plan: FieldPlan }[];
  asksForMore: boolean;
  /** The selection, where no variable decides anything. */
  fixed?: Selection;
}

const planOfField = new WeakMap<readonly FieldNode[], FieldPlan>();
const selectionsOfOperation = new WeakMap<object, Map<FieldPlan, Selection>>();

/**
 * What the selected fields of `info`'s type read, besides the columns of `keys`. Looks into connections too. Fields that
 * @include or @skip may leave out are read with the others, as variables must not change the columns; what hangs on such
 * fields is not read ahead.
 */
export function selectionOf(info: GraphQLResolveInfo, keys: readonly string[]): Selection {
  const plan = planOf(info, keys);
  if (plan.fixed) return plan.fixed;
  const selections = selectionsOfOperation.get(info.variableValues) ?? new Map<FieldPlan, Selection>();
  selectionsOfOperation.set(info.variableValues, selections);
  const selection = selections.get(plan) ?? bind(plan, info.variableValues);
  selections.set(plan, selection);
  return selection;
}

/** The columns that the selected fields of `info`'s type read, sorted, besides those of `keys`. */
export function selectedColumns(info: GraphQLResolveInfo, keys: readonly string[]): string[] {
  return planOf(info, keys).columns;
}

function planOf(info: GraphQLResolveInfo, keys: readonly string[]): FieldPlan {
  // Executors hand the same array to all siblings, and compiled operations to every run.
  let plan = planOfField.get(info.fieldNodes);
  if (!plan) {
    plan = planBelow(info, getNamedType(info.returnType), info.fieldNodes, keys);
    if (isFixed(plan)) plan.fixed = bind(plan, {});
    planOfField.set(info.fieldNodes, plan);
  }
  return plan;
}

function isFixed({ children }: FieldPlan): boolean {
  return children.every(({ node, plan }) => !(node.arguments ?? []).some(({ value }) => holdsVariable(value)) && isFixed(plan));
}

/** Whether the value of an argument is a variable, or has one in it. */
export function holdsVariable(value: ValueNode): boolean {
  if (value.kind === Kind.LIST) return value.values.some(holdsVariable);
  return value.kind === Kind.OBJECT ? value.fields.some((field) => holdsVariable(field.value)) : value.kind === Kind.VARIABLE;
}

/** More rows than so many are not read in one statement: it would be one text. */
const mostRowsAhead = 20_000;

function bind(plan: FieldPlan, variables: Record<string, unknown>, expected = 1): Selection {
  const children: ChildSelection[] = [];
  const keys = new Set<string>();
  for (const { edge, field, node, plan: below } of plan.children) {
    const request: unknown = edge.requestOf(getArgumentValues(field, node, variables));
    const rows = expected * edge.expectedRows(request as never);
    if (rows > mostRowsAhead) continue;
    const selection = bind(below, variables, rows);
    const key = `${field.name}(${JSON.stringify(request)}){${selection.key}}`;
    if (!keys.has(key)) children.push({ edge, request, selection });
    keys.add(key);
  }
  const { columns, asksForMore } = plan;
  return { columns, children, asksForMore, key: [...columns, ...(asksForMore ? ["+"] : []), ...keys].join() };
}

type Documented = Pick<GraphQLResolveInfo, "fragments">;

/** The fields that are selected below fields of a type, each with its nodes, under its name in the answer. */
export function selectedFields({ fragments }: Documented, type: GraphQLObjectType, nodes: readonly FieldNode[]): Map<string, FieldNode[]> {
  const fields = new Map<string, FieldNode[]>();
  const spread = new Set<string>();
  const fragmentOf = (selection: InlineFragmentNode | FragmentSpreadNode) => {
    if (selection.kind === Kind.INLINE_FRAGMENT) return selection;
    if (spread.has(selection.name.value)) return undefined;
    spread.add(selection.name.value);
    return fragments[selection.name.value];
  };
  const collect = ({ selections }: SelectionSetNode) => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const key = selection.alias?.value ?? selection.name.value;
        fields.set(key, [...(fields.get(key) ?? []), selection]);
      } else {
        const fragment = fragmentOf(selection);
        // All our composite types are objects: a fragment of another type says nothing here.
        if (fragment && (fragment.typeCondition?.name.value ?? type.name) === type.name) collect(fragment.selectionSet);
      }
    }
  };
  for (const { selectionSet } of nodes) if (selectionSet) collect(selectionSet);
  return fields;
}

/** Whether a type is a page of a list, or an edge of one: what is selected there is read of the items. */
export const isPageType = (type: GraphQLObjectType) => type.name.endsWith("Connection") || type.name.endsWith("Edge");

function planBelow(info: Documented, type: GraphQLOutputType, nodes: readonly FieldNode[], keys: readonly string[]): FieldPlan {
  const found: FoundFields = { columns: new Set(keys), children: [], asksForMore: false };
  if (isObjectType(type)) collect(info, type, nodes, found);
  return { ...found, columns: [...found.columns].sort() };
}

type FoundFields = Omit<FieldPlan, "columns" | "fixed"> & { columns: Set<string> };

function collect(info: Documented, type: GraphQLObjectType, nodes: readonly FieldNode[], found: FoundFields): void {
  for (const below of selectedFields(info, type, nodes).values()) {
    const node = below[0] as FieldNode;
    const field = type.getFields()[node.name.value];
    if (!field) continue;
    if (isPageType(type)) collectOfPage(info, field, below, found);
    else collectField(info, field, below, found);
  }
}

function collectOfPage(info: Documented, field: GraphQLField<unknown, unknown>, nodes: FieldNode[], found: FoundFields): void {
  const type = getNamedType(field.type);
  if (!isObjectType(type)) return;
  if (field.name === "pageInfo") found.asksForMore ||= asksForMore(info, type, nodes);
  else collect(info, type, nodes, found);
}

function collectField(info: Documented, field: GraphQLField<unknown, unknown>, nodes: FieldNode[], found: FoundFields): void {
  for (const column of (field.extensions.reads as string[] | undefined) ?? [field.name]) found.columns.add(column);
  const edge = field.extensions.follows as FollowedEdge | undefined;
  const isCertain = nodes.every(({ directives }) => !directives?.length);
  if (!edge || !isCertain) return;
  const plan = planBelow(info, getNamedType(field.type), nodes, edge.keys);
  found.children.push({ edge, field, node: nodes[0] as FieldNode, plan });
}

function asksForMore(info: Documented, pageInfo: GraphQLObjectType, nodes: readonly FieldNode[]): boolean {
  return [...selectedFields(info, pageInfo, nodes).values()].some(([node]) => node?.name.value === "hasNextPage");
}

/** The Prisma `select` of these columns. */
export function selectOf(columns: readonly string[]): Record<string, true> {
  return Object.fromEntries(columns.map((column) => [column, true as const]));
}
