import { hash } from "node:crypto";
import {
  type ASTNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  OverlappingFieldsCanBeMergedRule,
  parse,
  type SourceLocation,
  specifiedRules,
  validate,
  visit,
} from "graphql";
import { LRUCache } from "lru-cache";
import { ServiceError } from "../../platform/errors/errors.js";
import { networkOf } from "../../platform/network/ip-address.js";
import { inSlices, type SlicedWork, unitsPerSlice } from "../../platform/queues/slices.js";
import { countRefusal } from "../../platform/telemetry/refusals.js";
import { maxTokens } from "./limits.js";
import { OperationDocument } from "./operation-document.js";
import { boundedOverlappingFieldsRule } from "./overlapping-fields.js";

/** The maximum length of a client's document over HTTP and WebSocket, in bytes of UTF-8. */
const maxDocumentBytes = 64 * 1024;
/** The heap that all cached documents may take together, with their plans. */
const maxCachedBytes = 48 * 1024 * 1024;

/** The work of parsing and validating a document, where one unit is the work for a row of an answer. */
const unitsPerDocument = 10;
const charactersPerUnit = 32;

const rules = specifiedRules.map((rule) =>
  rule === OverlappingFieldsCanBeMergedRule ? boundedOverlappingFieldsRule : rule,
);
/** The rules that check a long document at a time. All rules together take up to a tenth of a second. */
const rulesPerSlice = 9;
const longDocumentTokens = 1_000;
/** Validation stops after this many errors. */
const maxErrors = 20;
const maxLocations = 20;
const maxMessageLength = 1_000;

/** A valid document, or the errors of an invalid one. */
export type DocumentOrErrors = OperationDocument | { errors: ServiceError[] };

export interface DocumentRequest {
  query?: string | null | undefined;
  /** The id of a known operation. */
  documentId?: unknown;
  /** May hold the hash of a known operation as `persistedQuery.sha256Hash`. */
  extensions?: unknown;
}

/** The operations that clients may run, if restricted. */
export interface AllowedOperations {
  find(request: DocumentRequest): OperationDocument | undefined;
  /** The operation whose text has a hash. */
  withHash(hash: string): OperationDocument | undefined;
}

/**
 * The documents of clients, on every transport. Valid documents are cached: equal texts yield the same document, by
 * reference. Apollo Server takes them from here as from a store of its own.
 */
export class Documents {
  readonly #parse: DocumentParser;
  readonly #allowed: AllowedOperations | undefined;
  readonly #cache = new LRUCache<string, OperationDocument>({
    maxSize: maxCachedBytes,
    sizeCalculation: ({ bytes }) => bytes,
  });

  constructor(parse: DocumentParser, allowed?: AllowedOperations) {
    this.#parse = parse;
    this.#allowed = allowed;
  }

  /** Whether only known operations run. Requests then need no text. */
  get areRestricted(): boolean {
    return this.#allowed !== undefined;
  }

  /**
   * The document of a request from an address; undefined if the request names none. PAYLOAD_TOO_LARGE or FORBIDDEN
   * without looking at the text. Senders of long documents take turns.
   */
  async find(
    request: DocumentRequest,
    { address }: { address: string },
  ): Promise<DocumentOrErrors | undefined> {
    const { query } = request;
    if (query && isTooLong(query))
      throw new ServiceError("PAYLOAD_TOO_LARGE", `A document has at most ${maxDocumentBytes} bytes`);
    if (this.#allowed) {
      const known = this.#allowed.find(request);
      if (known) return known;
      countRefusal("known_operations", "request");
      throw new ServiceError("FORBIDDEN", "This gateway runs only known operations, and this one is unknown");
    }
    if (!query) return undefined;
    return this.#cache.get(hashOf(query)) ?? inSlices(networkOf(address), this.#parsed(query));
  }

  *#parsed(text: string): SlicedWork<DocumentOrErrors> {
    const parsed = yield* this.#parse(text);
    if (!(parsed instanceof OperationDocument)) return parsed;
    const hash = hashOf(text);
    this.#cache.set(hash, parsed);
    parsed.onGrowth = () => {
      // Setting it alone would keep the size.
      if (this.#cache.peek(hash) === parsed && this.#cache.delete(hash)) this.#cache.set(hash, parsed);
    };
    return parsed;
  }

  /** The document whose text has the hash at the end of a key. */
  async get(key: string): Promise<DocumentNode | undefined> {
    const hash = key.slice(-hashLength);
    return (this.#allowed ? this.#allowed.withHash(hash) : this.#cache.get(hash))?.ast;
  }

  async set(): Promise<void> {}

  async delete(): Promise<boolean> {
    return false;
  }
}

function isTooLong(text: string): boolean {
  return text.length > maxDocumentBytes || Buffer.byteLength(text) > maxDocumentBytes;
}

const hashLength = 64;

/** The key of a document: the SHA-256 of its text. */
export function hashOf(text: string): string {
  return hash("sha256", text);
}

export type DocumentParser = (text: string) => SlicedWork<DocumentOrErrors>;

