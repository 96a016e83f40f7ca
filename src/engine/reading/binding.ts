import { GraphQLInt, type GraphQLResolveInfo, GraphQLString, getArgumentValues } from "graphql";
import type { EntityType } from "./entity-type.js";
import type { Completion } from "./selection/completion.js";
import { fieldInfo } from "./selection/field-info.js";
import type {
  Plan,
  PlannedEdgePart,
  PlannedField,
  PlannedPageInfoPart,
  PlannedPart,
  PlannedRelation,
  PlanningParts,
  ResolvedField,
  SelectedField,
} from "./selection/plan.js";
import {
  type AnswerField,
  type AnswerInfo,
  type AnswerPart,
  type AnswerSelection,
  argsKey,
  type ChildSelection,
  type EdgePart,
  type Gap,
  type PageInfoPart,
  type PaginatedList,
  type Relation,
  type RowGap,
  type Selection,
} from "./selection/selection.js";
import { StatementTemplates } from "./statement-template.js";

type Variables = Readonly<Record<string, unknown>>;

/** A relation that may return more rows is not read ahead: all its rows would be one JSON text. */
const maxRowsAhead = 20_000;
/** The number of rows to expect of a list without a limit. */
const rowsOfUnlimitedList = 20;

/** The maximum number of rows to expect of a relation for one parent. */
function expectedRows({ isToOne, ranges }: Relation<unknown>, args: unknown): number {
  if (isToOne || !ranges) return isToOne ? 1 : rowsOfUnlimitedList;
  return ranges(args, { hasNextPage: true, hasPreviousPage: true }).reduce(
    (total, { rows }) => total + rows,
    0,
  );
}

const argumentsOf = ({ field, nodes }: SelectedField, variables: Variables) =>
  getArgumentValues(field, nodes[0], variables);

interface Loaded {
  relation: Relation<unknown>;
  args: unknown;
}

/** A relation whose rows are read together with n parents. */
interface LoadedAhead extends Loaded {
  /** The maximum number of rows to expect. */
  rows: number;
  key: string;
}

/** Binds the arguments of a relation. Undefined if there may be too many rows to read ahead. */
function bindAhead(field: PlannedRelation, variables: Variables, parents: number): LoadedAhead | undefined {
  const { relation } = field.loader;
  const args = relation.argsOf?.(argumentsOf(field, variables));
  const rows = parents * expectedRows(relation, args);
  if (rows > maxRowsAhead) return undefined;
  return { relation, args, rows, key: `${field.field.name}(${argsKey(relation, args)})` };
}

/** Binds the arguments in a plan of rows to the values of variables. */
export function bindRows({ columns, pageInfo, fields }: Plan, variables: Variables, parents = 1): Selection {
  const children: ChildSelection[] = [];
  const keys = new Set<string>();
  for (const field of fields) {
    if (field.kind !== "relation" || !field.isUnconditional) continue;
    const ahead = bindAhead(field, variables, parents);
    if (!ahead) continue;
    const selection = bindRows(field.plan, variables, ahead.rows);
    const key = `${ahead.key}{${selection.key}}`;
    if (!keys.has(key)) children.push({ loader: field.loader, args: ahead.args, selection });
    keys.add(key);
  }
  const marks = [...(pageInfo.hasNextPage ? ["+"] : []), ...(pageInfo.hasPreviousPage ? ["-"] : [])];
  return { columns, children, pageInfo, key: [...columns, ...marks, ...keys].join() };
}

/** A bound part of a plan. The key is equal for parts that are written in the same way. */
interface Bound<Value> {
  value: Value;
  key: string;
}

/** All bound parts with their key; undefined if any part could not be bound. */
function boundAll<Value>(bound: readonly (Bound<Value> | undefined)[]): Bound<Value[]> | undefined {
  const all = bound.filter((each) => each !== undefined);
  return all.length < bound.length
    ? undefined
    : { value: all.map(({ value }) => value), key: `{${all.map(({ key }) => key).join()}}` };
}

const total: Completion = { kind: "leaf", isNullable: false, type: GraphQLInt };
const cursor: Completion = { kind: "leaf", isNullable: false, type: GraphQLString };

/** Binds the arguments in the plan of an answer to the values of variables, and collects the answer's gaps. */
export class AnswerBinder {
  readonly #gaps: Gap[] = [];
  readonly #parts: PlanningParts;
  readonly #variables: Variables;
  readonly #isConstant: boolean;

  constructor(parts: PlanningParts, variables: Variables, isConstant: boolean) {
    this.#parts = parts;
    this.#variables = variables;
    this.#isConstant = isConstant;
  }

  /**
   * The selection of a plan for n parents; undefined if PostgreSQL cannot write it. A page needs the relation `loaded`.
   */
  bind(
    { isWritable, columns, pageInfo, hasFreeJson, fields, parts }: Plan,
    parents: number,
    loaded?: Loaded,
  ): AnswerSelection | undefined {
    if (!isWritable) return undefined;
    const page = parts && this.#bindPage(parts, parents, loaded);
    const rows = parts ? undefined : this.#bindFields(fields, parents);
    const written = page ? { parts: page.value } : rows && { fields: rows.value };
    if (!written) return undefined;
    const key = `answer${page?.key ?? rows?.key}`;
    return {
      columns,
      children: [],
      pageInfo,
      key,
      answer: {
        written,
        gaps: this.#gaps,
        hasFreeJson,
        templates: this.#isConstant ? new StatementTemplates() : undefined,
      },
    };
  }

