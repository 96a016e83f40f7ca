import { BREAK, type DocumentNode, type FieldNode, type GraphQLObjectType, type GraphQLSchema, getNamedType, Kind, visit } from "graphql";
import { fragmentsOf, isPossibleType, possibleTypes, selectionReducer } from "../platform/selection-set.js";

/**
 * The compiler expands a fragment each time it is spread: a short document can take exponential time. This many selections take
 * some 30 ms.
 */
const maxSelections = 500;

/**
 * The number of selections of a document that may be compiled; undefined for others. Text from clients must never become program
 * text: documents with string literals or with introspection names other than __typename are not compiled. Nor are those with
 * directives or default values of variables, where the compiler deviates from the specification, or with names that all objects
 * inherit, since it looks names up in some that do.
 */
export function compilableSelections(schema: GraphQLSchema, document: DocumentNode): number | undefined {
  let isPlain = true;
  const refuse = () => {
    isPlain = false;
    return BREAK;
  };
  visit(document, {
    [Kind.STRING]: refuse,
    [Kind.DIRECTIVE]: refuse,
    [Kind.VARIABLE_DEFINITION]: ({ defaultValue }) => (defaultValue ? refuse() : undefined),
    [Kind.NAME]: ({ value }) => ((value.startsWith("__") && value !== "__typename") || isInherited(value) ? refuse() : undefined),
  });
  const selections = isPlain ? selectionsOf(schema, document) : Number.POSITIVE_INFINITY;
  return selections <= maxSelections ? selections : undefined;
}

const isInherited = (name: string) => Object.hasOwn(Object.prototype, name);

/** The number of selections after all fragments have been expanded, below an abstract type for each type of its objects. */
function selectionsOf(schema: GraphQLSchema, document: DocumentNode): number {
  const count = selectionReducer(
    fragmentsOf(document),
    () => 0,
    (sum, selection, inner = 0, type: GraphQLObjectType): number => sum + 1 + (selection.kind === Kind.FIELD ? countBelow(selection, type) : inner),
    (typeCondition, type) => isPossibleType(schema, typeCondition, type),
  );
  const countBelow = ({ name, selectionSet }: FieldNode, parent: GraphQLObjectType): number => {
    const field = parent.getFields()[name.value];
    if (!field || !selectionSet) return 0;
    const type = getNamedType(field.type);
    return possibleTypes(schema, type).reduce((sum, each) => sum + Number(each !== type) + count(selectionSet, each), 0);
  };
  return document.definitions.reduce((sum, each) => {
    const root = each.kind === Kind.OPERATION_DEFINITION && schema.getRootType(each.operation);
    return root ? sum + count(each.selectionSet, root) : sum;
  }, 0);
}
