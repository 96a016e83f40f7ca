import { type DocumentNode, GraphQLError, type GraphQLSchema, parse, specifiedRules, validate } from "graphql";
import { LRUCache } from "lru-cache";
import { ServiceError } from "../platform/errors.js";
import { mostTokens } from "./limits.js";

/** Characters of texts that are kept with what became of them. */
const mostKept = 1_000_000;
const mostFaults = 20;

/** What a text turned out to be: a document that fits the schema, or what is wrong with it. */
export type ReadDocument = { document: DocumentNode } | { faults: GraphQLError[] };

/** Parses and validates what clients send over sockets; what comes again is the same document. */
export class Documents {
  readonly #schema: GraphQLSchema;
  readonly #known = new LRUCache<string, ReadDocument>({ maxSize: mostKept, sizeCalculation: (_read, text) => text.length + 1 });

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  read(text: string): ReadDocument {
    const known = this.#known.get(text);
    if (known) return known;
    const read = this.#examine(text);
    this.#known.set(text, read);
    return read;
  }

  #examine(text: string): ReadDocument {
    try {
      const document = parse(text, { maxTokens: mostTokens });
      const faults = validate(this.#schema, document, specifiedRules, { maxErrors: mostFaults });
      return faults.length === 0 ? { document } : { faults: faults.map((fault) => refused(fault, "GRAPHQL_VALIDATION_FAILED")) };
    } catch (error) {
      if (error instanceof GraphQLError) return { faults: [refused(error, "GRAPHQL_PARSE_FAILED")] };
      // The parser calls itself for each level.
      if (error instanceof RangeError) return { faults: [new ServiceError("GRAPHQL_PARSE_FAILED", "The document is nested too deep")] };
      throw error;
    }
  }
}

/** The fault under our code, at the place where it is. */
function refused({ message, nodes, source, positions }: GraphQLError, code: "GRAPHQL_PARSE_FAILED" | "GRAPHQL_VALIDATION_FAILED"): GraphQLError {
  return new GraphQLError(message, {
    nodes: nodes ?? null,
    source: source ?? null,
    positions: positions ?? null,
    originalError: new ServiceError(code, message),
  });
}
