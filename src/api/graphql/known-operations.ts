import { readFileSync } from "node:fs";
import { type DocumentNode, getIntrospectionQuery, Kind, print, type SelectionSetNode, visit } from "graphql";
import { z } from "zod";
import * as consoleDocuments from "../../generated/console.js";
import { runAtOnce } from "../../platform/queues/slices.js";
import { memberIn } from "../../platform/record.js";
import { messageOf } from "../../platform/thrown.js";
import { connectorOperations } from "./connector-operations.js";
import { type AllowedOperations, type DocumentParser, type DocumentRequest, hashOf } from "./documents.js";
import { OperationDocument } from "./operation-document.js";

/** The operations of the gateway's own pages and connectors. GraphiQL sends the introspection query. */
const ownOperations = [
  getIntrospectionQuery({ inputValueDeprecation: false, schemaDescription: true }),
  ...(Object.values(consoleDocuments) as DocumentNode[]).filter(hasOperation).map(sentText),
  ...connectorOperations,
];

function hasOperation({ definitions }: DocumentNode): boolean {
  return definitions.some(({ kind }) => kind === Kind.OPERATION_DEFINITION);
}

/**
 * An operation as the console's client sends it: with the type name of every object, for its cache, and
 * without empty lines.
 */
function sentText(document: DocumentNode): string {
  const typeName = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: "__typename" } } as const;
  const named = (node: SelectionSetNode, _key: unknown, parent: unknown) =>
    memberIn(parent, "kind") === Kind.OPERATION_DEFINITION
      ? undefined
      : { ...node, selections: [...node.selections, typeName] };
  return print(visit(document, { SelectionSet: { leave: named } })).replaceAll(/\n+/g, "\n");
}

const fileFormat = z.record(z.string().min(1), z.string(), "must be an object of documents by their id");
const persistedQuery = z.object({ persistedQuery: z.object({ sha256Hash: z.string() }) });

/** The operations that clients may run when restricted, by their ids and by the SHA-256 of their texts. */
export class KnownOperations implements AllowedOperations {
  readonly #byId = new Map<string, OperationDocument>();
  readonly #byHash = new Map<string, OperationDocument>();

  /** Reads a JSON file of documents by id. Throws if the file is unreadable or a document is invalid. */
  static read(file: string, parse: DocumentParser): KnownOperations {
    const issues: string[] = [];
    const known = new KnownOperations();
    for (const text of ownOperations) known.#add(undefined, runAtOnce(parse(text)) as OperationDocument);
    for (const [id, text] of Object.entries(readTexts(file))) {
      const parsed = runAtOnce(parse(text));
      if (parsed instanceof OperationDocument) known.#add(id, parsed);
      else issues.push(...parsed.errors.map(({ message }) => `${id}: ${message}`));
    }
    if (issues.length > 0)
      throw new Error(
        `KNOWN_OPERATIONS has invalid documents in ${file}:\n${issues.map((issue) => `  ${issue}`).join("\n")}`,
      );
    return known;
  }

  /** Finds the operation with the text of a request, or otherwise with its id or hash. */
  find({ query, documentId, extensions }: DocumentRequest): OperationDocument | undefined {
    if (query) return this.#byHash.get(hashOf(query));
    const name = documentId ?? persistedQuery.safeParse(extensions).data?.persistedQuery.sha256Hash;
    if (typeof name !== "string") return undefined;
    // Ids of GraphQL over HTTP name the hash algorithm.
    return this.#byId.get(name) ?? this.#byHash.get(name.replace(/^sha256:/, "").toLowerCase());
  }

  withHash(hash: string): OperationDocument | undefined {
    return this.#byHash.get(hash);
  }

  /** The operator's own documents, by their ids. */
  get ofOperator(): ReadonlyMap<string, OperationDocument> {
    return this.#byId;
  }

  get documents(): DocumentNode[] {
    return Array.from(this.#byHash.values(), ({ ast }) => ast);
  }

  #add(id: string | undefined, document: OperationDocument): void {
    if (id !== undefined) this.#byId.set(id, document);
    this.#byHash.set(hashOf(document.text), document);
  }
}

function readTexts(file: string): Record<string, string> {
  try {
    return fileFormat.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    const reason =
      error instanceof z.ZodError
        ? error.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`.trim()).join(", ")
        : messageOf(error);
    throw new Error(`KNOWN_OPERATIONS cannot be read from ${file}: ${reason}`);
  }
}
