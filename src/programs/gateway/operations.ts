import type { GraphQLSchema } from "graphql";
import { Documents, documentParser } from "../../api/graphql/documents.js";
import { KnownOperations } from "../../api/graphql/known-operations.js";
import type { OperationDocument } from "../../api/graphql/operation-document.js";
import { OperationNames } from "../../api/graphql/operation-names.js";
import { schema, subgraphSchema } from "../../api/graphql/schema.js";
import type { Environment } from "../../engine/settings/environment.js";

export interface Operations {
  schema: GraphQLSchema;
  documents: Documents;
  names: OperationNames;
  /** The operator's known operations by their ids; undefined if clients run any. */
  ofOperator: ReadonlyMap<string, OperationDocument> | undefined;
}

/** Throws if KNOWN_OPERATIONS is not a file of valid documents. */
export function createOperations({ FEDERATION, KNOWN_OPERATIONS, NODE_ENV }: Environment): Operations {
  const schemaOfClients = FEDERATION === "on" ? subgraphSchema() : schema;
  const parse = documentParser(schemaOfClients, { hideSuggestions: NODE_ENV === "production" });
  const known = KNOWN_OPERATIONS === undefined ? undefined : KnownOperations.read(KNOWN_OPERATIONS, parse);
  return {
    schema: schemaOfClients,
    documents: new Documents(parse, known),
    names: new OperationNames(known?.documents ?? []),
    ofOperator: known?.ofOperator,
  };
}
