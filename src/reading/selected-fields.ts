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
import { selectedFields } from "../platform/selection-set.js";
import { bindRows } from "./binding.js";
import { holdsVariables, type Plan, planOf } from "./plan.js";
import type { AnsweredMembersInfo, AnswerInfo, Selection } from "./selection.js";

/** A plan, with its selection if it holds no variables. */
interface KnownPlan {
  plan: Plan;
  constant: Selection | undefined;
}

const plansByNodes = new WeakMap<FieldNode | readonly FieldNode[], Map<GraphQLNamedOutputType, KnownPlan>>();
const selectionsByVariables = new WeakMap<object, Map<Plan, Selection>>();

/**
 * The columns and relations that the selected fields of `info`'s type need: for a
 * connection, the fields of its nodes; for an abstract type, those of one of its object
 * types. The columns of fields with @include or @skip are always read, because variables
 * must not change the columns. Relations of such fields are not read ahead.
 */
export function selectionOf(
  info: GraphQLResolveInfo,
  type: GraphQLNamedOutputType = getNamedType(info.returnType),
): Selection {
  if (isAnswerInfo(info)) return info.answerSelection;
  const { plan, constant } = knownPlan(info, type);
  if (constant) return constant;
  const selections = selectionsByVariables.get(info.variableValues) ?? new Map<Plan, Selection>();
  selectionsByVariables.set(info.variableValues, selections);
  const selection = selections.get(plan) ?? bindRows(plan, info.variableValues);
  selections.set(plan, selection);
  return selection;
}

/** Whether PostgreSQL writes the answer of a field. */
export const isAnswerInfo = (info: GraphQLResolveInfo): info is AnswerInfo => "answerSelection" in info;

/**
 * Injects the selection of a resolver's result as a parameter. See {@link selectionOf}.
 */
export function Selected(): ParameterDecorator {
  return createParameterDecorator(({ info }) => selectionOf(info)) as ParameterDecorator;
}

function knownPlan(info: GraphQLResolveInfo, type: GraphQLNamedOutputType): KnownPlan {
  // Every run has the same nodes. If there are several, graphql-js passes the same array
  // to all siblings.
  const [first] = info.fieldNodes as [FieldNode];
  const key = info.fieldNodes.length === 1 ? first : info.fieldNodes;
  let plans = plansByNodes.get(key);
  if (!plans) {
    plans = new Map();
    plansByNodes.set(key, plans);
  }
  let known = plans.get(type);
  if (!known) {
    const { schema, fragments, operation } = info;
    const plan = planOf({ schema, fragments, operation }, type as GraphQLObjectType, info.fieldNodes);
    if (!plan) throw new Error(`${type.name} is not @BackedBy an entity type`);
    known = { plan, constant: holdsVariables(plan) ? undefined : bindRows(plan, {}) };
    plans.set(type, known);
  }
  return known;
}

const nodesByName = new WeakMap<readonly FieldNode[], Map<string, FieldNode[]>>();

/**
 * The selection of the objects in a field of a resolver's result, under whatever name the
 * response has the field. Undefined if the field is not selected.
 */
export function selectionBelow(info: GraphQLResolveInfo, fieldName: string): Selection | undefined {
  if ("memberSelections" in info) return (info as AnsweredMembersInfo).memberSelections.get(fieldName);
  const type = getNamedType(info.returnType) as GraphQLObjectType;
  let nodes = nodesByName.get(info.fieldNodes);
  if (!nodes) {
    nodes = new Map();
    for (const node of [...selectedFields(info, type, info.fieldNodes).values()].flat()) {
      nodes.set(node.name.value, [...(nodes.get(node.name.value) ?? []), node]);
    }
    nodesByName.set(info.fieldNodes, nodes);
  }
  const [field, fieldNodes] = [type.getFields()[fieldName], nodes.get(fieldName)];
  if (!field || !fieldNodes || fieldNodes.every((node) => isLeftOut(node, info.variableValues)))
    return undefined;
  return selectionOf({ ...info, fieldNodes }, getNamedType(field.type));
}

function isLeftOut(node: FieldNode, variables: GraphQLResolveInfo["variableValues"]): boolean {
  if (!node.directives?.length) return false;
  const isSkipped = getDirectiveValues(GraphQLSkipDirective, node, variables)?.if === true;
  return isSkipped || getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if === false;
}
