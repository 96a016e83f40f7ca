import {
  type DocumentNode,
  type FieldNode,
  type GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from "graphql";
import { Upload } from "graphql-upload-minimal";
import { type ErrorDetail, maxDetails } from "../platform/errors.js";
import { fragmentsOf, selectionReducer } from "../platform/selection-set.js";
import { entityTypeOf, isConnection, isPartOfConnection } from "../reading/annotations.js";
import { defaultPageSize } from "../reading/connection.js";
import { holdsVariable } from "../reading/selection.js";
import { argumentRulesOf } from "./argument-rules.js";
import { countValues, maxValues, tooManyValues } from "./value-count.js";

/** Limits of one operation. */
export interface QueryLimits {
  /**
   * An object costs 1 and a leaf nothing; the cost below a list counts 20 times, below a connection `first` or `last` times, and below
   * a list that is part of its object once.
   */
  cost: number;
  /** The largest `first` or `last`. */
  pageSize: number;
}

const maxDepth = 12;
// The introspection query of GraphiQL is 14 levels deep.
const maxIntrospectionDepth = 16;
const maxAliases = 30;
const maxDirectives = 50;
/** The parser stops after this many tokens. */
export const maxTokens = 5000;

interface Weight {
  cost: number;
  objects: number;
  depth: number;
  introspectionDepth: number;
  aliases: number;
  directives: number;
}

/** The part of an inspection that does not depend on variables: the weight, and the fields whose arguments have to be checked each time. */
interface CachedInspection {
  weight: Weight;
  variableFields: readonly VariableField[];
}

interface VariableField {
  field: GraphQLField<unknown, unknown>;
  node: FieldNode;
}

const inspections = new WeakMap<OperationDefinitionNode, CachedInspection>();

/** What an operation asks for. */
export interface OperationSize {
  /** What it costs, see {@link QueryLimits}. */
  cost: number;
  /** About how many objects the answer may have: like the cost, with 20 items in a list that is part of its object. */
  objects: number;
}

/** The size of an operation, and every issue with its path. */
interface InspectedOperation extends OperationSize {
  details: ErrorDetail[];
}

/** Weighs an operation with its variables and checks the arguments of all its fields. */
export function inspectOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
  limits: QueryLimits,
): InspectedOperation {
  const root = schema.getRootType(operation.operation);
  if (!root) return { cost: 0, objects: 0, details: [{ path: "query", message: `there are no ${operation.operation}s` }] };
  const inspection = new Inspection(document, variables, limits);
  const { details } = inspection;
  const cached = inspections.get(operation);
  const weight = cached?.weight ?? inspection.weigh(operation.selectionSet, root);
  for (const { field, node } of cached?.variableFields ?? []) inspection.checkArguments(field, node);
  if (!cached && !inspection.costDependsOnVariables && details.length === 0)
    inspections.set(operation, { weight, variableFields: inspection.variableFields });
  const limit = (actual: number, max: number, what: string) => {
    if (actual > max) details.push({ path: "query", message: `${what} ${actual}, at most ${max} allowed` });
  };
  limit(weight.depth, maxDepth, "is nested too deep:");
  limit(weight.introspectionDepth, maxIntrospectionDepth, "introspects the schema too deep:");
  limit(weight.aliases, maxAliases, "has too many aliases:");
  limit(weight.directives + (operation.directives?.length ?? 0), maxDirectives, "has too many directives:");
  limit(weight.cost, limits.cost, "is too expensive (select fewer or shorter lists): cost");
  return { cost: weight.cost, objects: weight.objects, details };
}

class Inspection {
  readonly details: ErrorDetail[] = [];
  readonly variableFields: VariableField[] = [];
  /** Whether the cost depends on a variable. */
  costDependsOnVariables = false;
  /** The weight of a selection set of a type. */
  readonly weigh: (selectionSet: SelectionSetNode, type: GraphQLObjectType) => Weight;
  readonly #variables: Record<string, unknown>;
  readonly #limits: QueryLimits;
  /** The values in the arguments of the fields so far: those of a variable count wherever it is used. */
  #valueCount = 0;

  constructor(document: DocumentNode, variables: Record<string, unknown>, limits: QueryLimits) {
    this.#variables = variables;
    this.#limits = limits;
    this.weigh = selectionReducer(fragmentsOf(document), weightless, (total, selection, inner = weightless(), type: GraphQLObjectType) => {
      total.directives += selection.directives?.length ?? 0;
      add(total, selection.kind === Kind.FIELD ? this.#weighField(selection, type) : inner);
      return total;
    });
  }

  #weighField(node: FieldNode, parent: GraphQLObjectType): Weight {
    const weight: Weight = { ...weightless(), depth: 1, aliases: node.alias ? 1 : 0 };
    const field = metaFields.get(node.name.value) ?? parent.getFields()[node.name.value];
    if (!field) return weight;
    const introspects = metaFields.has(field.name) || parent.name.startsWith("__");
    const values = this.checkArguments(field, node);
    this.#noteVariables(field, node);
    const type = getNamedType(field.type);
    const below = node.selectionSet && isObjectType(type) ? this.weigh(node.selectionSet, type) : undefined;
    if (below) {
      add(weight, { ...below, cost: 0, objects: 0, depth: 0, introspectionDepth: 0 });
      if (introspects) weight.introspectionDepth = 1 + below.introspectionDepth;
      else {
        const items = itemsOf(field.type, parent, values);
        const counted = isPartOfObject(field) ? { own: 1, below: 1 } : items;
        weight.depth = 1 + below.depth;
        weight.cost = counted.own + counted.below * below.cost;
        weight.objects = items.own + items.below * below.objects;
      }
    }
    return weight;
  }