  #bindFields(fields: readonly PlannedField[], parents: number): Bound<AnswerField[]> | undefined {
    return boundAll(fields.map((field) => this.#bindField(field, parents)));
  }

  #bindField(field: PlannedField, parents: number): Bound<AnswerField> | undefined {
    const { name } = field;
    switch (field.kind) {
      case "type name":
        return { value: field, key: `${name}:<${field.typeName}>` };
      case "column":
        return { value: field, key: `${name}:${field.column}` };
      case "part":
        return {
          value: { ...field, gap: this.#leave(field.part) },
          key: `${name}:${field.column}${field.partKey}`,
        };
      case "resolved":
        return this.#bindResolved(field);
      case "relation":
        return this.#bindRelation(field, parents);
      case "left to graphql-js":
        return undefined;
    }
  }

  #bindRelation(field: PlannedRelation, parents: number): Bound<AnswerField> | undefined {
    const { name, loader, plan, otherwise } = field;
    const ahead = bindAhead(field, this.#variables, parents);
    if (!ahead) return otherwise && this.#bindResolved(otherwise);
    const selection = this.bind(plan, ahead.rows, ahead);
    const key = `${name}:${ahead.key}${selection?.key}`;
    return selection && { value: { kind: "relation", name, loader, args: ahead.args, selection }, key };
  }

  /** A resolver loads its rows by another statement, whose answer has its own gaps. */
  #bindResolved(field: ResolvedField): Bound<AnswerField> | undefined {
    const { name, columns, entityType, completion, completionKey, plan, relation } = field;
    const values = argumentsOf(field, this.#variables);
    const loaded = relation && { relation, args: relation.argsOf?.(values) };
    const selection =
      plan && new AnswerBinder(this.#parts, this.#variables, this.#isConstant).bind(plan, 1, loaded);
    if (plan && !selection) return undefined;
    const info = {
      ...fieldInfo(this.#parts, field),
      rootValue: undefined,
      variableValues: this.#variables,
      ...(selection && { answerSelection: selection }),
    } satisfies GraphQLResolveInfo | AnswerInfo;
    const gap = rowGap(entityType, columns, completion, (row, context) =>
      field.field.resolve?.(row, values, context, info),
    );
    const key = `${name}:${field.field.name}(${JSON.stringify(values)})${selection?.key ?? completionKey}`;
    return { value: { kind: "resolved", name, columns, gap: this.#leave(gap) }, key };
  }

  #bindPage(
    planned: readonly PlannedPart[],
    parents: number,
    loaded: Loaded | undefined,
  ): Bound<AnswerPart[]> | undefined {
    const list = loaded?.relation.list;
    if (!list) throw new Error("A page can only be written of a list that is read page by page");
    const { relation, args } = loaded;
    const bindPart = (part: PlannedPart): Bound<AnswerPart> | undefined => {
      const { name, kind } = part;
      if (kind === "type name") return { value: part, key: `${name}:<${part.typeName}>` };
      if (kind === "total count") {
        const gap = rowGap({ columns: new Map() }, ["id"], total, ({ id }, context) =>
          list.count(context, id as string, args),
        );
        return {
          value: { kind, name, gap: this.#leave(gap) },
          key: `${name}:total(${argsKey(relation, args)})`,
        };
      }
      if (kind === "nodes") {
        const fields = this.#bindFields(part.plan.fields, parents);
        return fields && { value: { kind, name, fields: fields.value }, key: `${name}:nodes${fields.key}` };
      }
      if (kind === "edges") {
        const edge = boundAll(part.parts.map((each) => this.#bindEdgePart(each, parents, relation, list)));
        return edge && { value: { kind, name, parts: edge.value }, key: `${name}:edges${edge.key}` };
      }
      const info = boundAll(part.parts.map((each) => this.#bindPageInfoPart(each, relation, list)));
      return info && { value: { kind, name, parts: info.value }, key: `${name}:pageInfo${info.key}` };
    };
    return boundAll(planned.map(bindPart));
  }

  #bindEdgePart(
    part: PlannedEdgePart,
    parents: number,
    { entityType }: Relation<unknown>,
    list: PaginatedList<unknown>,
  ): Bound<EdgePart> | undefined {
    const { name, kind } = part;
    if (kind === "type name") return { value: part, key: `${name}:<${part.typeName}>` };
    if (kind === "cursor")
      return { value: { kind, name, gap: this.#leave(cursorGap(entityType, list)) }, key: `${name}:cursor` };
    const fields = this.#bindFields(part.plan.fields, parents);
    return fields && { value: { kind, name, fields: fields.value }, key: `${name}:node${fields.key}` };
  }

  #bindPageInfoPart(
    part: PlannedPageInfoPart,
    { entityType }: Relation<unknown>,
    list: PaginatedList<unknown>,
  ): Bound<PageInfoPart> {
    const { name, kind } = part;
    if (kind === "type name") return { value: part, key: `${name}:<${part.typeName}>` };
    const key = `${name}:${kind}`;
    if (kind === "hasNextPage" || kind === "hasPreviousPage") return { value: { kind, name }, key };
    return { value: { kind, name, gap: this.#leave(cursorGap(entityType, list)) }, key };
  }

  /** Leaves a gap, and returns its index. */
  #leave(gap: Gap): number {
    return this.#gaps.push(gap) - 1;
  }
}

function rowGap(
  { columns }: Pick<EntityType, "columns">,
  names: readonly string[],
  completion: Completion,
  resolve: RowGap["resolve"],
): RowGap {
  return {
    columns: names.map((name) => ({ name, isDate: columns.get(name) === "date" })),
    completion,
    resolve,
  };
}

const cursorGap = (entityType: EntityType, { orderColumn, encodeCursor }: PaginatedList<unknown>): RowGap =>
  rowGap(entityType, ["id", orderColumn], cursor, (row) => encodeCursor(row));
