import { type DocumentNode, getIntrospectionQuery, Kind, parse } from "graphql";
import * as consoleDocuments from "../generated/console.js";
import * as restDocuments from "../generated/operations.js";
import { exampleOperations } from "./playground/examples.js";

/** What unknown operations are called: clients may choose any name. */
const other = "other";

/**
 * The names under which metrics and traces know operations: those of REST, of the
 * gateway's own pages, and those that the operator knows.
 */
export class OperationNames {
  readonly #known: ReadonlySet<string>;

  constructor(knownDocuments: Iterable<DocumentNode>) {
    const ofPages = [
      getIntrospectionQuery(),
      ...exampleOperations(new Date(), "").map(({ query }) => query),
    ].map((text) => parse(text));
    const generated = [...Object.values(restDocuments), ...Object.values(consoleDocuments)] as DocumentNode[];
    this.#known = new Set([...ofPages, ...generated, ...knownDocuments].flatMap(namesIn));
  }

  /** The name of an operation, if it is known. */
  of(name: string | undefined): string {
    return name !== undefined && this.#known.has(name) ? name : other;
  }
}

function namesIn({ definitions }: DocumentNode): string[] {
  return definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION ? (definition.name?.value ?? []) : [],
  );
}
