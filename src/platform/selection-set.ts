import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from "graphql";

/** Fragments by name, as in `GraphQLResolveInfo`. */
export type Fragments = Readonly<Record<string, FragmentDefinitionNode>>;

/** The fragments of a document. */
export function fragmentsOf({ definitions }: DocumentNode): Fragments {
  // Use no prototype: clients choose fragment names.
  const fragments: Record<string, FragmentDefinitionNode> = Object.create(null);
  for (const definition of definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments[definition.name.value] = definition;
  return fragments;
}

/**
 * Adds a selection to a result. For a fragment, `inner` is the result of its selections.
 * The reducer itself descends into fields.
 */
type Reducer<Result, Context> = (
  result: Result,
  selection: SelectionNode,
  inner: Result | undefined,
  context: Context,
) => Result;

/** Whether fragments on a type are part of a selection. */
type AppliesTo<Context> = (typeCondition: string, context: Context) => boolean;

/**
 * Makes a function that reduces a selection set to one result, and enters the fragments that apply. Within a context,
 * it walks each selection set once and reuses the result: fragments that spread each other twice would otherwise take
 * exponential time. A reducer with side effects therefore sees each selection once per context.
 */
export function selectionReducer<Result, Context = void>(
  fragments: Fragments,
  initial: () => Result,
  reduce: Reducer<Result, Context>,
  appliesTo: AppliesTo<Context> = () => true,
) {
  const resultsByContext = new Map<Context, Map<SelectionSetNode, Result>>();
  const resultOf = (selection: SelectionNode, context: Context): Result | undefined => {
    if (selection.kind === Kind.FIELD) return undefined;
    const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments[selection.name.value];
    if (!fragment || (fragment.typeCondition && !appliesTo(fragment.typeCondition.name.value, context)))
      return undefined;
    return reduceSet(fragment.selectionSet, context);
  };
  const reduceSet = (selectionSet: SelectionSetNode, context: Context): Result => {
    let results = resultsByContext.get(context);
    if (!results) {
      results = new Map();
      resultsByContext.set(context, results);
    }
    if (!results.has(selectionSet)) {
      // Ends the walk through cyclic fragments, which only invalid documents have.
      results.set(selectionSet, initial());
      const { selections } = selectionSet;
      results.set(
        selectionSet,
        selections.reduce(
          (result, selection) => reduce(result, selection, resultOf(selection, context), context),
          initial(),
        ),
      );
    }
    return results.get(selectionSet) as Result;
  };
  return reduceSet;
}

/** Whether a fragment on a type applies to objects of another type: the same one, or a member of the abstract type. */
export function isPossibleType(
  schema: GraphQLSchema,
  typeCondition: string,
  type: GraphQLObjectType,
): boolean {
  if (typeCondition === type.name) return true;
  const condition = schema.getType(typeCondition);
  return isAbstractType(condition) && schema.isSubType(condition, type);
}

/** The types of the objects that a field of a type may return. */
export function possibleTypes(schema: GraphQLSchema, type: GraphQLNamedType): readonly GraphQLObjectType[] {
  if (isObjectType(type)) return [type];
  return isAbstractType(type) ? schema.getPossibleTypes(type) : [];
}

/** The parts of a document that finding selected fields needs. */
export type DocumentParts = Pick<GraphQLResolveInfo, "schema" | "fragments">;

/** All nodes of a field in the response, which has at least one. */
export type FieldNodes = [FieldNode, ...FieldNode[]];

export function objectTypeOf(type: GraphQLOutputType): GraphQLObjectType {
  const named = getNamedType(type);
  if (!isObjectType(named)) throw new Error(`${named.name} is no type of objects`);
  return named;
}

/** The fields selected on objects of a type below these nodes, by their name in the response, each with its nodes. */
export function selectedFields(
  { schema, fragments }: DocumentParts,
  type: GraphQLObjectType,
  nodes: readonly Pick<FieldNode, "selectionSet">[],
): Map<string, FieldNodes> {
  const fields = new Map<string, FieldNodes>();
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
