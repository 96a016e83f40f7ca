import { type GraphQLResolveInfo, type GraphQLSchema, isInterfaceType, isObjectType } from "graphql";
import { Ctx, FieldResolver, ID, Info, Query, Resolver, Root } from "type-graphql";
import { z } from "zod";
import { argumentsType, CheckedArgs, graphqlField } from "../../platform/input/input-type.js";
import type { RequestContext } from "../operation/request-context.js";
import { OneForEach, RequiresColumns } from "../reading/annotations.js";
import { selectionOf } from "../reading/selection/selected-fields.js";
import { findNodeOf, Node } from "./node.type.js";
import { decodeNodeId, encodeNodeId, type NodeKey } from "./node-id.js";

const maxNodes = 100;

const id = z.string().register(graphqlField, { type: ID });
const isNodeId = (text: string) => decodeNodeId(text) !== undefined;
/** What is wrong with a text that is not a node id. */
export const noNodeId = "is not a node ID: pass one that the API returned as nodeId";

type NodeArguments = InstanceType<typeof NodeArguments>;
const NodeArguments = argumentsType(
  z.object({
    nodeId: id
      .refine(isNodeId, noNodeId)
      .describe(
        "The object's `nodeId`. If there is none with this node ID, or the caller may not see it, the result is null without an error.",
      ),
  }),
);

type NodesArguments = InstanceType<typeof NodesArguments>;
const NodesArguments = argumentsType(
  z.object({
    nodeIds: z
      .array(id)
      .min(1, "must list at least one")
      .max(maxNodes, { error: `must list at most ${maxNodes}`, abort: true })
      .superRefine((ids, { addIssue }) => {
        for (const [index, text] of ids.entries())
          if (!isNodeId(text)) addIssue({ code: "custom", path: [index], message: noNodeId });
      })
      .describe(
        `The \`nodeId\` of each object, 1 to ${maxNodes}, in any order and of any types. IDs may be repeated.`,
      ),
  }),
);

@Resolver(() => Node)
export class NodeResolver {
  @Query(() => Node, {
    nullable: true,
    description:
      "An object by its node ID; null if there is none that the caller may see. The permissions are the same as elsewhere: users:read for another user and for an audit entry, api-keys:write for an API key.",
  })
  node(
    @Ctx() context: RequestContext,
    @Info() info: GraphQLResolveInfo,
    @CheckedArgs(NodeArguments) { nodeId }: NodeArguments,
  ) {
    return findByKey(context, info, decodeNodeId(nodeId));
  }

  @OneForEach("nodeIds")
  @Query(() => [Node], {
    nullable: "items",
    description:
      "Objects by their node IDs, in the same order, with null for each object that does not exist or that the caller may not see, as for `node`.",
  })
  nodes(
    @Ctx() context: RequestContext,
    @Info() info: GraphQLResolveInfo,
    @CheckedArgs(NodesArguments) { nodeIds }: NodesArguments,
  ) {
    return Promise.all(nodeIds.map((nodeId) => findByKey(context, info, decodeNodeId(nodeId))));
  }

  @RequiresColumns("id")
  @FieldResolver(() => ID, {
    description:
      "Identifies the object among objects of all types, for caches and for `Query.node`. Opaque; it never changes. Other arguments take `id`.",
  })
  nodeId(
    @Ctx() context: RequestContext,
    @Info() { parentType }: GraphQLResolveInfo,
    @Root() row: { id: string; workspaceId?: string },
  ): string {
    // A feed server is no caller, but what it reports on is a whole row.
    return encodeNodeId({
      type: parentType.name,
      workspaceId: row.workspaceId ?? context.caller.workspaceId,
      id: row.id,
    });
  }
}

/** Rows say nothing about their type: those of nodes are noted here until the executor asks. */
const typesOfRows = new WeakMap<object, string>();

/** Reads an object by its key; null if there is none that the caller may see. */
export async function findByKey(
  context: RequestContext,
  info: GraphQLResolveInfo,
  key: NodeKey | undefined,
): Promise<object | null> {
  const type = key && info.schema.getType(key.type);
  const find = findNodeOf(type);
  // All that a caller may see is in their workspace.
  if (!key || !find || !isObjectType(type) || key.workspaceId !== context.caller.workspaceId) return null;
  const row = await find(context, selectionOf(context, info, type), key.id);
  if (row) typesOfRows.set(row, key.type);
  return row;
}

/** Completes the interface in a schema, and refuses one in which a type cannot be found by its node id. */
export function completeNodes(schema: GraphQLSchema): void {
  const node = schema.getType(Node.name);
  if (!isInterfaceType(node)) throw new Error("There are no nodes in the schema");
  // Not by an option of the decorator: type-graphql would make it asynchronous, which takes a promise for each object.
  node.resolveType = (row: object) => typesOfRows.get(row);
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.getInterfaces().includes(node) === (findNodeOf(type) !== undefined))
      continue;
    throw new Error(`${type.name} must implement Node and say with @FoundBy how it is found, or neither`);
  }
}
