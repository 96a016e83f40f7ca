import { buildSubgraphSchema } from "@apollo/subgraph";
import { type GraphQLSchema, parse } from "graphql";

/**
 * A subgraph of somebody else: it knows where cameras hang and who looks after
 * facilities, and leaves all else about them to the gateway.
 */
export const floorPlansSdl = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])

  scalar UUID

  type Camera @key(fields: "id") {
    id: UUID!
    place: Place
  }

  type Facility @key(fields: "nodeId") {
    nodeId: ID!
    caretaker: String!
  }

  type Place {
    floor: Int!
    camera: Camera!
  }

  type PageInfo @shareable {
    hasNextPage: Boolean!
    hasPreviousPage: Boolean!
    startCursor: String
    endCursor: String
  }

  type Query {
    places: [Place!]!
    pages: PageInfo!
  }
`;

/** The schema of this subgraph, with a camera on each floor from the first on. */
export function floorPlansSchema(cameraIds: readonly string[]): GraphQLSchema {
  const placeOf = (id: string) => ({ floor: cameraIds.indexOf(id) + 1, camera: { id } });
  return buildSubgraphSchema([
    {
      typeDefs: parse(floorPlansSdl),
      resolvers: {
        Query: {
          places: () => cameraIds.map(placeOf),
          pages: () => ({ hasNextPage: false, hasPreviousPage: false }),
        },
        Camera: { place: ({ id }: { id: string }) => (cameraIds.includes(id) ? placeOf(id) : null) },
        Facility: { caretaker: ({ nodeId }: { nodeId: string }) => `Caretaker of ${nodeId}` },
      },
    },
  ]);
}
