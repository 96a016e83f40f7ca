import { BREAK, type DocumentNode, Kind, type SelectionSetNode, visit } from "graphql";

/** A compiler walks through a fragment as often as it is spread, so that a short document can be endless work. */
const mostSelections = 2_000;

/**
 * Whether a document may be compiled. What clients write must never become a part of a program: the compiler is given no
 * texts, which come as variables where they matter, and no names but ordinary ones. Directives and default values it takes
 * otherwise than the specification says.
 */
export function isCompilable(document: DocumentNode): boolean {
  let isPlain = true;
  const refuse = () => {
    isPlain = false;
    return BREAK;
  };
  visit(document, {
    [Kind.STRING]: refuse,
    [Kind.DIRECTIVE]: refuse,
    [Kind.VARIABLE_DEFINITION]: ({ defaultValue }) => (defaultValue ? refuse() : undefined),
    [Kind.NAME]: ({ value }) => (value.startsWith("__") && value !== "__typename" ? refuse() : undefined),
  });
  return isPlain && selectionsOf(document) <= mostSelections;
}

/** How many selections there are when every fragment is written out. */
function selectionsOf({ definitions }: DocumentNode): number {
  const fragments = new Map(definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION).map((each) => [each.name.value, each.selectionSet]));
  const known = new Map<string, number>();
  const ofFragment = (name: string): number => {
    const selectionSet = fragments.get(name);
    const count = known.get(name) ?? (selectionSet ? below(selectionSet) : 0);
    known.set(name, count);
    return count;
  };
  const below = ({ selections }: SelectionSetNode): number =>
    selections.reduce(
      (sum, selection) =>
        sum +
        1 +
        (selection.kind === Kind.FRAGMENT_SPREAD ? ofFragment(selection.name.value) : selection.selectionSet ? below(selection.selectionSet) : 0),
      0,
    );
  return definitions.reduce((sum, each) => sum + (each.kind === Kind.OPERATION_DEFINITION ? below(each.selectionSet) : 0), 0);
}
