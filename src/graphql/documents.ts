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
import { ServiceError } from "../platform/errors.js";
import { networkOf } from "../platform/ip-address.js";
import { inTurns, type SlicedWork, unitsPerTurn } from "../platform/queues/turns.js";
import { countRefusal } from "../platform/telemetry/refusals.js";
import { maxTokens } from "./limits.js";
import { boundedOverlappingFieldsRule } from "./overlapping-fields.js";

/**
 * The longest document that a client may send, in bytes of UTF-8; over HTTP and
 * WebSocket.
 */
const maxDocumentBytes = 64 * 1024;
/** What the cached documents may take of the heap together. */
const maxCachedBytes = 16 * 1024 * 1024;

// The most that was measured is 211 bytes per token. What is found out about an operation
// is kept with its nodes.
const bytesPerDocument = 1024;
const bytesPerToken = 256;
/**
 * How much work it is to parse and validate a document, and how much of it is as much
 * work as a row of an answer.
 */
const unitsPerDocument = 10;
const charactersPerUnit = 32;
/** Names of 13 characters and more are slices, in V8, which keep the whole text. */
const bytesPerCharacter = 2;

const rules = specifiedRules.map((rule) =>
  rule === OverlappingFieldsCanBeMergedRule ? boundedOverlappingFieldsRule : rule,
);
/**
 * How many rules a long document is checked by at a time: all of them take up to a tenth
 * of a second.
 */
const rulesPerSlice = 9;
const longDocumentTokens = 1_000;
/** Validation stops after this many errors. */
const maxErrors = 20;
const maxLocations = 20;
const maxMessageLength = 1_000;

/**
 * A document that is valid for the schema. It has no locations: they would keep every
 * token and comment of the text.
 */
export interface ParsedDocument {
  document: DocumentNode;
  /** The SHA-256 of the text. */
  hash: string;
}

/** A valid document, or why there is none. */
export type DocumentOrErrors = ParsedDocument | { errors: ServiceError[] };

/** How a client says which document to run. */
export interface DocumentRequest {
  query?: string | null | undefined;
  /** The id of a known operation. */
  documentId?: unknown;
  /** May have the hash of a known operation as `persistedQuery.sha256Hash`. */
  extensions?: unknown;
}

/** The only operations that clients may run. */
export interface AllowedOperations {
  find(request: DocumentRequest): ParsedDocument | undefined;
}

/**
 * The documents of clients, on every transport. Those that are valid are cached: equal
 * texts then give the same document, by reference.
 */
export class Documents {
  readonly #parse: DocumentParser;
  readonly #allowed: AllowedOperations | undefined;
  readonly #cache = new LRUCache<string, ParsedDocument>({
    maxSize: maxCachedBytes,
    sizeCalculation: ({ document }) => heapBytesOf(document),
  });

  constructor(parse: DocumentParser, allowed?: AllowedOperations) {
    this.#parse = parse;
    this.#allowed = allowed;
  }

  /** Whether only known operations run, so that a request need not bring a text. */
  get areRestricted(): boolean {
    return this.#allowed !== undefined;
  }

  /**
   * The document that a request from an address is for; undefined if it names none. Those
   * who send long ones take turns.
   */
  async find(
    request: DocumentRequest,
    { address }: { address: string },
  ): Promise<DocumentOrErrors | undefined> {
    const { query } = request;
    if (query && isTooLong(query)) {
      return {
        errors: [new ServiceError("PAYLOAD_TOO_LARGE", `A document has at most ${maxDocumentBytes} bytes`)],
      };
    }
    if (this.#allowed) {
      const known = this.#allowed.find(request);
      if (!known) countRefusal("known_operations", "request");
      return (
        known ?? {
          errors: [new ServiceError("FORBIDDEN", "Only known operations run here, and this is none of them")],
        }
      );
    }
    if (!query) return undefined;
    return this.#cache.get(hashOf(query)) ?? inTurns(networkOf(address), this.#parsed(query));
  }

  *#parsed(text: string): SlicedWork<DocumentOrErrors> {
    const parsed = yield* this.#parse(text);
    if ("document" in parsed) this.#cache.set(parsed.hash, parsed);
    return parsed;
  }
}

function isTooLong(text: string): boolean {
  return text.length > maxDocumentBytes || Buffer.byteLength(text) > maxDocumentBytes;
}

/** The key of a document: the SHA-256 of its text. */
export function hashOf(text: string): string {
  return hash("sha256", text);
}

const textLengths = new WeakMap<DocumentNode, number>();

/**
 * About how much of the heap a document takes, with its text and all that is kept with
 * its nodes.
 */
export function heapBytesOf(document: DocumentNode): number {
  return (
    bytesPerDocument +
    bytesPerToken * (document.tokenCount ?? 0) +
    bytesPerCharacter * (textLengths.get(document) ?? 0)
  );
}

