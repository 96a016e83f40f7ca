import type { GraphQLResolveInfo } from "graphql";
import type { FieldNodes } from "../../../platform/selection-set.js";
import type { PlanningParts, SelectedField } from "./plan.js";

/** The part of a resolver's `info` that is the same whenever the operation runs. */
export type FieldInfo = Omit<GraphQLResolveInfo, "variableValues" | "rootValue" | "fieldNodes"> & {
  fieldNodes: FieldNodes;
};

/** What graphql-js would tell the resolver of a field, except for the indexes of lists in its path. */
export const fieldInfo = (
  { schema, fragments, operation }: PlanningParts,
  { name, field, parentType, nodes }: SelectedField,
): FieldInfo => ({
  schema,
  fragments,
  operation,
  parentType,
  fieldName: field.name,
  fieldNodes: nodes,
  returnType: field.type,
  path: { prev: undefined, key: name, typename: parentType.name },
});
