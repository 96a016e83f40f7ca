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
type CostOf = (fieldArguments: never) => number;
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

/** Needed by every field with a resolver: the row is read with these columns and no others. */
export function RequiresColumns(...columns: string[]) {
  return Extensions({ requiredColumns: columns } satisfies FieldExtensions);
}

/** Only if everyone who sees the parent may see the related rows: nothing checks a permission in between. */
export function ReadAhead<Value, Args>(relation: RelationLoader<Value, Args>) {
  return Extensions({ readAhead: relation });
}

/** The rows may be an answer that PostgreSQL has written. A field that returns a page names the relation. */
export function ReturnsLoaded<Value, Args>(relation?: RelationLoader<Value, Args>) {
  return Extensions({ returnsLoaded: true, ...(relation && { loads: relation }) });
}

/** The argument is as long as the result. */
export function OneForEach(idsArgument: string) {
  return Extensions(oneForEach(idsArgument));
}

export const oneForEach = (idsArgument: string) => ({ idsArgument }) satisfies FieldExtensions;

/** One object for each item of the argument that {@link OneForEach} names on the parent's field. */
export function AsLongAsArgument() {
  return Extensions({ isAsLongAsArgument: true } satisfies FieldExtensions);
}

/** The unit is the cost of one object. */
export function Costs(cost: number | CostOf) {
  return Extensions({ cost } satisfies FieldExtensions);
}

/** Marks the type of a connection or of its edges. */
export function PartOfConnection(part: ConnectionPart) {
  return Extensions({ connectionPart: part } satisfies TypeExtensions);
}

export function declaredColumns(field: GraphQLField<unknown, unknown>): readonly string[] | undefined {
  return field.extensions.requiredColumns;
}

export function readAheadOf(
  field: GraphQLField<unknown, unknown>,
): RelationLoader<unknown, unknown> | undefined {
  return field.extensions.readAhead;
}

export function loadedBy(
  field: GraphQLField<unknown, unknown>,
): RelationLoader<unknown, unknown> | undefined {
  const { loads, readAhead } = field.extensions;
  return loads ?? readAhead;
}

export function returnsLoaded(field: GraphQLField<unknown, unknown>): boolean {
  return field.extensions.returnsLoaded === true;
}

/**
 * Whether the length of a list already multiplied the cost of the field that returns its parent, as with the
 * lists in a connection.
 */
export function isAsLongAsArgument(field: GraphQLField<unknown, unknown>): boolean {
  return field.extensions.isAsLongAsArgument === true;
}

/** Undefined for other fields. */
export function idsArgumentOf(field: GraphQLField<unknown, unknown>): string | undefined {
  return field.extensions.idsArgument;
}

export function hasDeclaredCost(field: GraphQLField<unknown, unknown>): boolean {
  return field.extensions.cost !== undefined;
}

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

/** Both are read from the rows of the nodes. */
export function isPartOfConnection(type: GraphQLObjectType): boolean {
  return type.extensions.connectionPart !== undefined;
}

/** The entity type behind an object type. For a connection, that of its nodes. */
export function entityTypeOf(type: GraphQLNamedType): EntityType | undefined {
  if (!isObjectType(type)) return undefined;
  const nodes = isConnection(type) ? type.getFields().nodes : undefined;
  return nodes ? entityTypeOf(getNamedType(nodes.type)) : type.extensions.entityType?.();
}
