import { type GraphQLNamedType, isObjectType } from "graphql";
import { Extensions, InterfaceType } from "type-graphql";
import type { RequestContext } from "../operation/request-context.js";
import type { Selection } from "../reading/selection/selection.js";

@InterfaceType({
  description:
    "An object that can be fetched again by its `nodeId` alone, regardless of its type: see `Query.node`. For Relay, with `nodeInterfaceIdField` and `nodeInterfaceIdVariableName` set to nodeId.",
})
export abstract class Node {}

/** Reads the object of a type that has an id; null if the caller does not see it. */
type FindNode = (context: RequestContext, selection: Selection, id: string) => Promise<object | null>;

interface TypeExtensions {
  findNode?: FindNode;
  hasSharedIds?: boolean;
}

declare module "graphql" {
  interface GraphQLObjectTypeExtensions<_TSource, _TContext> extends TypeExtensions {}
}

interface IdFacts {
  /** Whether objects of two workspaces may have the same `id`. */
  shared: boolean;
}

/**
 * Says how `Query.node` finds the objects of a type that implements {@link Node}. It asks for the same permission as
 * the other fields that return these objects.
 */
export function FoundBy(findNode: FindNode, ids: IdFacts = { shared: false }) {
  return Extensions({ findNode, hasSharedIds: ids.shared } satisfies TypeExtensions);
}

/** How the objects of a type are found; undefined if the type is not a node. */
export function findNodeOf(type: GraphQLNamedType | undefined): FindNode | undefined {
  return isObjectType(type) ? type.extensions.findNode : undefined;
}

/** Whether the `id` of an object of a type identifies it in its workspace alone. */
export function hasSharedIds(type: GraphQLNamedType): boolean {
  return type.extensions.hasSharedIds === true;
}