/** Creates the parser of all documents. With `hideSuggestions`, errors suggest no names of the schema. */
export function documentParser(
  schema: GraphQLSchema,
  { hideSuggestions }: { hideSuggestions: boolean },
): DocumentParser {
  function* errorsOf(document: DocumentNode): SlicedWork<GraphQLError[]> {
    const errors: GraphQLError[] = [];
    const isLong = (document.tokenCount ?? 0) > longDocumentTokens;
    const size = isLong ? rulesPerSlice : rules.length;
    for (let start = 0; start < rules.length && errors.length < maxErrors; start += size) {
      if (isLong) yield unitsPerSlice;
      errors.push(
        ...validate(schema, document, rules.slice(start, start + size), { maxErrors, hideSuggestions }),
      );
    }
    return errors.slice(0, maxErrors);
  }
  return function* parseDocument(text) {
    yield unitsPerDocument + text.length / charactersPerUnit;
    try {
      const document = parse(text, { maxTokens, noLocation: true });
      const errors = yield* errorsOf(document);
      if (errors.length > 0) return { errors: validationErrors(text, document, errors) };
      return new OperationDocument(schema, document, text);
    } catch (error) {
      if (error instanceof GraphQLError)
        return {
          errors: [documentError("GRAPHQL_PARSE_FAILED", error.message, { locations: error.locations })],
        };
      // Parsing and validation are recursive: a document nested too deeply overflows the stack.
      if (error instanceof RangeError)
        return { errors: [documentError("GRAPHQL_PARSE_FAILED", "The document is nested too deeply")] };
      throw error;
    }
  };
}

/** The errors with their locations in the text. Parses the text again to find them. */
function validationErrors(
  text: string,
  document: DocumentNode,
  errors: readonly GraphQLError[],
): ServiceError[] {
  const nodesOf = ({ nodes }: GraphQLError) => (nodes ?? []).slice(0, maxLocations);
  const locationByNode = locationsOf(text, document, new Set(errors.flatMap(nodesOf)));
  const locate = locator(text);
  return errors.map((error) => {
    const found = nodesOf(error).map((node) => locationByNode.get(node) as NodeLocation);
    const locations = found.map(({ start }) => locate(start));
    return documentError("GRAPHQL_VALIDATION_FAILED", error.message, {
      locations,
      argument: found[0]?.argument,
    });
  });
}

interface ErrorLocation {
  locations: readonly SourceLocation[] | undefined;
  /** The path of the argument or variable whose value is invalid. */
  argument?: string | undefined;
}

function documentError(
  code: "GRAPHQL_PARSE_FAILED" | "GRAPHQL_VALIDATION_FAILED",
  message: string,
  { locations = [], argument }: Partial<ErrorLocation> = {},
): ServiceError {
  const shown = truncated(message);
  const detail = argument === undefined ? undefined : { path: truncated(argument), message: shown };
  const error = detail
    ? new ServiceError(code, `${detail.path}: ${shown}`, { details: [detail] })
    : new ServiceError(code, shown);
  return locations.length > 0 ? Object.assign(error, { locations }) : error;
}

/** Messages and paths quote names, whose length the client determines. */
const truncated = (text: string) =>
  text.length > maxMessageLength ? `${text.slice(0, maxMessageLength)}…` : text;

interface NodeLocation {
  start: number;
  /** For a value, its path from the argument or variable down, such as `filter.cameraIds.1`. */
  argument: string | undefined;
}

/** Finds the locations of some nodes of a document that was parsed without them. */
function locationsOf(
  text: string,
  document: DocumentNode,
  wanted: ReadonlySet<ASTNode>,
): Map<ASTNode, NodeLocation> {
  const starts: number[] = [];
  visit(parse(text, { maxTokens }), { enter: ({ loc }) => void starts.push(loc?.start ?? 0) });
  const located = new Map<ASTNode, NodeLocation>();
  let index = 0;
  visit(document, {
    enter: (node, _key, parent, path, ancestors) => {
      if (wanted.has(node))
        located.set(node, {
          start: starts[index] ?? 0,
          argument: argumentOf(node, path, parent ? [...ancestors, parent] : []),
        });
      index += 1;
    },
  });
  return located;
}

const valueKinds: ReadonlySet<Kind> = new Set([
  Kind.INT,
  Kind.FLOAT,
  Kind.STRING,
  Kind.BOOLEAN,
  Kind.NULL,
  Kind.ENUM,
  Kind.LIST,
  Kind.OBJECT,
]);

/** The path of a value; undefined for other nodes. `keys` lead from each ancestor to the next. */
function argumentOf(
  { kind }: ASTNode,
  keys: readonly (string | number)[],
  ancestors: readonly (ASTNode | readonly ASTNode[])[],
): string | undefined {
  if (!valueKinds.has(kind)) return undefined;
  const path = ancestors.flatMap<string | number>((ancestor, depth) => {
    if (!("kind" in ancestor)) return [];
    if (ancestor.kind === Kind.VARIABLE_DEFINITION) return [ancestor.variable.name.value];
    if (ancestor.kind === Kind.ARGUMENT || ancestor.kind === Kind.OBJECT_FIELD) return [ancestor.name.value];
    return ancestor.kind === Kind.LIST ? [keys[depth + 1] as number] : [];
  });
  return path.join(".");
}

/** Finds the line and column of positions in one pass through the text; graphql-js would make one for each position. */
function locator(text: string): (position: number) => SourceLocation {
  const lines = [0, ...Array.from(text.matchAll(/\r\n|[\n\r]/g), ({ 0: end, index }) => index + end.length)];
  return (position) => {
    let line = 0;
    for (let after = lines.length; line + 1 < after; ) {
      const middle = (line + after) >> 1;
      if ((lines[middle] ?? 0) <= position) line = middle;
      else after = middle;
    }
    return { line: line + 1, column: position - (lines[line] ?? 0) + 1 };
  };
}
