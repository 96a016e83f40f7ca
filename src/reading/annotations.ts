import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  isObjectType,
} from "graphql";
import { Extensions } from "type-graphql";
import type { EntityType } from "./entity-type.js";
import type { RelationLoader } from "./selection.js";

/**
 * What the schema says about reading is kept in the `extensions` of its types and fields.
 */
interface FieldExtensions {
  requiredColumns?: readonly string[];
  readAhead?: RelationLoader<unknown, unknown>;
  returnsLoaded?: true;
  loads?: RelationLoader<unknown, unknown>;
  idsArgument?: string;
  isAsLongAsArgument?: boolean;
  cost?: number | CostOf;
}
/** What a field costs, by its valid arguments. */
type CostOf = (fieldArguments: never) => number;
interface TypeExtensions {
  /**
   * A function, as extensions that are objects are copied when the schema is assembled.
   */
  entityType?: () => EntityType;
  connectionPart?: ConnectionPart;
}
type ConnectionPart = "connection" | "edge";

/** Says which entity type the objects of a GraphQL type are rows of. */
export function BackedBy(entityType: () => EntityType) {
  return Extensions({ entityType } satisfies TypeExtensions);
}

/**
 * Says which columns of its parent's row a field needs. Every field with a resolver
 * carries it, so that the row is read with these columns and no others. A field without a
 * resolver needs the column of its own name.
 */
export function RequiresColumns(...columns: string[]) {
  return Extensions({ requiredColumns: columns } satisfies FieldExtensions);
}

/**
 * Says that a field's resolver loads a relation of its parent, so that the statement
 * which reads the parent may read it, too. Only where everyone who sees the parent may
 * see the related rows: no permission is checked in between.
 */
export function ReadAhead<Value, Args>(relation: RelationLoader<Value, Args>) {
  return Extensions({ readAhead: relation });
}

/**
 * Says that a resolver returns what a relation has loaded with its selection, and does
 * not look at it: it may be an answer that PostgreSQL has written. A field that returns a
 * page names the relation.
 */
export function ReturnsLoaded<Value, Args>(relation?: RelationLoader<Value, Args>) {
  return Extensions({ returnsLoaded: true, ...(relation && { loads: relation }) });
}

/**
 * Says which argument of a field lists the objects that it returns, or that its payload
 * lists: it is as long as the result.
 */
export function OneForEach(idsArgument: string) {
  return Extensions({ idsArgument } satisfies FieldExtensions);
}

/**
 * Says that a list has one object for each in the argument that {@link OneForEach} names
 * where its parent is returned.
 */
export function AsLongAsArgument() {
  return Extensions({ isAsLongAsArgument: true } satisfies FieldExtensions);
}

/**
 * Says what a field costs by itself that is worked out of many rows, in the unit of the
 * cost of an operation: that of one object.
 */
export function Costs(cost: number | CostOf) {
  return Extensions({ cost } satisfies FieldExtensions);
}

/** Marks the type of a connection or of its edges. */
export function PartOfConnection(part: ConnectionPart) {
  return Extensions({ connectionPart: part } satisfies TypeExtensions);
}

/**
 * The columns of its parent's row that a field needs; undefined where nothing is
 * declared.
 */
export function declaredColumns(field: GraphQLField<unknown, unknown>): readonly string[] | undefined {
  return (field.extensions as FieldExtensions).requiredColumns;
}

/** The relation that may be read together with a field's parent. */
export function readAheadOf(
  field: GraphQLField<unknown, unknown>,
): RelationLoader<unknown, unknown> | undefined {
  return (field.extensions as FieldExtensions).readAhead;
}

/** The relation that a field's resolver loads, as far as the field names it. */
export function loadedBy(
  field: GraphQLField<unknown, unknown>,
): RelationLoader<unknown, unknown> | undefined {
  const { loads, readAhead } = field.extensions as FieldExtensions;
  return loads ?? readAhead;
}

/** Whether the resolver of a field does not look at what it returns. */
export function returnsLoaded(field: GraphQLField<unknown, unknown>): boolean {
  return (field.extensions as FieldExtensions).returnsLoaded === true;
}

/**
 * Whether a list has been multiplied where its parent is returned, as the lists inside a
 * connection have.
 */
export function isAsLongAsArgument(field: GraphQLField<unknown, unknown>): boolean {
  return (field.extensions as FieldExtensions).isAsLongAsArgument === true;
}

/** The argument that lists what a field returns; undefined for other fields. */
export function idsArgumentOf(field: GraphQLField<unknown, unknown>): string | undefined {
  return (field.extensions as FieldExtensions).idsArgument;
}

/** Whether a field says itself what it costs. */
export function hasDeclaredCost(field: GraphQLField<unknown, unknown>): boolean {
  return (field.extensions as FieldExtensions).cost !== undefined;
}

/** Whether a field costs more with some arguments than with others. */
export function hasVariableCost(field: GraphQLField<unknown, unknown>): boolean {
  return typeof (field.extensions as FieldExtensions).cost === "function";
}

/**
 * What a field says that it costs with these arguments; undefined where nothing is
 * declared.
 */
export function declaredCost(
  field: GraphQLField<unknown, unknown>,
  fieldArguments: Record<string, unknown>,
): number | undefined {
  const { cost } = field.extensions as FieldExtensions;
  return typeof cost === "function" ? cost(fieldArguments as never) : cost;
}

/** Whether a type is a connection: a page of a list. */
export function isConnection(type: GraphQLNamedType): boolean {
  return (type.extensions as TypeExtensions).connectionPart === "connection";
}

/**
 * Whether a type is a connection or an edge of one: what is selected there is read of the
 * nodes.
 */
export function isPartOfConnection(type: GraphQLObjectType): boolean {
  return (type.extensions as TypeExtensions).connectionPart !== undefined;
}

/**
 * The entity type that an object type is backed by; of a connection, that of its nodes.
 */
export function entityTypeOf(type: GraphQLNamedType): EntityType | undefined {
  if (!isObjectType(type)) return undefined;
  const nodes = isConnection(type) ? type.getFields().nodes : undefined;
  return nodes ? entityTypeOf(getNamedType(nodes.type)) : (type.extensions as TypeExtensions).entityType?.();
}