/** Parses and validates a document. */
export type DocumentParser = (text: string) => SlicedWork<DocumentOrErrors>;

/**
 * Creates the parser of all documents. Errors suggest no names of the schema if
 * `hideSuggestions` is set.
 */
export function documentParser(
  schema: GraphQLSchema,
  { hideSuggestions }: { hideSuggestions: boolean },
): DocumentParser {
  function* errorsOf(document: DocumentNode): SlicedWork<GraphQLError[]> {
    const errors: GraphQLError[] = [];
    const isLong = (document.tokenCount ?? 0) > longDocumentTokens;
    const size = isLong ? rulesPerSlice : rules.length;
    for (let start = 0; start < rules.length && errors.length < maxErrors; start += size) {
      if (isLong) yield unitsPerTurn;
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
      textLengths.set(document, text.length);
      return { document, hash: hashOf(text) };
    } catch (error) {
      if (error instanceof GraphQLError)
        return {
          errors: [documentError("GRAPHQL_PARSE_FAILED", error.message, { locations: error.locations })],
        };
      // Parser and validation are recursive: a document that is nested too deep overflows
      // the stack.
      if (error instanceof RangeError)
        return { errors: [documentError("GRAPHQL_PARSE_FAILED", "The document is nested too deep")] };
      throw error;
    }
  };
}

/** The errors with their places in the text, which is parsed a second time for them. */
function validationErrors(
  text: string,
  document: DocumentNode,
  errors: readonly GraphQLError[],
): ServiceError[] {
  const nodesOf = ({ nodes }: GraphQLError) => (nodes ?? []).slice(0, maxLocations);
  const placesByNode = placesOf(text, document, new Set(errors.flatMap(nodesOf)));
  const locate = locator(text);
  return errors.map((error) => {
    const places = nodesOf(error).map((node) => placesByNode.get(node) as Place);
    const locations = places.map(({ start }) => locate(start));
    return documentError("GRAPHQL_VALIDATION_FAILED", error.message, {
      locations,
      argument: places[0]?.argument,
    });
  });
}

/** Where an error is. */
interface ErrorPlace {
  locations: readonly SourceLocation[] | undefined;
  /** The path of the argument or variable whose value is invalid. */
  argument?: string | undefined;
}

function documentError(
  code: "GRAPHQL_PARSE_FAILED" | "GRAPHQL_VALIDATION_FAILED",
  message: string,
  { locations = [], argument }: Partial<ErrorPlace> = {},
): ServiceError {
  const shown = truncated(message);
  const detail = argument === undefined ? undefined : { path: truncated(argument), message: shown };
  const error = detail
    ? new ServiceError(code, `${detail.path}: ${shown}`, { details: [detail] })
    : new ServiceError(code, shown);
  return locations.length > 0 ? Object.assign(error, { locations }) : error;
}

/** Messages and paths quote names, of which a client determines the length. */
const truncated = (text: string) =>
  text.length > maxMessageLength ? `${text.slice(0, maxMessageLength)}…` : text;

/** Where in a document a node is. */
interface Place {
  /** Where it begins in the text. */
  start: number;
  /**
   * If it is a value, the path of the argument or variable it belongs to, down to it,
   * such as `filter.cameraIds.1`.
   */
  argument: string | undefined;
}

/** The places of some nodes of a document without locations. */
function placesOf(text: string, document: DocumentNode, wanted: ReadonlySet<ASTNode>): Map<ASTNode, Place> {
  const starts: number[] = [];
  visit(parse(text, { maxTokens }), { enter: ({ loc }) => void starts.push(loc?.start ?? 0) });
  const places = new Map<ASTNode, Place>();
  let index = 0;
  visit(document, {
    enter: (node, _key, parent, path, ancestors) => {
      if (wanted.has(node))
        places.set(node, {
          start: starts[index] as number,
          argument: argumentOf(node, path, parent ? [...ancestors, parent] : []),
        });
      index += 1;
    },
  });
  return places;
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

/**
 * The path of a value; undefined for other nodes. The keys lead from each ancestor to the
 * next.
 */
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

/**
 * Finds line and column of positions in a text, which it goes through once: graphql-js
 * would do so for every position.
 */
function locator(text: string): (position: number) => SourceLocation {
  const lines = [0, ...Array.from(text.matchAll(/\r\n|[\n\r]/g), ({ 0: end, index }) => index + end.length)];
  return (position) => {
    let line = 0;
    for (let after = lines.length; line + 1 < after; ) {
      const middle = (line + after) >> 1;
      if ((lines[middle] as number) <= position) line = middle;
      else after = middle;
    }
    return { line: line + 1, column: position - (lines[line] as number) + 1 };
  };
}
