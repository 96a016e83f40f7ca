import { type DocumentNode, GraphQLError, type GraphQLSchema, parse, specifiedRules, validate } from "graphql";
import { LRUCache } from "lru-cache";
import { ServiceError } from "../platform/errors.js";
import { maxTokens } from "./limits.js";

/** The total length of the cached texts, in characters. */
const maxCachedLength = 1_000_000;
/** Validation stops after this many errors. */
const maxErrors = 20;

/** A document that is valid for the schema, or its errors. */
export type ParsedDocument = { document: DocumentNode } | { errors: GraphQLError[] };

/** Parses and validates the documents that clients send over sockets. Equal texts give the same document, by reference. */
export class Documents {
  readonly #schema: GraphQLSchema;
  readonly #cache = new LRUCache<string, ParsedDocument>({ maxSize: maxCachedLength, sizeCalculation: (_parsed, text) => text.length + 1 });

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  parse(text: string): ParsedDocument {
    const cached = this.#cache.get(text);
    if (cached) return cached;
    const parsed = this.#parseAndValidate(text);
    this.#cache.set(text, parsed);
    return parsed;
  }

  #parseAndValidate(text: string): ParsedDocument {
    try {
      const document = parse(text, { maxTokens });
      const errors = validate(this.#schema, document, specifiedRules, { maxErrors });
      return errors.length === 0 ? { document } : { errors: errors.map((error) => withCode(error, "GRAPHQL_VALIDATION_FAILED")) };
    } catch (error) {
      if (error instanceof GraphQLError) return { errors: [withCode(error, "GRAPHQL_PARSE_FAILED")] };
      // The parser is recursive: a document that is nested too deep overflows the stack.
      if (error instanceof RangeError) return { errors: [new ServiceError("GRAPHQL_PARSE_FAILED", "The document is nested too deep")] };
      throw error;
    }
  }
}

/** The error with a code of the contract, at its place in the document. */
function withCode({ message, nodes, source, positions }: GraphQLError, code: "GRAPHQL_PARSE_FAILED" | "GRAPHQL_VALIDATION_FAILED"): GraphQLError {
  return new GraphQLError(message, {
    nodes: nodes ?? null,
    source: source ?? null,
    positions: positions ?? null,
    originalError: new ServiceError(code, message),
  });
}
