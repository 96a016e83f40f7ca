import { collectSubFields } from "@graphql-tools/utils";
import { type FieldNode, type GraphQLObjectType, type GraphQLResolveInfo, getNamedType, isObjectType } from "graphql";
import { Extensions } from "type-graphql";

/** A row of which only the columns that the operation needs were read. */
export type Selected<Row, Always extends keyof Row> = Pick<Row, Always> & { [Column in Exclude<keyof Row, Always>]?: Row[Column] | undefined };

/**
 * Says which columns of its parent a field is made of; every field with a resolver carries it, so that its parent's row
 * is read with these columns and no others. A plain field is the column of its own name.
 */
export function Reads(...columns: string[]) {
  return Extensions({ reads: columns });
}

const columnsOfField = new WeakMap<readonly FieldNode[], string[]>();

/** The columns that the selected fields of `info`'s type read, sorted, besides `always`. Looks into connections too. */
export function selectedColumns(info: GraphQLResolveInfo, always: readonly string[]): string[] {
  // The executor hands the same array to all siblings of one operation, and another to the next operation.
  let columns = columnsOfField.get(info.fieldNodes);
  if (!columns) {
    const found = new Set(always);
    const type = getNamedType(info.returnType);
    if (isObjectType(type)) collectColumns(info, type, [...info.fieldNodes], found);
    columns = [...found].sort();
    columnsOfField.set(info.fieldNodes, columns);
  }
  return columns;
}

function collectColumns(info: GraphQLResolveInfo, type: GraphQLObjectType, nodes: FieldNode[], found: Set<string>): void {
  const isPage = type.name.endsWith("Connection") || type.name.endsWith("Edge");
  const variables = { coerced: info.variableValues, sources: {} };
  const { fields } = collectSubFields(info.schema, info.fragments, variables, type, nodes);
  for (const children of fields.values()) {
    const name = (children[0] as FieldNode).name.value;
    const field = type.getFields()[name];
    if (!field) continue;
    if (isPage) {
      const below = getNamedType(field.type);
      if (isObjectType(below) && name !== "pageInfo") collectColumns(info, below, children, found);
    } else {
      for (const column of (field.extensions.reads as string[] | undefined) ?? [name]) found.add(column);
    }
  }
}

/** The Prisma `select` of these columns. */
export function selectOf(columns: readonly string[]): Record<string, true> {
  return Object.fromEntries(columns.map((column) => [column, true as const]));
}
