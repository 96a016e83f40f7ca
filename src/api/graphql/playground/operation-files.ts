import type { FetcherParams } from "@graphiql/toolkit";
import {
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  Kind,
  type OperationDefinitionNode,
  parse,
  typeFromAST,
} from "graphql";

/** Input objects inside of each other are searched for files down to this depth. */
const maxDepth = 4;

/** The files chosen for the variables of operations, sent as the GraphQL multipart request specification says. */
export class OperationFiles {
  /** The gateway's schema, set as soon as the page has read it. */
  schema: GraphQLSchema | undefined;
  readonly #chosen = new Map<string, File>();

  /** The file chosen for a path in the variables of an operation. */
  chosen(operationName: string | undefined, path: string): File | undefined {
    return this.#chosen.get(`${operationName} ${path}`);
  }

  /** Chooses a file; undefined takes the choice back. */
  choose(operationName: string | undefined, path: string, file: File | undefined): void {
    if (file) this.#chosen.set(`${operationName} ${path}`, file);
    else this.#chosen.delete(`${operationName} ${path}`);
  }

  /** The paths in the variables of an operation that take files, such as `input.image`. */
  pathsIn(document: DocumentNode | undefined, operationName: string | undefined): string[] {
    const operation = operationIn(document, operationName);
    const { schema } = this;
    if (!operation || !schema) return [];
    return (operation.variableDefinitions ?? []).flatMap(({ type, variable }) => {
      // TypeScript cannot choose between the overloads for three kinds of nodes.
      const found = typeFromAST(schema, type) as GraphQLInputType | undefined;
      return found ? pathsOf(found, variable.name.value, maxDepth) : [];
    });
  }

  /** The form of an operation with the chosen files; undefined if there are none. */
  formOf({ query, operationName, variables }: FetcherParams): FormData | undefined {
    const name = operationName ?? undefined;
    const files = this.pathsIn(documentIn(query), name).flatMap((path) => {
      const file = this.chosen(name, path);
      return file ? [{ path, file }] : [];
    });
    if (files.length === 0) return undefined;
    const given = structuredClone(variables ?? {}) as Record<string, unknown>;
    for (const { path } of files) setNull(given, path.split("."));
    const form = new FormData();
    form.append("operations", JSON.stringify({ query, operationName, variables: given }));
    const map = files.map(({ path }, index) => [index, [`variables.${path}`]]);
    form.append("map", JSON.stringify(Object.fromEntries(map)));
    for (const [index, { file }] of files.entries()) form.append(String(index), file);
    return form;
  }
}

function documentIn(query: string): DocumentNode | undefined {
  try {
    return parse(query);
  } catch {
    return undefined;
  }
}

function operationIn(
  document: DocumentNode | undefined,
  name: string | undefined,
): OperationDefinitionNode | undefined {
  const operations = (document?.definitions ?? []).filter(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION,
  );
  return operations.find((operation) => operation.name?.value === name) ?? operations[0];
}

function pathsOf(type: GraphQLInputType, path: string, depth: number): string[] {
  const named = getNamedType(type);
  if (isListType(getNullableType(type)) || depth === 0) return [];
  if (named.name === "Upload") return [path];
  if (!isInputObjectType(named)) return [];
  return Object.values(named.getFields()).flatMap((field) =>
    pathsOf(field.type, `${path}.${field.name}`, depth - 1),
  );
}

/** Sets a member inside of objects, which are made where they are missing. */
function setNull(target: Record<string, unknown>, [name = "", ...inner]: string[]): void {
  if (inner.length === 0) target[name] = null;
  else {
    if (typeof target[name] !== "object" || target[name] === null) target[name] = {};
    setNull(target[name] as Record<string, unknown>, inner);
  }
}
