import {
  type GraphQLFieldConfig,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
  isInterfaceType,
} from "graphql";
import { z } from "zod";
import { findByKey } from "../../engine/nodes/node.resolver.js";
import { Node } from "../../engine/nodes/node.type.js";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { oneForEach } from "../../engine/reading/annotations.js";
import { badRequest } from "../../platform/errors/errors.js";
import { AnyScalar, keyIn, type Representation, representationRules } from "./representation.js";
import { subgraphSdl } from "./subgraph-sdl.js";

/** The fields that Federation adds to `Query`. */
export const serviceField = "_service";
export const entitiesField = "_entities";

/**
 * A schema as a subgraph of Federation 2: with the fields by which a router reads the schema, and objects by their
 * keys. Entities are the objects that are nodes.
 */
export function subgraphOf(schema: GraphQLSchema): GraphQLSchema {
  const { types, ...config } = schema.toConfig();
  const [node, query] = [schema.getType(Node.name), schema.getQueryType()];
  if (!isInterfaceType(node) || !query) throw new Error("There are no nodes in the schema");
  const entityTypes = schema
    .getPossibleTypes(node)
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const { fields, ...queryConfig } = query.toConfig();
  const withEntities = new GraphQLObjectType({
    ...queryConfig,
    fields: {
      ...fields,
      [serviceField]: serviceOf(schema),
      [entitiesField]: {
        description:
          "Objects by their keys, for routers, in the same order, with null for each object that does not exist or that the caller may not see, as for `nodes`.",
        type: new GraphQLNonNull(
          new GraphQLList(
            new GraphQLUnionType({
              name: "_Entity",
              description: "An object with a key.",
              types: entityTypes,
              ...(node.resolveType && { resolveType: node.resolveType }),
            }),
          ),
        ),
        args: {
          representations: {
            description: "The type and a key of each object, at most 1,000.",
            type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(AnyScalar))),
          },
        },
        extensions: {
          ...oneForEach("representations"),
          argumentRules: z.object({ representations: representationRules(entityTypes) }),
        },
        resolve: (_root, { representations }: { representations: Representation[] }, context, info) =>
          Promise.all(
            representations.map((representation) =>
              findByKey(context, info, keyIn(representation, context.caller.workspaceId)),
            ),
          ),
      },
    } satisfies ConstructorParameters<typeof GraphQLObjectType<unknown, RequestContext>>[0]["fields"],
  });
  return new GraphQLSchema({
    ...config,
    query: withEntities,
    types: types.filter((type) => type !== query),
  });
}

/**
 * What showing the schema counts as, in lists of introspection: enough for a slice of its own, as for its
 * introspection.
 */
const listsInSdl = 7;

function serviceOf(schema: GraphQLSchema): GraphQLFieldConfig<unknown, object> {
  // Made at the start, not while requests wait.
  const text = subgraphSdl(schema);
  // One for all: the trace of each error takes long to make.
  const shownAlready = badRequest([{ path: `${serviceField}.sdl`, message: "may be selected only once" }]);
  const shownTo = new WeakSet<object>();
  /** Shows it once to each request: a short one must not get a text of megabytes. */
  const sdl = (_service: unknown, _args: object, context: object) => {
    if (shownTo.has(context)) throw shownAlready;
    shownTo.add(context);
    return text;
  };
  return {
    description:
      "The schema as a subgraph of Federation 2, for routers. Its access rules are those of introspection.",
    type: new GraphQLNonNull(
      new GraphQLObjectType<unknown, object>({
        name: "_Service",
        description: "The subgraph.",
        fields: {
          sdl: {
            description: "In the schema definition language.",
            type: new GraphQLNonNull(GraphQLString),
            extensions: { introspectedLists: listsInSdl },
            resolve: sdl,
          },
        },
      }),
    ),
    resolve: () => ({}),
  };
}
