import { type DocumentNode, getIntrospectionQuery, Kind, parse } from "graphql";
import * as consoleDocuments from "../../generated/console.js";
import * as restDocuments from "../../generated/operations.js";
import { connectorOperations } from "./connector-operations.js";
import { exampleOperations } from "./playground/examples.js";

/** The name for unknown operations: clients may choose any name. */
const other = "other";

/** The operation names in metrics and traces: of REST, the own pages and connectors, and known operations. */
export class OperationNames {
  readonly #known: ReadonlySet<string>;

  constructor(knownDocuments: Iterable<DocumentNode>) {
    const texts = [
      getIntrospectionQuery(),
      ...exampleOperations(new Date(), undefined).map(({ query }) => query),
      ...connectorOperations,
    ];
    const generated = [...Object.values(restDocuments), ...Object.values(consoleDocuments)] as DocumentNode[];
    this.#known = new Set(
      [...texts.map((text) => parse(text)), ...generated, ...knownDocuments].flatMap(namesIn),
    );
  }

  /** The name of a known operation, or `other`. */
  of(name: string | undefined): string {
    return name !== undefined && this.#known.has(name) ? name : other;
  }
}

function namesIn({ definitions }: DocumentNode): string[] {
  return definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION ? (definition.name?.value ?? []) : [],
  );
}
