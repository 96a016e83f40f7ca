import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLField,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  visit,
} from "graphql";
import { type GatewayRequest, RequestContext } from "../../engine/operation/request-context.js";
import { loadedBy, returnsLoaded } from "../../engine/reading/annotations.js";
import { IncompleteAnswerError } from "../../engine/reading/answer-text.js";
import { AnswerBinder } from "../../engine/reading/binding.js";
import { type Completion, completedText } from "../../engine/reading/selection/completion.js";
import { completionOf } from "../../engine/reading/selection/completion-plan.js";
import { type FieldInfo, fieldInfo } from "../../engine/reading/selection/field-info.js";
import { holdsVariables, type Plan, planOf } from "../../engine/reading/selection/plan.js";
import type {
  AnsweredMembersInfo,
  AnswerInfo,
  AnswerSelection,
  Relation,
} from "../../engine/reading/selection/selection.js";
import { defined } from "../../platform/defined.js";
import { JsonText } from "../../platform/json/json-text.js";
import { fragmentsOf, objectTypeOf, selectedFields } from "../../platform/selection-set.js";
import { errorOf } from "../../platform/thrown.js";

type Variables = Readonly<Record<string, unknown>>;

/** An operation that runs without graphql-js. */
export interface AnsweredOperation {
  /** The number of fields in it, after all fragments have been expanded. */
  size: number;
  /** Runs the operation. Undefined if graphql-js has to execute it after all. */
  run(context: GatewayRequest, run: OperationRun): Promise<ExecutionResult | undefined>;
}

/** What one run of an operation has of its own. */
interface OperationRun {
  /** The values of the variables as resolvers get them. */
  coerced: Variables;
  root?: unknown;
  /** Whether the data is needed as values, and not as text. */
  asValues?: boolean;
}

/** A root field whose value only needs to be completed. */
interface AnsweredField {
  name: string;
  field: GraphQLField<unknown, unknown>;
  info: FieldInfo;
  completion: Completion;
  /** The number of fields that PostgreSQL writes. */
  size: number;
  /** The selections, for the resolver's `info`, that PostgreSQL writes; undefined if it cannot write them. */
  bind(variables: Variables, args: Arguments): BoundSelections | undefined;
}

type Arguments = Readonly<Record<string, unknown>>;

type BoundSelections = Pick<AnswerInfo, "answerSelection"> | Pick<AnsweredMembersInfo, "memberSelections">;

/** A root field with the selections that PostgreSQL writes. */
interface BoundField extends AnsweredField {
  selections: BoundSelections;
  args: Arguments;
}

/** The maximum number of fields. As spreads expand their fragments, a short document could take exponential time. */
const maxSize = 500;

/**
 * Plans an operation that can run without graphql-js: PostgreSQL writes all rows that its root fields load, and
 * everything else that is selected is a plain member of their values. Undefined for other operations, and for documents
 * with directives. Errors below root fields, such as null for a non-null field, are left to graphql-js.
 */
export function answeredOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): AnsweredOperation | undefined {
  const rootType = schema.getRootType(operation.operation);
  if (!rootType || hasDirectives(document)) return undefined;
  const isMutation = operation.operation === OperationTypeNode.MUTATION;
  const parts = { schema, fragments: fragmentsOf(document), operation };
  const fields: AnsweredField[] = [];
  let size = 0;
  for (const [name, nodes] of selectedFields(parts, rootType, [operation])) {
    const field = rootType.getFields()[nodes[0].name.value];
    if (!field) return undefined;
    const info = fieldInfo(parts, { name, field, parentType: rootType, nodes });
    const answered = answeredField(name, field, info, isMutation);
    if (!answered) return undefined;
    size += 1 + answered.size;
    if (size > maxSize) return undefined;
    fields.push(answered);
  }
  return {
    size,
    async run(context, run) {
      if (isMutation && !(context instanceof RequestContext)) return undefined;
      const bound: BoundField[] = [];
      for (const field of fields) {
        const args = argumentsOf(field, run.coerced);
        const selections = args && field.bind(run.coerced, args);
        if (!selections) return undefined;
        bound.push({ ...field, selections, args });
      }
      const outcomes = isMutation
        ? await inSequence(bound, run, context)
        : await Promise.allSettled(bound.map((field) => fieldValue(field, run, context)));
      return answer(bound, outcomes, context);
    },
  };
}

/** The values of a field's arguments; undefined if one has no valid value, which graphql-js reports. */
function argumentsOf({ field, info }: AnsweredField, variables: Variables): Arguments | undefined {
  try {
    return getArgumentValues(field, info.fieldNodes[0], variables);
  } catch {
    return undefined;
  }
}

