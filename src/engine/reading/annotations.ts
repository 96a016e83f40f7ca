import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  isObjectType,
} from "graphql";
import { Extensions } from "type-graphql";
import type { EntityType } from "./entity-type.js";
import type { RelationLoader } from "./selection/selection.js";

/** Types and fields keep what they declare about reading in their `extensions`. */
interface FieldExtensions {
  requiredColumns?: readonly string[];
  readAhead?: RelationLoader<unknown, unknown>;
  returnsLoaded?: true;
  loads?: RelationLoader<unknown, unknown>;
  idsArgument?: string;
  isAsLongAsArgument?: boolean;
  cost?: number | CostOf;
}
type CostOf = (fieldArguments: never) => number | undefined;
interface TypeExtensions {
  /** A function, because assembling the schema copies extensions that are objects. */
  entityType?: () => EntityType;
  connectionPart?: ConnectionPart;
}
type ConnectionPart = "connection" | "edge";

declare module "graphql" {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> extends FieldExtensions {}
  interface GraphQLObjectTypeExtensions<_TSource, _TContext> extends TypeExtensions {}
}

/** Names the entity type of the rows behind the objects of a GraphQL type. */
export function BackedBy(entityType: () => EntityType) {
  return Extensions({ entityType } satisfies TypeExtensions);
}

/**
 * Names the columns of the parent's row that a field needs. Every field with a resolver declares them, so that the row
 * is read with these columns and no others. A field without a resolver needs the column of its own name.
 */
export function RequiresColumns(...columns: string[]) {
  return Extensions({ requiredColumns: columns } satisfies FieldExtensions);
}

/**
 * Names the relation that a field's resolver loads. The statement that reads the parent may then read the relation as
 * well. Use it only if everyone who sees the parent may see the related rows: nothing checks a permission in between.
 */
export function ReadAhead<Value, Args>(relation: RelationLoader<Value, Args>) {
  return Extensions({ readAhead: relation });
}

/**
 * Promises that a resolver returns the rows that a relation has loaded, without looking at them: they may be an answer
 * that PostgreSQL has written. A field that returns a page names the relation.
 */
export function ReturnsLoaded<Value, Args>(relation?: RelationLoader<Value, Args>) {
  return Extensions({ returnsLoaded: true, ...(relation && { loads: relation }) });
}

/** Names the argument that lists the objects that a field or its payload returns, and is as long as the result. */
export function OneForEach(idsArgument: string) {
  return Extensions(oneForEach(idsArgument));
}

/** {@link OneForEach} for a field without decorators: its extensions. */
export const oneForEach = (idsArgument: string) => ({ idsArgument }) satisfies FieldExtensions;

/**
 * Promises that a list has one object for each item of the argument that {@link OneForEach} names on the field that
 * returns the list's parent.
 */
export function AsLongAsArgument() {
  return Extensions({ isAsLongAsArgument: true } satisfies FieldExtensions);
}

/** Declares the cost of a field that is computed from many rows. The unit is the cost of one object. */
export function Costs(cost: number | CostOf) {
  return Extensions({ cost } satisfies FieldExtensions);
}

/** Marks the type of a connection or of its edges. */
export function PartOfConnection(part: ConnectionPart) {
  return Extensions({ connectionPart: part } satisfies TypeExtensions);
}

/** The columns of the parent's row that a field needs; undefined if the field declares none. */
export function declaredColumns(field: GraphQLField<unknown, unknown>): readonly string[] | undefined {
  return field.extensions.requiredColumns;
}

/** The relation that may be read together with a field's parent. */
export function readAheadOf(
  field: GraphQLField<unknown, unknown>,
): RelationLoader<unknown, unknown> | undefined {
  return field.extensions.readAhead;
}

/** The relation that a field's resolver loads; undefined if the field names none. */
export function loadedBy(
  field: GraphQLField<unknown, unknown>,
): RelationLoader<unknown, unknown> | undefined {
  const { loads, readAhead } = field.extensions;
  return loads ?? readAhead;
}

/** Whether the resolver of a field returns loaded rows without looking at them. */
export function returnsLoaded(field: GraphQLField<unknown, unknown>): boolean {
  return field.extensions.returnsLoaded === true;
}

/** Whether the length of a list already multiplied the cost of its parent's field, as with lists in a connection. */
export function isAsLongAsArgument(field: GraphQLField<unknown, unknown>): boolean {
  return field.extensions.isAsLongAsArgument === true;
}

/** The argument that lists the objects that a field returns; undefined for other fields. */
export function idsArgumentOf(field: GraphQLField<unknown, unknown>): string | undefined {
  return field.extensions.idsArgument;
}

export function hasDeclaredCost(field: GraphQLField<unknown, unknown>): boolean {
  return field.extensions.cost !== undefined;
}

/** Whether a field costs more with some arguments than with others. */
export function hasVariableCost(field: GraphQLField<unknown, unknown>): boolean {
  return typeof field.extensions.cost === "function";
}

/** The declared cost of a field with these arguments; undefined if it declares none. */
export function declaredCost(
  field: GraphQLField<unknown, unknown>,
  fieldArguments: Record<string, unknown>,
): number | undefined {
  const { cost } = field.extensions;
  return typeof cost === "function" ? cost(fieldArguments as never) : cost;
}

export function isConnection(type: GraphQLNamedType): boolean {
  return type.extensions.connectionPart === "connection";
}

/** Whether a type is a connection or its edge. Both are read from the rows of the nodes. */
export function isPartOfConnection(type: GraphQLObjectType): boolean {
  return type.extensions.connectionPart !== undefined;
}

/** The entity type behind an object type. For a connection, that of its nodes. */
export function entityTypeOf(type: GraphQLNamedType): EntityType | undefined {
  if (!isObjectType(type)) return undefined;
  const nodes = isConnection(type) ? type.getFields().nodes : undefined;
  return nodes ? entityTypeOf(getNamedType(nodes.type)) : type.extensions.entityType?.();
}
