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
import { type AnswerInfo, selectedFields } from "../reading/selection.js";
import { type AnonymousRequest, RequestContext } from "../request/request-context.js";

/** Runs an operation, with the coerced values of its variables, whose root fields are answers that PostgreSQL writes; undefined if it has to be executed instead. */
export type AnswerOperation = (context: AnonymousRequest, variables: Readonly<Record<string, unknown>>) => Promise<ExecutionResult | undefined>;

/** What a resolver is told about its field that is the same whenever the operation runs. */
type FieldInfo = Omit<AnswerInfo, "variableValues" | "answerSelection">;

/** A root field that is an answer. */
interface AnsweredField {
  name: string;
  field: GraphQLField<unknown, unknown>;
  info: FieldInfo;
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
  const parts = { schema, fragments: fragmentsOf(document), operation, rootValue: undefined, parentType: queryType };
  const fields: AnsweredField[] = [];
  for (const [name, nodes] of selectedFields(parts, queryType, [operation as unknown as FieldNode])) {
    const field = queryType.getFields()[(nodes[0] as FieldNode).name.value];
    if (!field || !returnsLoaded(field)) return undefined;
    const path = { prev: undefined, key: name, typename: queryType.name };
    const answered = answeredField(name, field, { ...parts, fieldName: field.name, fieldNodes: nodes, returnType: field.type, path });
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

function answeredField(name: string, field: GraphQLField<unknown, unknown>, info: FieldInfo): AnsweredField | undefined {
  const type = getNamedType(field.type);
  if (!isObjectType(type)) return undefined;
  if (!isConnection(type)) {
    const bind = planAnswer(info, type, info.fieldNodes);
    return bind && { name, field, info, bind };
  }
  const page = connectionFields(info, type, info.fieldNodes);
  const bind = page?.nodes && planAnswer(info, page.nodeType, page.nodes);
  return bind && page && { name, field, info, bind, page: page.fields };
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
  { field, info, selection, page }: BoundField,
  variables: Record<string, unknown>,
  context: AnonymousRequest,
): Promise<unknown> {
  const told: AnswerInfo = { ...info, variableValues: variables, answerSelection: selection };
  const loaded: unknown = await field.resolve?.(undefined, getArgumentValues(field, info.fieldNodes[0] as FieldNode, variables), context, told);
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
