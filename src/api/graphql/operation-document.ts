import {
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  type OperationTypeNode,
} from "graphql";
import { OperationPlans } from "../../engine/reading/selection/selected-fields.js";
import { type Fragments, fragmentsOf, selectionReducer } from "../../platform/selection-set.js";
import { type AnsweredOperation, answeredOperation } from "./answered-operation.js";
import { OperationInspector } from "./limits.js";
import { type Variable, variablesOf } from "./variables.js";

// Measurements found at most 211 bytes per token, with what is known of its operations.
const bytesPerDocument = 1024;
const bytesPerToken = 256;
const bytesPerCharacter = 2;
/** Measured for a field of a nested list: 485 bytes in a plan, and 310 in the statement for each of a few callers. */
const bytesPerPlannedField = 2_000;

/** A document that is valid for a schema. Equal texts of clients share one object. */
export class OperationDocument {
  readonly schema: GraphQLSchema;
  /** The document without locations, which would retain every token and comment of the text. */
  readonly ast: DocumentNode;
  /** The text that a client sent, which names in the document keep in memory anyway. */
  readonly text: string;
  readonly fragments: Fragments;
  /** Called when the document has grown. */
  onGrowth: (() => void) | undefined;
  readonly #operations = new Map<OperationDefinitionNode, Operation>();
  #bytes: number;

  constructor(schema: GraphQLSchema, ast: DocumentNode, text = "") {
    this.schema = schema;
    this.ast = ast;
    this.text = text;
    this.fragments = fragmentsOf(ast);
    this.#bytes = bytesPerDocument + bytesPerToken * (ast.tokenCount ?? 0) + bytesPerCharacter * text.length;
  }

  /** The approximate heap of the document, with everything that is known of it. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The operation with a name, or the only one without; undefined if there is none, or several and none is named. */
  operation(name?: string | null): Operation | undefined {
    const definition = getOperationAST(this.ast, name);
    if (!definition) return undefined;
    let operation = this.#operations.get(definition);
    if (!operation) {
      operation = new Operation(this, definition);
      this.#operations.set(definition, operation);
    }
    return operation;
  }

  /** Counts the fields of a plan that was made. */
  addPlan(fields: number): void {
    this.#bytes += bytesPerPlannedField * fields;
    this.onGrowth?.();
  }
}

/** An operation of a document, with what is found out about it once, when it first runs. */
export class Operation {
  readonly document: OperationDocument;
  readonly definition: OperationDefinitionNode;
  /** The names of its root fields. */
  readonly rootFields: ReadonlySet<string>;
  readonly variables: readonly Variable[];
  readonly inspector: OperationInspector;
  /** The plans for resolvers that graphql-js calls. */
  readonly plans = new OperationPlans();
  #planned: { answered: AnsweredOperation | undefined } | undefined;

  constructor(document: OperationDocument, definition: OperationDefinitionNode) {
    const { schema, fragments } = document;
    this.document = document;
    this.definition = definition;
    this.rootFields = rootFieldsOf(definition, fragments);
    this.variables = variablesOf(schema, definition);
    this.inspector = new OperationInspector(schema, definition, fragments);
  }

  get type(): OperationTypeNode {
    return this.definition.operation;
  }

  get name(): string | undefined {
    return this.definition.name?.value;
  }

  /** Plans to run the operation without graphql-js; undefined if that is not possible. */
  plan(): AnsweredOperation | undefined {
    if (!this.#planned) {
      const { schema, ast } = this.document;
      const answered = answeredOperation(schema, ast, this.definition);
      this.#planned = { answered };
      if (answered) this.document.addPlan(answered.size);
    }
    return this.#planned.answered;
  }
}

function rootFieldsOf({ selectionSet }: OperationDefinitionNode, fragments: Fragments): ReadonlySet<string> {
  const names = new Set<string>();
  const collect = selectionReducer(
    fragments,
    () => {},
    (_result, selection) => void (selection.kind === Kind.FIELD && names.add(selection.name.value)),
  );
  collect(selectionSet);
  return names;
}
