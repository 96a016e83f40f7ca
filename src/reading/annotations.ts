import { type GraphQLField, type GraphQLNamedType, type GraphQLObjectType, getNamedType, isObjectType } from "graphql";
import { Extensions } from "type-graphql";
import type { EntityType } from "./entity-type.js";
import type { RelationLoader } from "./relation.js";

/** What the schema says about reading is kept in the `extensions` of its types and fields. */
interface FieldExtensions {
  requiredColumns?: readonly string[];
  readAhead?: RelationLoader<unknown, unknown>;
}
interface TypeExtensions {
  /** A function, as extensions that are objects are copied when the schema is assembled. */
  entityType?: () => EntityType;
  connectionPart?: ConnectionPart;
}
type ConnectionPart = "connection" | "edge";

/** Says which entity type the objects of a GraphQL type are rows of. */
export function BackedBy(entityType: () => EntityType) {
  return Extensions({ entityType } satisfies TypeExtensions);
}

/**
 * Says which columns of its parent's row a field needs. Every field with a resolver carries it, so that the row is read with
 * these columns and no others. A field without a resolver needs the column of its own name.
 */
export function RequiresColumns(...columns: string[]) {
  return Extensions({ requiredColumns: columns } satisfies FieldExtensions);
}

/**
 * Says that a field's resolver loads a relation of its parent, so that the statement which reads the parent may read it, too.
 * Only where everyone who sees the parent may see the related rows: no permission is checked in between.
 */
export function ReadAhead<Value, Args>(relation: RelationLoader<Value, Args>) {
  return Extensions({ readAhead: relation });
}

/** Marks the type of a connection or of its edges. */
export function PartOfConnection(part: ConnectionPart) {
  return Extensions({ connectionPart: part } satisfies TypeExtensions);
}

/** The columns of its parent's row that a field needs; undefined where nothing is declared. */
export function declaredColumns(field: GraphQLField<unknown, unknown>): readonly string[] | undefined {
  return (field.extensions as FieldExtensions).requiredColumns;
}

/** The relation that may be read together with a field's parent. */
export function readAheadOf(field: GraphQLField<unknown, unknown>): RelationLoader<unknown, unknown> | undefined {
  return (field.extensions as FieldExtensions).readAhead;
}

/** Whether a type is a connection: a page of a list. */
export function isConnection(type: GraphQLNamedType): boolean {
  return (type.extensions as TypeExtensions).connectionPart === "connection";
}

/** Whether a type is a connection or an edge of one: what is selected there is read of the nodes. */
export function isPartOfConnection(type: GraphQLObjectType): boolean {
  return (type.extensions as TypeExtensions).connectionPart !== undefined;
}

/** The entity type that an object type is backed by; of a connection, that of its nodes. */
export function entityTypeOf(type: GraphQLNamedType): EntityType | undefined {
  if (!isObjectType(type)) return undefined;
  const nodes = isConnection(type) ? type.getFields().nodes : undefined;
  return nodes ? entityTypeOf(getNamedType(nodes.type)) : (type.extensions as TypeExtensions).entityType?.();
}
