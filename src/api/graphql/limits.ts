import {
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getNullableType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from "graphql";
import { largeAnswer } from "../../engine/operation/operation-slots.js";
import type { RequestContext } from "../../engine/operation/request-context.js";
import {
  declaredCost,
  entityTypeOf,
  hasVariableCost,
  idsArgumentOf,
  isAsLongAsArgument,
  isConnection,
  isPartOfConnection,
} from "../../engine/reading/annotations.js";
import { defaultPageSize } from "../../engine/reading/connection.js";
import { holdsVariable } from "../../engine/reading/selection/plan.js";
import { badRequest, type ErrorDetail, maxDetails } from "../../platform/errors/errors.js";
import { AwaitedFile } from "../../platform/files/incoming-file.js";
import { satisfies } from "../../platform/input/rule-check.js";
import {
  type Fragments,
  isPossibleType,
  possibleTypes,
  selectionReducer,
} from "../../platform/selection-set.js";
import { countRefusal } from "../../platform/telemetry/refusals.js";
import { messageOf } from "../../platform/thrown.js";
import { argumentRulesOf } from "./argument-rules.js";
import { addValues, exceedsValues, tooManyValues } from "./value-limit.js";

export interface QueryLimits {
  /**
   * The maximum cost. An object costs 1, and a leaf nothing. The cost below a list counts 20 times, and below a
   * connection `first` or `last` times. Below a field with a list of ids or inputs, the cost counts once for each item.
   * Below a list that is part of its object, the cost counts once. A selection on an abstract type costs as much as for
   * its most expensive object type. Fields computed from many rows declare their own cost.
   */
  cost: number;
  /** The maximum of `first` and `last`. */
  pageSize: number;
}

const maxDepth = 12;
// GraphiQL's introspection query is 14 levels deep.
const maxIntrospectionDepth = 16;
// GraphiQL's introspection query has 9 lists. Each may show the schema as a whole.
const maxIntrospectedLists = 15;
const maxAliases = 30;
const maxDirectives = 50;
/** The parser stops after this many tokens. */
export const maxTokens = 5000;

/** The weight of a selection for the objects of one type. Fragments on other types do not count. */
interface Weight {
  cost: number;
  objects: number;
  depth: number;
  introspectionDepth: number;
  introspectedLists: number;
}

/** The counts of the text with all fragments written out, whatever their type. */
interface TextCounts {
  aliases: number;
  directives: number;
}

/** What of an inspection does not depend on variables: the weight, and the fields with arguments to check each time. */
interface CachedInspection {
  weight: Weight & TextCounts;
  variableFields: readonly VariableField[];
}

interface VariableField {
  field: GraphQLField<unknown, unknown>;
  node: FieldNode;
}

export interface OperationSize {
  /** The cost, see {@link QueryLimits}. */
  cost: number;
  /**
   * The estimated number of objects in the answer, or of objects that take as much work. Computed like the cost, but a
   * list that is part of its object counts as 20 items. A field that goes through many rows one by one counts like a
   * large answer.
   */
  objects: number;
  /** The number of lists by which the operation shows the schema. */
  introspectedLists: number;
}

/** The size of an operation, and all issues with their paths. */
interface InspectedOperation extends OperationSize {
  details: ErrorDetail[];
}

export class OperationInspector {
  readonly #schema: GraphQLSchema;
  readonly #operation: OperationDefinitionNode;
  readonly #fragments: Fragments;
  #cached: CachedInspection | undefined;

  constructor(schema: GraphQLSchema, operation: OperationDefinitionNode, fragments: Fragments) {
    this.#schema = schema;
    this.#operation = operation;
    this.#fragments = fragments;
  }

  /** Weighs the operation with its variables, and checks the arguments of all its fields. */
  inspect(variables: Record<string, unknown>, limits: QueryLimits): InspectedOperation {
    const { operation: type, selectionSet } = this.#operation;
    const root = this.#schema.getRootType(type);
    if (!root)
      return {
        cost: 0,
        objects: 0,
        introspectedLists: 0,
        details: [{ path: "query", message: `there are no ${type}s` }],
      };
    const isSubscription = type === OperationTypeNode.SUBSCRIPTION;
    const inspection = new Inspection(this.#schema, this.#fragments, variables, {
      ...limits,
      isSubscription,
    });
    const { details } = inspection;
    const cached = this.#cached;
    const weight = cached?.weight ?? {
      ...inspection.weigh(selectionSet, root),
      ...countInText(this.#fragments, this.#operation),
    };
    for (const { field, node } of cached?.variableFields ?? []) inspection.checkArguments(field, node);
    if (!cached && !inspection.costDependsOnVariables && details.length === 0)
      this.#cached = { weight, variableFields: inspection.variableFields };
    const limit = (name: LimitName, actual: number, max: number, what: string) => {
      if (actual > max) details.push(tooMuch(name, what, actual, max));
    };
    limit("query_depth", weight.depth, maxDepth, "is nested too deeply:");
    limit(
      "query_depth",
      weight.introspectionDepth,
      maxIntrospectionDepth,
      "introspects the schema too deeply:",
    );
    limit(
      "query_introspection",
      weight.introspectedLists,
      maxIntrospectedLists,
      "introspects too many lists:",
    );
    limit("query_aliases", weight.aliases, maxAliases, "has too many aliases:");
    limit("query_directives", weight.directives, maxDirectives, "has too many directives:");
    limit("query_cost", weight.cost, limits.cost, tooExpensive);
    const { cost, objects, introspectedLists } = weight;
    return { cost, objects, introspectedLists, details };
  }
}

const tooExpensive = "is too expensive (select fewer or shorter lists): cost";

type LimitName = "query_depth" | "query_introspection" | "query_aliases" | "query_directives" | "query_cost";

function tooMuch(limit: LimitName, what: string, actual: number, max: number): ErrorDetail {
  countRefusal(limit, "request");
  return { path: "query", message: `${what} ${actual}, at most ${max} allowed` };
}

/**
 * Weighs the selection below a list of computed rows again, because such a list may be much longer than assumed.
 * BAD_REQUEST if all these lists of the request together are too expensive.
 */
export function assertRowsAffordable(context: RequestContext, rows: number, info: GraphQLResolveInfo): void {
  const { maxQueryCost: cost, maxPageSize: pageSize } = context.services.settings;
  const { weigh } = new Inspection(info.schema, info.fragments, info.variableValues, { cost, pageSize });
  const type = getNamedType(info.returnType) as GraphQLObjectType;
  const below = info.fieldNodes
    .map(({ selectionSet }) => (selectionSet ? weigh(selectionSet, type).cost : 0))
    .reduce(sum, 0);
  const total = context.answerSize.addCost(rows * below);
  if (total > cost) throw badRequest([tooMuch("query_cost", tooExpensive, total, cost)]);
}

interface InspectionLimits extends QueryLimits {
  /** Whether the answer is computed anew for each event. */
  isSubscription?: boolean;
}

class Inspection {
  readonly details: ErrorDetail[] = [];
  readonly variableFields: VariableField[] = [];
  /** Whether the cost depends on a variable. */
  costDependsOnVariables = false;
  readonly weigh: (selectionSet: SelectionSetNode, type: GraphQLObjectType) => Weight;
  readonly #schema: GraphQLSchema;
  readonly #variables: Record<string, unknown>;
  readonly #limits: InspectionLimits;
  /** The values in the arguments of the fields so far. A variable's values count wherever the variable is used. */
  #valueCount = 0;

  constructor(
    schema: GraphQLSchema,
    fragments: Fragments,
    variables: Record<string, unknown>,
    limits: InspectionLimits,
  ) {
    this.#schema = schema;
    this.#variables = variables;
    this.#limits = limits;
    this.weigh = selectionReducer(
      fragments,
      weightless,
      (total, selection, inner = weightless(), type: GraphQLObjectType) =>
        combine(total, selection.kind === Kind.FIELD ? this.#weighField(selection, type) : inner, sum),
      (typeCondition, type) => isPossibleType(schema, typeCondition, type),
    );
  }

  #weighField(node: FieldNode, parent: GraphQLObjectType): Weight {
    const weight: Weight = { ...weightless(), depth: 1 };
    const field = metaFields.get(node.name.value) ?? parent.getFields()[node.name.value];
    if (!field) return weight;
    const introspects = metaFields.has(field.name) || parent.name.startsWith("__");
    const values = this.checkArguments(field, node);
    const cost = this.#declaredCost(field, values);
    if (this.#limits.isSubscription && cost !== undefined && cost >= costOfManyRows)
      this.details.push({
        path: field.name,
        message: "takes too long to compute for each event: select it in a query instead",
      });
    this.#noteVariables(field, node);
    const { selectionSet } = node;
    if (!selectionSet) {
      const shown = { ...weight, introspectedLists: listsShownBy(field) };
      return cost === undefined ? shown : { ...shown, cost, objects: objectsFor(cost) };
    }
    const types = possibleTypes(this.#schema, getNamedType(field.type));
    const below = types
      .map((type) => this.weigh(selectionSet, type))
      .reduce((dearest, each) => combine(dearest, each, Math.max), weightless());
    if (introspects)
      return {
        ...weight,
        introspectionDepth: 1 + below.introspectionDepth,
        introspectedLists: below.introspectedLists + (isListType(getNullableType(field.type)) ? 1 : 0),
      };
    const items = itemsOf(field, parent, values);
    const counted = isPartOfObject(field) ? { own: 1, below: 1 } : items;
    return {
      depth: 1 + below.depth,
      introspectionDepth: below.introspectionDepth,
      introspectedLists: below.introspectedLists,
      cost: (cost ?? counted.own) + counted.below * below.cost,
      objects: (cost === undefined ? items.own : objectsFor(cost)) + items.below * below.objects,
    };
  }

  /** The cost that a field declares; undefined unless its arguments, and those of earlier fields, are valid. */
  #declaredCost(field: GraphQLField<unknown, unknown>, values: Record<string, unknown>): number | undefined {
    return this.details.length === 0 ? declaredCost(field, values) : undefined;
  }

  #noteVariables(field: GraphQLField<unknown, unknown>, node: FieldNode): void {
    const variable = (node.arguments ?? []).filter(({ value }) => holdsVariable(value));
    if (variable.length > 0) this.variableFields.push({ field, node });
    const sizes = [...pageSizeArguments, idsArgumentOf(field)];
    if (variable.length > 0 && hasVariableCost(field)) this.costDependsOnVariables = true;
    if (variable.some(({ name }) => sizes.includes(name.value))) this.costDependsOnVariables = true;
  }

  checkArguments(field: GraphQLField<unknown, unknown>, node: FieldNode): Record<string, unknown> {
    const at = this.details.length;
    let values: Record<string, unknown>;
    try {
      values = getArgumentValues(field, node, this.#variables);
    } catch (error) {
      // The document is valid, so only a variable can be wrong: null for a non-null argument.
      const at = node.arguments?.find(
        ({ value }) => error instanceof GraphQLError && error.nodes?.includes(value),
      );
      this.details.push({ path: (at ?? node).name.value, message: messageOf(error) });
      return {};
    }
    if (!this.#countValues(values)) return values;
    for (const [name, value] of Object.entries(values))
      if (!hasValidTexts(value)) this.#checkText(value, name);
    for (const name of pageSizeArguments) {
      const size = values[name];
      if (typeof size === "number" && size > this.#limits.pageSize)
        this.details.push({ path: name, message: `must be at most ${this.#limits.pageSize}` });
    }
    if (this.details.length === at) this.#checkRules(field, values);
    return values;
  }

  #checkRules(field: GraphQLField<unknown, unknown>, values: Record<string, unknown>): void {
    const rules = argumentRulesOf(field);
    if (!rules || satisfies(rules, values)) return;
    for (const issue of rules.safeParse(values).error?.issues ?? []) {
      if (this.details.length >= maxDetails) break;
      this.details.push({ path: issue.path.join("."), message: issue.message });
    }
  }

  /** Counts the values of a field's arguments. False once there are too many of them, or enough issues were found. */
  #countValues(values: Record<string, unknown>): boolean {
    if (exceedsValues(this.#valueCount) || this.details.length >= maxDetails) return false;
    this.#valueCount = addValues(values, this.#valueCount);
    if (exceedsValues(this.#valueCount))
      this.details.push({ path: "query", message: `the arguments of all fields ${tooManyValues}` });
    return !exceedsValues(this.#valueCount);
  }

  /** Reports text that PostgreSQL cannot hold: NUL characters and lone surrogates. */
  #checkText(value: unknown, path: string): void {
    if (this.details.length >= maxDetails) return;
    if (typeof value === "string") {
      if (value.includes("\0")) this.details.push({ path, message: "must not contain a NUL character" });
      else if (!value.isWellFormed()) this.details.push({ path, message: "must be well-formed Unicode" });
    } else if (value instanceof AwaitedFile) {
      // A multipart request may put its file even into a JSON scalar.
      this.details.push({ path, message: "must not be a file" });
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) this.#checkText(item, `${path}.${index}`);
    } else if (value && typeof value === "object" && !(value instanceof Date)) {
      for (const [name, item] of Object.entries(value)) {
        this.#checkText(name, path);
        this.#checkText(item, `${path}.${name}`);
      }
    }
  }
}

/**
 * Whether {@link Inspection.#checkText} would find nothing. Takes a fraction of its time, because no paths are tracked.
 */
function hasValidTexts(value: unknown): boolean {
  if (typeof value === "string") return !value.includes("\0") && value.isWellFormed();
  if (typeof value !== "object" || value === null || value instanceof Date) return true;
  if (Array.isArray(value)) return value.every(hasValidTexts);
  if (value instanceof AwaitedFile) return false;
  // Avoid Object.keys, which would make a list for each object.
  for (const name in value) {
    if (!hasValidTexts(name) || !hasValidTexts((value as Record<string, unknown>)[name])) return false;
  }
  return true;
}

const weightless = (): Weight => ({
  cost: 0,
  objects: 0,
  depth: 0,
  introspectionDepth: 0,
  introspectedLists: 0,
});

/** A field that shows the schema as a text says to how many lists of introspection that comes. */
const listsShownBy = ({ extensions }: GraphQLField<unknown, unknown>): number =>
  typeof extensions.introspectedLists === "number" ? extensions.introspectedLists : 0;

/** From this declared cost on, a field goes through many rows one by one. */
const costOfManyRows = 5_000;

/** The number of objects that take as much work as a field of the given declared cost. */
const objectsFor = (cost: number) => (cost < costOfManyRows ? cost : Math.max(cost, largeAnswer));

const sum = (one: number, other: number) => one + other;

/**
 * Combines the weights of two selections. Costs add up for the same object. For alternatives, the greater cost counts.
 */
function combine(one: Weight, other: Weight, costs: (one: number, other: number) => number): Weight {
  return {
    cost: costs(one.cost, other.cost),
    objects: costs(one.objects, other.objects),
    depth: Math.max(one.depth, other.depth),
    introspectionDepth: Math.max(one.introspectionDepth, other.introspectionDepth),
    introspectedLists: costs(one.introspectedLists, other.introspectedLists),
  };
}

function countInText(
  fragments: Fragments,
  { selectionSet, directives = [] }: OperationDefinitionNode,
): TextCounts {
  const count = selectionReducer(
    fragments,
    (): TextCounts => ({ aliases: 0, directives: 0 }),
    (total, selection, inner): TextCounts => {
      const isField = selection.kind === Kind.FIELD;
      const below: TextCounts | undefined =
        isField && selection.selectionSet ? count(selection.selectionSet) : inner;
      return {
        aliases: total.aliases + Number(isField && selection.alias !== undefined) + (below?.aliases ?? 0),
        directives: total.directives + (selection.directives?.length ?? 0) + (below?.directives ?? 0),
      };
    },
  );
  const counted = count(selectionSet);
  return { ...counted, directives: counted.directives + directives.length };
}

const metaFields = new Map<string, GraphQLField<unknown, unknown>>(
  [SchemaMetaFieldDef, TypeMetaFieldDef, TypeNameMetaFieldDef].map((field) => [field.name, field]),
);

/**
 * Whether a field's result is part of its object, such as the points of an area: it has no rows and is not narrowed.
 */
function isPartOfObject({ type, args }: GraphQLField<unknown, unknown>): boolean {
  const named = getNamedType(type);
  return args.length === 0 && isObjectType(named) && !entityTypeOf(named) && !isPartOfConnection(named);
}

const pageSizeArguments = ["first", "last"];

/** The number of objects that a field counts as, and the factor for the cost of the selection below it. */
function itemsOf(
  field: GraphQLField<unknown, unknown>,
  parent: GraphQLObjectType,
  values: Record<string, unknown>,
): { own: number; below: number } {
  const { type } = field;
  if (isConnection(getNamedType(type))) {
    const sizes = pageSizeArguments.map((name) => values[name]).filter((size) => typeof size === "number");
    return { own: 1, below: sizes.length > 0 ? Math.max(1, ...sizes) : defaultPageSize };
  }
  const isList = isListType(isNonNullType(type) ? type.ofType : type);
  const ids = idsArgumentOf(field);
  if (ids !== undefined) {
    const given = values[ids];
    const length = Array.isArray(given) ? given.length : 0;
    return { own: isList ? length : 1, below: length };
  }
  // Do not multiply twice: lists inside a connection are as long as its page, and some payloads have lists as long as
  // an argument.
  const isLong = isList && !isConnection(parent) && !isAsLongAsArgument(field);
  return isLong ? { own: defaultPageSize, below: defaultPageSize } : { own: 1, below: 1 };
}
