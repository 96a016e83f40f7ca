import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
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
import type { z } from "zod";
import { defaultPage } from "../platform/connection.js";
import { type ErrorDetail, mostDetails } from "../platform/errors.js";
import { holdsVariable } from "../platform/selection.js";

/** What one operation may ask for. */
export interface QueryLimits {
  /** An object costs 1 and a leaf nothing; a list counts 20 times its items, a connection `first` times. */
  cost: number;
  /** The largest `first`. */
  pageSize: number;
}

const deepest = 12;
// The introspection query of GraphiQL is 14 levels deep.
const deepestIntrospection = 16;
const mostAliases = 30;
const mostDirectives = 50;
/** The parser stops behind so many tokens. */
export const mostTokens = 5000;

interface Weight {
  cost: number;
  depth: number;
  introspectionDepth: number;
  aliases: number;
  directives: number;
}

/** What holds of an operation whatever its variables are: its weight, and which fields' arguments are to be checked each time. */
interface KnownOperation {
  weight: Weight;
  variableFields: readonly VariableField[];
}

interface VariableField {
  field: GraphQLField<unknown, unknown>;
  node: FieldNode;
}

const inspected = new WeakMap<OperationDefinitionNode, KnownOperation>();

/** Weighs an operation with its variables and checks the arguments of all its fields; answers every fault with its path. */
export function inspectOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
  limits: QueryLimits,
): ErrorDetail[] {
  const root = schema.getRootType(operation.operation);
  if (!root) return [{ path: "query", message: `there are no ${operation.operation}s` }];
  const inspection = new Inspection(document, variables, limits);
  const { details } = inspection;
  const known = inspected.get(operation);
  const weight = known?.weight ?? inspection.weigh(operation.selectionSet, root);
  for (const { field, node } of known?.variableFields ?? []) inspection.checkArguments(field, node);
  if (!known && !inspection.weighsByVariables && details.length === 0)
    inspected.set(operation, { weight, variableFields: inspection.variableFields });
  const limit = (found: number, most: number, what: string) => {
    if (found > most) details.push({ path: "query", message: `${what} ${found}, at most ${most} allowed` });
  };
  limit(weight.depth, deepest, "is nested too deep:");
  limit(weight.introspectionDepth, deepestIntrospection, "asks too deep into the schema:");
  limit(weight.aliases, mostAliases, "has too many aliases:");
  limit(weight.directives + (operation.directives?.length ?? 0), mostDirectives, "has too many directives:");
  limit(weight.cost, limits.cost, "asks for too much at once (ask for fewer or shorter lists): cost");
  return details;
}

class Inspection {
  readonly details: ErrorDetail[] = [];
  readonly variableFields: VariableField[] = [];
  /** Whether a variable says how long a list is. */
  weighsByVariables = false;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  // A fragment weighs the same wherever it is spread: without this, fragments of fragments would take exponential time.
  readonly #weights = new Map<string, Weight>();
  readonly #variables: Record<string, unknown>;
  readonly #limits: QueryLimits;

