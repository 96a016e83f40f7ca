import {
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  GraphQLInt,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  isNonNullType,
  isObjectType,
  type OperationDefinitionNode,
  OperationTypeNode,
} from "graphql";
import { fragmentsOf } from "../platform/selection-set.js";
import { isConnection, returnsLoaded } from "../reading/annotations.js";
import { type AnswerBinder, type AnswerSelection, connectionFields, planAnswer } from "../reading/answer.js";
import { IncompleteAnswerError } from "../reading/answer-text.js";
import type { Connection } from "../reading/connection.js";
import { AnswerInfo, type DocumentParts, selectedFields } from "../reading/selection.js";
import { type AnonymousRequest, RequestContext } from "../request/request-context.js";

/** Runs an operation, with the coerced values of its variables, whose root fields are answers that PostgreSQL writes; undefined if it has to be executed instead. */
export type AnswerOperation = (context: AnonymousRequest, variables: Readonly<Record<string, unknown>>) => Promise<ExecutionResult | undefined>;

/** A root field that is an answer. */
interface AnsweredField {
  name: string;
  node: FieldNode;
  field: GraphQLField<unknown, unknown>;
  bind: AnswerBinder;
  /** Of a connection, its selected fields in their order. */
  page?: readonly { name: string; fieldName: string; typeName?: string }[];
}

/** A root field with its arguments. */
interface BoundField extends AnsweredField {
  selection: AnswerSelection;
}

/**
 * Looks whether PostgreSQL can write the answers of all root fields of a query, and returns what runs it then. Only for documents
 * without directives. Whatever an executor has to say of single values, such as that one is null which must not be, is left to it.
 */
export function answeredOperation(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): AnswerOperation | undefined {
  if (operation.operation !== OperationTypeNode.QUERY) return undefined;
  const queryType = schema.getQueryType() as GraphQLObjectType;
  const info = { schema, fragments: fragmentsOf(document) };
  const fields: AnsweredField[] = [];
  for (const [name, nodes] of selectedFields(info, queryType, [operation as unknown as FieldNode])) {
    const field = queryType.getFields()[(nodes[0] as FieldNode).name.value];
    const answered = field && returnsLoaded(field) ? answeredField(info, name, field, nodes) : undefined;
    if (!answered) return undefined;
    fields.push(answered);
  }
  return async (context, variables) => {
    const bound: BoundField[] = [];
    for (const field of fields) {
      const selection = field.bind(variables);
      if (!selection) return undefined;
      bound.push({ ...field, selection });
    }
    return answer(bound, variables, context);
  };
}

function answeredField(
  info: DocumentParts,
  name: string,
  field: GraphQLField<unknown, unknown>,
  nodes: readonly FieldNode[],
): AnsweredField | undefined {
  const type = getNamedType(field.type);
  if (!isObjectType(type)) return undefined;
  const node = nodes[0] as FieldNode;
  if (!isConnection(type)) {
    const bind = planAnswer(info, type, nodes);
    return bind && { name, node, field, bind };
  }
  const page = connectionFields(info, type, nodes);
  const bind = page?.nodes && planAnswer(info, page.nodeType, page.nodes);
  return bind && page && { name, node, field, bind, page: page.fields };
}

async function answer(fields: BoundField[], variables: Record<string, unknown>, context: AnonymousRequest): Promise<ExecutionResult | undefined> {
  const outcomes = await Promise.allSettled(fields.map((field) => fieldValue(field, variables, context)));
  const data: Record<string, unknown> = Object.create(null);
  const errors: GraphQLError[] = [];
  let isNull = false;
  for (const [index, outcome] of outcomes.entries()) {
    const { name, field } = fields[index] as BoundField;
    if (outcome.status === "rejected") {
      if (outcome.reason instanceof IncompleteAnswerError) {
        if (context instanceof RequestContext) context.discardRead();
        return undefined;
      }
      errors.push(errorOf(outcome.reason, name));
      isNull ||= isNonNullType(field.type);
    }
    data[name] = outcome.status === "fulfilled" ? outcome.value : null;
  }
  if (errors.length === 0) return { data };
  return { data: isNull ? null : data, errors };
}

async function fieldValue(
  { name, node, field, selection, page }: BoundField,
  variables: Record<string, unknown>,
  context: AnonymousRequest,
): Promise<unknown> {
  const loaded: unknown = await field.resolve?.(
    undefined,
    getArgumentValues(field, node, variables),
    context,
    new AnswerInfo(field.name, name, selection) as never,
  );
  if (!page) return loaded;
  const connection = loaded as Connection<unknown>;
  const value: Record<string, unknown> = Object.create(null);
  for (const { name, fieldName, typeName } of page) {
    if (fieldName === "nodes") value[name] = connection.nodes;
    else value[name] = typeName ?? GraphQLInt.serialize(await connection.totalCount);
  }
  return value;
}

function errorOf(error: unknown, name: string): GraphQLError {
  const originalError = error instanceof Error ? error : new Error(String(error));
  return new GraphQLError(originalError.message, { originalError, path: [name] });
}
