import { type DocumentNode, type FragmentDefinitionNode, Kind, type SelectionNode, type SelectionSetNode } from "graphql";

/** Fragments by name, as in `GraphQLResolveInfo`. */
export type Fragments = Readonly<Record<string, FragmentDefinitionNode>>;

/** The fragments of a document. */
export function fragmentsOf({ definitions }: DocumentNode): Fragments {
  // Without a prototype: fragment names come from clients.
  const fragments: Record<string, FragmentDefinitionNode> = Object.create(null);
  for (const definition of definitions) if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments[definition.name.value] = definition;
  return fragments;
}

/** Adds a selection to a result. Of a fragment, `inner` is the result of its selections; fields are followed by the reducer itself. */
type Reducer<Result, Context> = (result: Result, selection: SelectionNode, inner: Result | undefined, context: Context) => Result;

/**
 * Makes a function that reduces a selection set to one result and walks into fragments on the way. Each named fragment is walked
 * through once, and its result is reused wherever else it is spread: fragments that spread each other twice would otherwise take
 * exponential time. A reducer with side effects therefore sees each selection once, and the context of a fragment must follow from
 * the fragment alone.
 */
export function selectionReducer<Result, Context = void>(fragments: Fragments, initial: () => Result, reduce: Reducer<Result, Context>) {
  const results = new Map<string, Result>();
  const resultOf = (selection: SelectionNode, context: Context): Result | undefined => {
    if (selection.kind === Kind.FIELD) return undefined;
    if (selection.kind === Kind.INLINE_FRAGMENT) return reduceSet(selection.selectionSet, context);
    const name = selection.name.value;
    const fragment = fragments[name];
    if (fragment && !results.has(name)) {
      // Ends the walk in documents with cyclic fragments, which are not valid.
      results.set(name, initial());
      results.set(name, reduceSet(fragment.selectionSet, context));
    }
    return results.get(name);
  };
  const reduceSet = ({ selections }: SelectionSetNode, context: Context): Result =>
    selections.reduce((result, selection) => reduce(result, selection, resultOf(selection, context), context), initial());
  return reduceSet;
}