  constructor(document: DocumentNode, variables: Record<string, unknown>, limits: QueryLimits) {
    this.#variables = variables;
    this.#limits = limits;
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(definition.name.value, definition);
    }
  }

  weigh(selectionSet: SelectionSetNode, type: GraphQLObjectType): Weight {
    const total: Weight = { cost: 0, depth: 0, introspectionDepth: 0, aliases: 0, directives: 0 };
    for (const selection of selectionSet.selections) {
      total.directives += selection.directives?.length ?? 0;
      if (selection.kind === Kind.FIELD) add(total, this.#weighField(selection, type));
      else if (selection.kind === Kind.INLINE_FRAGMENT) add(total, this.weigh(selection.selectionSet, type));
      else add(total, this.#weighFragment(selection.name.value, type));
    }
    return total;
  }

  #weighFragment(name: string, type: GraphQLObjectType): Weight {
    const known = this.#weights.get(name);
    if (known) return known;
    const fragment = this.#fragments.get(name);
    const weight = fragment ? this.weigh(fragment.selectionSet, type) : this.weigh({ kind: Kind.SELECTION_SET, selections: [] }, type);
    this.#weights.set(name, weight);
    return weight;
  }

  #weighField(node: FieldNode, parent: GraphQLObjectType): Weight {
    const weight: Weight = { cost: 0, depth: 1, introspectionDepth: 0, aliases: node.alias ? 1 : 0, directives: 0 };
    const field = metaFields.get(node.name.value) ?? parent.getFields()[node.name.value];
    if (!field) return weight;
    const introspects = metaFields.has(field.name) || parent.name.startsWith("__");
    const values = this.checkArguments(field, node);
    this.#noteVariables(field, node);
    const type = getNamedType(field.type);
    const below = node.selectionSet && isObjectType(type) ? this.weigh(node.selectionSet, type) : undefined;
    if (below) {
      const items = itemsOf(field.type, parent, values);
      add(weight, { ...below, cost: 0, depth: 0, introspectionDepth: 0 });
      if (introspects) weight.introspectionDepth = 1 + below.introspectionDepth;
      else Object.assign(weight, { depth: 1 + below.depth, cost: items.own + items.below * below.cost });
    }
    return weight;
  }

  #noteVariables(field: GraphQLField<unknown, unknown>, node: FieldNode): void {
    const variable = (node.arguments ?? []).filter(({ value }) => holdsVariable(value));
    if (variable.length > 0) this.variableFields.push({ field, node });
    if (variable.some(({ name }) => name.value === "first")) this.weighsByVariables = true;
  }

  /** Checks a field's arguments and answers their values. */
  checkArguments(field: GraphQLField<unknown, unknown>, node: FieldNode): Record<string, unknown> {
    const at = this.details.length;
    let values: Record<string, unknown>;
    try {
      values = getArgumentValues(field, node, this.#variables);
    } catch (error) {
      // Only a variable can still be wrong here: null where the schema takes none.
      const at = node.arguments?.find(({ value }) => (error as GraphQLError).nodes?.includes(value));
      this.details.push({ path: (at ?? node).name.value, message: (error as Error).message });
      return {};
    }
    for (const [name, value] of Object.entries(values)) if (!holdsGoodTexts(value)) this.#checkText(value, name);
    if (typeof values.first === "number" && values.first > this.#limits.pageSize) {
      this.details.push({ path: "first", message: `must be at most ${this.#limits.pageSize}` });
    }
    const rules = field.extensions.argumentRules as z.ZodType | undefined;
    const outcome = this.details.length === at ? rules?.safeParse(values) : undefined;
    for (const issue of outcome?.error?.issues ?? []) this.details.push({ path: issue.path.join("."), message: issue.message });
    return values;
  }

  /** PostgreSQL's texts hold neither NUL nor half a surrogate pair. */
  #checkText(value: unknown, path: string): void {
    if (this.details.length >= mostDetails) return;
    if (typeof value === "string") {
      if (value.includes("\0")) this.details.push({ path, message: "must not hold a NUL character" });
      else if (!value.isWellFormed()) this.details.push({ path, message: "must be well-formed Unicode" });
    } else if (value instanceof Upload) {
      // A multipart request may put its file anywhere in the variables, also into JSON.
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

/** Whether the check of texts would find nothing: without the paths, this takes a fraction of the time. */
function holdsGoodTexts(value: unknown): boolean {
  if (typeof value === "string") return !value.includes("\0") && value.isWellFormed();
  if (typeof value !== "object" || value === null || value instanceof Date) return true;
  if (Array.isArray(value)) return value.every(holdsGoodTexts);
  if (value instanceof Upload) return false;
  for (const name of Object.keys(value)) {
    if (!holdsGoodTexts(name) || !holdsGoodTexts((value as Record<string, unknown>)[name])) return false;
  }
  return true;
}

function add(total: Weight, weight: Weight): void {
  total.cost += weight.cost;
  total.depth = Math.max(total.depth, weight.depth);
  total.introspectionDepth = Math.max(total.introspectionDepth, weight.introspectionDepth);
  total.aliases += weight.aliases;
  total.directives += weight.directives;
}

const metaFields = new Map<string, GraphQLField<unknown, unknown>>(
  [SchemaMetaFieldDef, TypeMetaFieldDef, TypeNameMetaFieldDef].map((field) => [field.name, field]),
);

const isConnection = (type: { name: string }) => type.name.endsWith("Connection");

/** How many objects a field stands for, and how often what is selected below them is counted. */
function itemsOf(type: GraphQLOutputType, parent: GraphQLObjectType, values: Record<string, unknown>): { own: number; below: number } {
  if (isConnection(getNamedType(type))) return { own: 1, below: typeof values.first === "number" ? Math.max(values.first, 1) : defaultPage };
  // The lists inside a connection are as long as its `first`, which was counted above them.
  const isLong = isListType(isNonNullType(type) ? type.ofType : type) && !isConnection(parent);
  return isLong ? { own: defaultPage, below: defaultPage } : { own: 1, below: 1 };
}
