import { GraphQLError, type GraphQLObjectType, GraphQLScalarType } from "graphql";
import { z } from "zod";
import { noNodeId } from "../../engine/nodes/node.resolver.js";
import { hasSharedIds } from "../../engine/nodes/node.type.js";
import { decodeNodeId, type NodeKey } from "../../engine/nodes/node-id.js";
import { uuid } from "../../platform/input/scalars.js";
import { isRecord } from "../../platform/record.js";

const maxRepresentations = 1_000;

/** An object as a router names it: by its type and keys. */
export type Representation = Readonly<Record<string, unknown>>;

function parseRepresentation(value: unknown): Representation {
  if (!isRecord(value)) throw new GraphQLError("must be an object with __typename and a key");
  return value;
}

/** What Federation calls the type of representations. */
export const AnyScalar = new GraphQLScalarType<Representation>({
  name: "_Any",
  description: "An object as a router names it: its `__typename` and a key of this type.",
  parseValue: parseRepresentation,
});

/** The keys of a type: the fields that identify an object in all workspaces. */
export const keysOf = (type: GraphQLObjectType): readonly string[] =>
  hasSharedIds(type) ? ["nodeId"] : ["nodeId", "id"];

type Issue = { path: string[]; message: string };

/** The rules for representations of types with keys. Messages quote nothing of what was sent, which may be long. */
export function representationRules(types: readonly GraphQLObjectType[]): z.ZodType<Representation[]> {
  const keysByType = new Map(types.map((type) => [type.name, keysOf(type)]));
  return z
    .array(z.custom<Representation>())
    .max(maxRepresentations, { error: `must list at most ${maxRepresentations}`, abort: true })
    .superRefine((representations, { addIssue }) => {
      for (const [index, representation] of representations.entries()) {
        const issue = issueOf(representation, keysByType);
        if (issue) addIssue({ code: "custom", path: [index, ...issue.path], message: issue.message });
      }
    });
}

function issueOf(
  { __typename: type, ...given }: Representation,
  keysByType: ReadonlyMap<string, readonly string[]>,
): Issue | undefined {
  const keys = typeof type === "string" ? keysByType.get(type) : undefined;
  if (!keys) return { path: ["__typename"], message: `must be one of ${[...keysByType.keys()].join(", ")}` };
  const names = Object.keys(given);
  if (names.length === 0 || !names.every((name) => keys.includes(name)))
    return { path: [], message: `must have ${keys.join(" or ")}, and nothing else but __typename` };
  const { id, nodeId } = given;
  const isIdGiven = names.includes("id");
  if (isIdGiven && !uuid.safeParse(id).success) return { path: ["id"], message: "must be a UUID" };
  if (!names.includes("nodeId")) return undefined;
  const key = typeof nodeId === "string" ? decodeNodeId(nodeId) : undefined;
  if (!key) return { path: ["nodeId"], message: noNodeId };
  if (key.type !== type) return { path: ["nodeId"], message: "is of an object of another type" };
  return isIdGiven && key.id !== uuid.parse(id)
    ? { path: [], message: "has a nodeId and an id of different objects" }
    : undefined;
}

/** The key in a valid representation. */
export function keyIn({ __typename, id, nodeId }: Representation, workspaceId: string): NodeKey | undefined {
  return nodeId === undefined
    ? { type: String(__typename), workspaceId, id: uuid.parse(id) }
    : decodeNodeId(String(nodeId));
}
