import { BREAK, type DocumentNode, Kind, visit } from "graphql";
import { fragmentsOf, selectionReducer } from "../platform/selection-set.js";

/**
 * The compiler expands a fragment each time it is spread: a short document can take exponential time. This many selections take
 * some 30 ms.
 */
const maxSelections = 500;

/**
 * The number of selections of a document that may be compiled; undefined for others. Text from clients must never become program
 * text: documents with string literals or with introspection names other than __typename are not compiled. Nor are those with
 * directives or default values of variables, where the compiler deviates from the specification.
 */
export function compilableSelections(document: DocumentNode): number | undefined {
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
  const selections = isPlain ? selectionsOf(document) : Number.POSITIVE_INFINITY;
  return selections <= maxSelections ? selections : undefined;
}

/** The number of selections after all fragments have been expanded. */
function selectionsOf(document: DocumentNode): number {
  const count = selectionReducer(
    fragmentsOf(document),
    () => 0,
    (sum, selection, inner = 0): number =>
      sum + 1 + (selection.kind === Kind.FIELD ? (selection.selectionSet ? count(selection.selectionSet) : 0) : inner),
  );
  return document.definitions.reduce((sum, each) => sum + (each.kind === Kind.OPERATION_DEFINITION ? count(each.selectionSet) : 0), 0);
}
