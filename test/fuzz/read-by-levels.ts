import {
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  type VariableDefinitionNode,
  visit,
} from "graphql";
import type { Answer, Asked } from "./compared-answer.js";

const alwaysDirective: ConstDirectiveNode = {
  ...(parse("{ a @include(if: $always) }").definitions[0] as OperationDefinitionNode).selectionSet
    .selections[0]?.directives?.[0],
} as ConstDirectiveNode;
const alwaysDefinition = (parse("query ($always: Boolean!) { a }").definitions[0] as OperationDefinitionNode)
  .variableDefinitions?.[0] as VariableDefinitionNode;

/**
 * The same document with a condition that always holds on every field with a selection.
 * The gateway does not read ahead rows that might be left out, and PostgreSQL does not
 * write fields with directives.
 */
export function byLevels({ query, variables, ...others }: Asked): Asked {
  const document = visit(parse(query), {
    OperationDefinition: {
      enter: (node) => {
        const [first, ...rest] = node.selectionSet.selections;
        const always = first?.kind === Kind.FIELD && !first.selectionSet ? withCondition(first) : first;
        return {
          ...node,
          variableDefinitions: [...(node.variableDefinitions ?? []), alwaysDefinition],
          selectionSet: { ...node.selectionSet, selections: [always, ...rest] },
        };
      },
    },
    Field: { leave: (node) => (node.selectionSet ? withCondition(node) : undefined) },
  }) as DocumentNode;
  return { query: print(document), variables: { ...variables, always: true }, ...others };
}

const withCondition = (node: FieldNode): FieldNode => ({
  ...node,
  directives: [...(node.directives ?? []), alwaysDirective],
});

/** Whether only graphql-js ran a document, as at least one of its root fields shows. */
export function wasReadByLevels({ executions, statements, parsed }: Answer): boolean {
  // A refused document, or one that selects only `__typename`, calls no resolver.
  const hasRun =
    executions.length > 0 ||
    parsed?.data == null ||
    Object.values(parsed.data).every((value) => typeof value === "string");
  return hasRun && executions.every((each) => each === "graphql-js") && !statements.some(isWrittenAnswer);
}

/** Whether a statement returns columns under the names of a response, instead of rows. */
const isWrittenAnswer = (statement: string) =>
  statement.includes("level1") && !/level1\$?"?\.\*/.test(statement);
