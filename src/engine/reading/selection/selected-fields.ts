import {
  type FieldNode,
  GraphQLIncludeDirective,
  type GraphQLNamedOutputType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  getNamedType,
} from "graphql";
import { createParameterDecorator } from "type-graphql";
import { objectTypeOf, selectedFields } from "../../../platform/selection-set.js";
import { bindRows } from "../binding.js";
import { holdsVariables, type Plan, planOf } from "./plan.js";
import type { AnsweredMembersInfo, AnswerInfo, Selection } from "./selection.js";

/** The plan of the selection of some nodes on a type. */
interface KnownPlan {
  nodes: readonly FieldNode[];
  type: GraphQLNamedOutputType;
  plan: Plan;
  /** The selection of the plan, if it holds no variables. */
  constant: Selection | undefined;
}

/** The plans of an operation, which are made when it runs for the first time. */
export class OperationPlans {
  readonly #byFirstNode = new Map<FieldNode | undefined, KnownPlan[]>();

  get(info: GraphQLResolveInfo, type: GraphQLNamedOutputType): KnownPlan {
    // Every run has the same nodes, but not the same lists of them.
    const { fieldNodes: nodes } = info;
    const plans = this.#byFirstNode.get(nodes[0]) ?? [];
    const known = plans.find((each) => each.type === type && hasSameNodes(each.nodes, nodes));
    if (known) return known;
    const { schema, fragments, operation } = info;
    const plan = planOf({ schema, fragments, operation }, type as GraphQLObjectType, nodes);
    if (!plan) throw new Error(`${type.name} is not @BackedBy an entity type`);
    const made = { nodes, type, plan, constant: holdsVariables(plan) ? undefined : bindRows(plan, {}) };
    this.#byFirstNode.set(nodes[0], [...plans, made]);
    return made;
  }
}

const hasSameNodes = (one: readonly FieldNode[], other: readonly FieldNode[]): boolean =>
  one === other || (one.length === other.length && one.every((node, index) => node === other[index]));

/** The selections of one run of an operation: its plans with the values of its variables. */
export class Selections {
  readonly #plans: OperationPlans;
  readonly #byPlan = new Map<Plan, Selection>();

  constructor(plans: OperationPlans) {
    this.#plans = plans;
  }

  get(info: GraphQLResolveInfo, type: GraphQLNamedOutputType): Selection {
    const { plan, constant } = this.#plans.get(info, type);
    if (constant) return constant;
    const selection = this.#byPlan.get(plan) ?? bindRows(plan, info.variableValues);
    this.#byPlan.set(plan, selection);
    return selection;
  }
}

interface SelectingContext {
  readonly selections: Selections;
}

/**
 * The columns and relations that the selected fields of `info`'s type need: for a connection, the fields of its nodes;
 * for an abstract type, those of one of its object types. The columns of fields with @include or @skip are always read,
 * because variables must not change the columns. Relations of such fields are not read ahead.
 */
export function selectionOf(
  { selections }: SelectingContext,
  info: GraphQLResolveInfo,
  type: GraphQLNamedOutputType = getNamedType(info.returnType),
): Selection {
  return isAnswerInfo(info) ? info.answerSelection : selections.get(info, type);
}

/** Whether PostgreSQL writes the answer of a field. */
export const isAnswerInfo = (info: GraphQLResolveInfo): info is AnswerInfo => "answerSelection" in info;

/** Injects the selection of a resolver's result as a parameter. See {@link selectionOf}. */
export function Selected(): ParameterDecorator {
  return createParameterDecorator<SelectingContext>(({ context, info }) =>
    selectionOf(context, info),
  ) as ParameterDecorator;
}

/**
 * The selection of the objects in a field of a resolver's result, under whatever name the response has the field.
 * Undefined if the field is not selected.
 */
export function selectionBelow(
  context: SelectingContext,
  info: GraphQLResolveInfo,
  fieldName: string,
): Selection | undefined {
  if ("memberSelections" in info) return (info as AnsweredMembersInfo).memberSelections.get(fieldName);
  const type = objectTypeOf(info.returnType);
  const field = type.getFields()[fieldName];
  const fieldNodes = [...selectedFields(info, type, info.fieldNodes).values()]
    .flat()
    .filter(({ name }) => name.value === fieldName);
  if (!field || fieldNodes.every((node) => isLeftOut(node, info.variableValues))) return undefined;
  return selectionOf(context, { ...info, fieldNodes }, getNamedType(field.type));
}

function isLeftOut(node: FieldNode, variables: GraphQLResolveInfo["variableValues"]): boolean {
  if (!node.directives?.length) return false;
  const isSkipped = getDirectiveValues(GraphQLSkipDirective, node, variables)?.if === true;
  return isSkipped || getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if === false;
}
