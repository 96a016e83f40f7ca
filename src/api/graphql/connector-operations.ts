import * as documents from "../../generated/connectors.js";

/** The texts of the operations that connectors send. */
export const connectorOperations: readonly string[] = Object.values(documents)
  .filter((document) => document instanceof documents.TypedDocumentString)
  .map(String);
