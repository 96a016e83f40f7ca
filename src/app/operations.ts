import type { DocumentNode } from "graphql";
import type { Environment } from "../environment.js";
import { Documents, documentParser } from "../graphql/documents.js";
import { createExecutor, maxAnsweredBytes } from "../graphql/execute.js";
import { KnownOperations } from "../graphql/known-operations.js";
import { OperationNames } from "../graphql/operation-names.js";
import { schema, subgraphSchema } from "../graphql/schema.js";
import type { OperationRunner } from "../rest/run-operation.js";

/** Runs the operations that clients send over HTTP and WebSocket. */
export interface ClientOperations extends OperationRunner {
  documents: Documents;
}

/**
 * Runs all operations. The few operations of REST and of the tools of assistants, of which
 * some may be known operations, are compiled apart from those of clients, which cannot
 * displace them.
 */
export interface Operations {
  ofRest: OperationRunner;
  ofTools: OperationRunner;
  ofClients: ClientOperations;
  /** The names of operations in metrics and traces. */
  names: OperationNames;
  /** The operator's known operations by their ids; undefined if clients run any. */
  ofOperator: ReadonlyMap<string, DocumentNode> | undefined;
}

/**
 * Creates the runners of operations. Throws if KNOWN_OPERATIONS is not a file of valid
 * documents.
 */
export function createOperations({ FEDERATION, KNOWN_OPERATIONS, NODE_ENV }: Environment): Operations {
  const schemaOfClients = FEDERATION === "on" ? subgraphSchema() : schema;
  const parse = documentParser(schemaOfClients, { hideSuggestions: NODE_ENV === "production" });
  const known = KNOWN_OPERATIONS === undefined ? undefined : KnownOperations.read(KNOWN_OPERATIONS, parse);
  return {
    ofRest: { schema, execute: createExecutor(schema) },
    // Tools run the operator's documents, too, which are for the schema of clients.
    ofTools: { schema: schemaOfClients, execute: createExecutor(schemaOfClients) },
    ofClients: {
      schema: schemaOfClients,
      execute: createExecutor(schemaOfClients, maxAnsweredBytes),
      documents: new Documents(parse, known),
    },
    names: new OperationNames(known?.documents ?? []),
    ofOperator: known?.ofOperator,
  };
}
