import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
} from "graphql";
import {
  declaredColumns,
  entityTypeOf,
  isConnection,
  isPartOfConnection,
  loadedBy,
  readAheadOf,
  returnsLoaded,
} from "../annotations.js";

/**
 * Refuses a schema in which a field requires a column that cannot be read, or does not declare a column that it
 * requires. Without this check, the mistake shows only in operations where no other field happens to read the column.
 */
export function assertReadable(schema: GraphQLSchema): void {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith("__")) continue;
    for (const field of Object.values(type.getFields())) {
      assertPageWritable(type, field);
      if (!roots.includes(type)) assertFieldReadable(type, field);
    }
  }
}

/** PostgreSQL can write the cursors and the total count only if the relation is a list. */
function assertPageWritable(type: GraphQLObjectType, field: GraphQLField<unknown, unknown>): void {
  if (!returnsLoaded(field) || !isConnection(getNamedType(field.type))) return;
  if (!loadedBy(field)?.relation.list)
    throw new Error(`${type.name}.${field.name} returns a page and must name its list with @ReturnsLoaded`);
}

function assertFieldReadable(type: GraphQLObjectType, field: GraphQLField<unknown, unknown>): void {
  const name = `${type.name}.${field.name}`;
  const declared = declaredColumns(field);
  if (field.resolve && !declared)
    throw new Error(`${name} has a resolver and must declare with @RequiresColumns what it needs`);
  const readAhead = readAheadOf(field)?.relation.entityType;
  const target = entityTypeOf(getNamedType(field.type));
  if (readAhead && target && readAhead !== target)
    throw new Error(`${name} reads ahead rows that its type is not backed by`);
  const entityType = isPartOfConnection(type) ? undefined : entityTypeOf(type);
  if (readAhead && !entityType?.keys.includes("id"))
    throw new Error(`${name} reads ahead, but the rows of its parent have no id`);
  if (!entityType) return;
  for (const column of declared ?? [field.name]) {
    const kind = entityType.columns.get(column);
    if (!kind) throw new Error(`${name} requires the column ${column}, which does not exist`);
    if (kind === "not JSON")
      throw new Error(
        `${name} requires the column ${column}, which JSON cannot carry: rows are read as JSON`,
      );
  }
}