  #noteVariables(field: GraphQLField<unknown, unknown>, node: FieldNode): void {
    const variable = (node.arguments ?? []).filter(({ value }) => holdsVariable(value));
    if (variable.length > 0) this.variableFields.push({ field, node });
    if (variable.some(({ name }) => pageSizeArguments.includes(name.value))) this.costDependsOnVariables = true;
  }

  /** Checks a field's arguments and returns their values. */
  checkArguments(field: GraphQLField<unknown, unknown>, node: FieldNode): Record<string, unknown> {
    const at = this.details.length;
    let values: Record<string, unknown>;
    try {
      values = getArgumentValues(field, node, this.#variables);
    } catch (error) {
      // The document is valid, so only a variable can be wrong: null for a non-null argument.
      const at = node.arguments?.find(({ value }) => (error as GraphQLError).nodes?.includes(value));
      this.details.push({ path: (at ?? node).name.value, message: (error as Error).message });
      return {};
    }
    if (!this.#countValues(values)) return values;
    for (const [name, value] of Object.entries(values)) if (!hasValidTexts(value)) this.#checkText(value, name);
    for (const name of pageSizeArguments) {
      const size = values[name];
      if (typeof size === "number" && size > this.#limits.pageSize)
        this.details.push({ path: name, message: `must be at most ${this.#limits.pageSize}` });
    }
    const outcome = this.details.length === at ? argumentRulesOf(field)?.safeParse(values) : undefined;
    for (const issue of outcome?.error?.issues ?? []) {
      if (this.details.length >= maxDetails) break;
      this.details.push({ path: issue.path.join("."), message: issue.message });
    }
    return values;
  }

  /** Counts the values of a field's arguments; false once there are too many in the operation, or enough has been found wrong. */
  #countValues(values: Record<string, unknown>): boolean {
    if (this.#valueCount > maxValues || this.details.length >= maxDetails) return false;
    this.#valueCount = countValues(values, this.#valueCount);
    if (this.#valueCount > maxValues) this.details.push({ path: "query", message: `the arguments of all fields ${tooManyValues}` });
    return this.#valueCount <= maxValues;
  }

  /** Text in PostgreSQL can hold neither NUL nor a lone surrogate. */
  #checkText(value: unknown, path: string): void {
    if (this.details.length >= maxDetails) return;
    if (typeof value === "string") {
      if (value.includes("\0")) this.details.push({ path, message: "must not contain a NUL character" });
      else if (!value.isWellFormed()) this.details.push({ path, message: "must be well-formed Unicode" });
    } else if (value instanceof Upload) {
      // A multipart request may put its file anywhere in the variables, even into a JSON scalar.
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

/** Whether {@link Inspection.#checkText} would find nothing; without tracking paths, this takes a fraction of the time. */
function hasValidTexts(value: unknown): boolean {
  if (typeof value === "string") return !value.includes("\0") && value.isWellFormed();
  if (typeof value !== "object" || value === null || value instanceof Date) return true;
  if (Array.isArray(value)) return value.every(hasValidTexts);
  if (value instanceof Upload) return false;
  for (const name of Object.keys(value)) {
    if (!hasValidTexts(name) || !hasValidTexts((value as Record<string, unknown>)[name])) return false;
  }
  return true;
}

const weightless = (): Weight => ({ cost: 0, objects: 0, depth: 0, introspectionDepth: 0, aliases: 0, directives: 0 });

function add(total: Weight, weight: Weight): void {
  total.cost += weight.cost;
  total.objects += weight.objects;
  total.depth = Math.max(total.depth, weight.depth);
  total.introspectionDepth = Math.max(total.introspectionDepth, weight.introspectionDepth);
  total.aliases += weight.aliases;
  total.directives += weight.directives;
}

const metaFields = new Map<string, GraphQLField<unknown, unknown>>(
  [SchemaMetaFieldDef, TypeMetaFieldDef, TypeNameMetaFieldDef].map((field) => [field.name, field]),
);

/** Whether what a field returns is part of its object, such as the points of an area: then it has no rows of its own, and cannot be narrowed. */
function isPartOfObject({ type, args }: GraphQLField<unknown, unknown>): boolean {
  const named = getNamedType(type);
  return args.length === 0 && !entityTypeOf(named) && !(isObjectType(named) && isPartOfConnection(named));
}

/** The arguments that say how long the page of a connection is. */
const pageSizeArguments = ["first", "last"];

/** The number of objects that a field is counted as, and the factor for the cost of what is selected below them. */
function itemsOf(type: GraphQLOutputType, parent: GraphQLObjectType, values: Record<string, unknown>): { own: number; below: number } {
  if (isConnection(getNamedType(type))) {
    const sizes = pageSizeArguments.map((name) => values[name]).filter((size) => typeof size === "number");
    return { own: 1, below: sizes.length > 0 ? Math.max(1, ...sizes) : defaultPageSize };
  }
  // The lists inside a connection are as long as its page, which has been multiplied already.
  const isLong = isListType(isNonNullType(type) ? type.ofType : type) && !isConnection(parent);
  return isLong ? { own: defaultPageSize, below: defaultPageSize } : { own: 1, below: 1 };
}
