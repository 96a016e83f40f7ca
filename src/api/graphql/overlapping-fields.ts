import {
  type ASTVisitor,
  type FieldNode,
  GraphQLError,
  type GraphQLNamedType,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  OverlappingFieldsCanBeMergedRule,
  print,
  type SelectionSetNode,
  type ValidationContext,
} from "graphql";

/** The maximum number of selected fields at all paths of the result together, with all fragments expanded. */
const maxFields = 20_000;
/** The rule looks no deeper: the depth limit or, if fragments form a cycle, another rule refuses such documents. */
const maxDepth = 200;
/** The maximum number of compared pairs in a document where fields of one name differ. */
const maxPairs = 10_000;

/**
 * Bounds graphql-js's rule that fields of the same name at one path of the result must be the same. That rule compares
 * all of them with each other, which takes up to a tenth of a second. Most documents are valid without the comparison,
 * because each field equals the first of its name. In other documents, the number of compared pairs is limited.
 */
export function boundedOverlappingFieldsRule(context: ValidationContext): ASTVisitor {
  const merging = new Merging(context);
  for (const definition of context.getDocument().definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    merging.merge([
      {
        selectionSet: definition.selectionSet,
        type: context.getSchema().getRootType(definition.operation) ?? undefined,
      },
    ]);
  }
  if (merging.fields > maxFields)
    context.reportError(new GraphQLError("The document is too complex: it spreads fragments too often"));
  else if (merging.areEqual) return {};
  else if (merging.pairs <= maxPairs) return OverlappingFieldsCanBeMergedRule(context);
  else
    context.reportError(
      new GraphQLError("The document is too complex: it selects different fields of the same name too often"),
    );
  return {};
}

interface TypedSelections {
  selectionSet: SelectionSetNode;
  type: GraphQLNamedType | undefined;
}

interface TypedField {
  node: FieldNode;
  parent: GraphQLNamedType | undefined;
}

class Merging {
  fields = 0;
  pairs = 0;
  /** Whether each field has the type, name and arguments of the first of its name at the same path. */
  areEqual = true;
  readonly #context: ValidationContext;
  readonly #texts = new Map<FieldNode, number>();
  readonly #numbers = new Map<string, number>();

  constructor(context: ValidationContext) {
    this.#context = context;
  }

  /** Goes through the fields of one path of the result, then through all paths below. */
  merge(selections: readonly TypedSelections[], depth = 0): void {
    if (depth > maxDepth) return;
    const fieldsByName = new Map<string, TypedField[]>();
    const spread = new Set<string>();
    for (const each of selections) this.#collect(each, fieldsByName, spread);
    for (const fields of fieldsByName.values()) {
      if (this.fields > maxFields) return;
      this.#compare(fields);
      const below = fields.flatMap(({ node: { selectionSet, name }, parent }) =>
        selectionSet ? [{ selectionSet, type: this.#typeOf(parent, name.value) }] : [],
      );
      if (below.length > 0) this.merge(below, depth + 1);
    }
  }

  #collect(
    { selectionSet, type }: TypedSelections,
    fields: Map<string, TypedField[]>,
    spread: Set<string>,
  ): void {
    for (const selection of selectionSet.selections) {
      this.fields += 1;
      if (selection.kind === Kind.FIELD) {
        const name = (selection.alias ?? selection.name).value;
        const known = fields.get(name);
        if (known) known.push({ node: selection, parent: type });
        else fields.set(name, [{ node: selection, parent: type }]);
        continue;
      }
      const isSpread = selection.kind === Kind.FRAGMENT_SPREAD;
      if (isSpread && spread.has(selection.name.value)) continue;
      if (isSpread) spread.add(selection.name.value);
      const fragment = isSpread ? this.#context.getFragment(selection.name.value) : selection;
      const condition = fragment?.typeCondition?.name.value;
      const inner = condition === undefined ? type : this.#context.getSchema().getType(condition);
      if (fragment) this.#collect({ selectionSet: fragment.selectionSet, type: inner }, fields, spread);
    }
  }

  #compare(fields: readonly TypedField[]): void {
    const [first] = fields as [TypedField];
    this.pairs += (fields.length * (fields.length - 1)) / 2;
    this.areEqual &&= fields.every(
      (field) =>
        field === first ||
        (field.parent === first.parent && this.#numberOf(field.node) === this.#numberOf(first.node)),
    );
  }

  /** The same number for fields with the same name and arguments. Each field is printed once. */
  #numberOf(node: FieldNode): number {
    const known = this.#texts.get(node);
    if (known !== undefined) return known;
    const text = [node.name.value, ...(node.arguments ?? []).map(print)].join();
    const number = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, number);
    this.#texts.set(node, number);
    return number;
  }

  #typeOf(parent: GraphQLNamedType | undefined, fieldName: string): GraphQLNamedType | undefined {
    const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[fieldName] : undefined;
    return getNamedType(field?.type);
  }
}