function hasDirectives(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    [Kind.DIRECTIVE]: () => {
      found = true;
    },
  });
  return found;
}

function answeredField(
  name: string,
  field: GraphQLField<unknown, unknown>,
  info: FieldInfo,
  isMutation: boolean,
): AnsweredField | undefined {
  const type = getNamedType(field.type);
  const plan = isObjectType(type) ? planOf(info, type, info.fieldNodes) : undefined;
  if (!plan) return fieldOfMembers(name, field, info, isMutation);
  if (!returnsLoaded(field) || !plan.isWritable) return undefined;
  const completion = defined(completionOf(info, field.type, info.fieldNodes));
  const relation = loadedBy(field)?.relation;
  const bindAnswer = binderOf(info, plan, relation);
  const bind = (variables: Variables, args: Arguments) => {
    const answerSelection = bindAnswer(variables, args);
    return answerSelection && { answerSelection };
  };
  return { name, field, info, completion, size: plan.size, bind };
}

/** A root field that does not return rows, although members of its objects may be rows. */
function fieldOfMembers(
  name: string,
  field: GraphQLField<unknown, unknown>,
  info: FieldInfo,
  isMutation: boolean,
): AnsweredField | undefined {
  const members = new Map<string, AnswerBinding>();
  let size = 0;
  const completion = completionOf(info, field.type, info.fieldNodes, (member, nodes) => {
    const plan = planOf(info, objectTypeOf(member.type), nodes);
    // A member has only one value, which cannot serve several selections under different names. Mutations return rows
    // themselves.
    if (isMutation || !plan?.isWritable || members.has(member.name)) return false;
    members.set(member.name, binderOf(info, plan));
    size += plan.size;
    return true;
  });
  if (!completion) return undefined;
  const bind = (variables: Variables, args: Arguments) => {
    const memberSelections = new Map<string, AnswerSelection>();
    for (const [member, bindAnswer] of members) {
      const selection = bindAnswer(variables, args);
      if (!selection) return undefined;
      memberSelections.set(member, selection);
    }
    return { memberSelections };
  };
  return { name, field, info, completion, size, bind };
}

type AnswerBinding = (variables: Variables, args: Arguments) => AnswerSelection | undefined;

/** Returns a function that binds a plan to the values of variables. A plan without variables is bound once. */
function binderOf(info: FieldInfo, plan: Plan, relation?: Relation<unknown>): AnswerBinding {
  if (relation)
    return (variables, args) =>
      new AnswerBinder(info, variables, false).bind(plan, 1, { relation, args: relation.argsOf?.(args) });
  if (holdsVariables(plan)) return (variables) => new AnswerBinder(info, variables, false).bind(plan, 1);
  const constant = new AnswerBinder(info, {}, true).bind(plan, 1);
  return () => constant;
}

type Outcomes = PromiseSettledResult<unknown>[];

/** The outcomes up to the first field that failed and must not be null. */
async function inSequence(
  fields: readonly BoundField[],
  run: OperationRun,
  context: GatewayRequest,
): Promise<Outcomes> {
  const outcomes: Outcomes = [];
  for (const bound of fields) {
    const [outcome] = await Promise.allSettled([fieldValue(bound, run, context)]);
    outcomes.push(outcome);
    if (outcome.status === "rejected" && isNonNullType(bound.field.type)) break;
  }
  return outcomes;
}

function answer(
  fields: BoundField[],
  outcomes: Outcomes,
  context: GatewayRequest,
): ExecutionResult | undefined {
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
      errors.push(fieldError(outcome.reason, name));
      isNull ||= isNonNullType(field.type);
    }
    data[name] = outcome.status === "fulfilled" ? outcome.value : null;
  }
  if (errors.length === 0) return { data };
  return { data: isNull ? null : data, errors };
}

async function fieldValue(
  { field, info, selections, args, completion }: BoundField,
  { coerced, root, asValues }: OperationRun,
  context: GatewayRequest,
): Promise<unknown> {
  const resolveInfo = {
    ...info,
    rootValue: root,
    variableValues: coerced,
    ...selections,
  } as GraphQLResolveInfo;
  const value: unknown = await field.resolve?.(root, args, context, resolveInfo);
  try {
    const text = await completedText(value, completion);
    if (asValues) return JSON.parse(text);
    return text === "null" ? null : new JsonText(text);
  } catch (error) {
    throw new IncompleteAnswerError("The answer could not be completed", { cause: error });
  }
}

function fieldError(thrown: unknown, name: string): GraphQLError {
  const originalError = errorOf(thrown);
  return new GraphQLError(originalError.message, { originalError, path: [name] });
}
