import { type DocumentNode, type GraphQLSchema, getOperationAST, Kind, type SelectionSetNode } from "graphql";
import { badRequest, ServiceError } from "../platform/errors.js";
import { inspectOperation, type QueryLimits } from "./limits.js";
import { coerceVariables } from "./variables.js";

/** What a client asks to be run; the document is parsed and valid. */
export interface OperationRequest {
  document: DocumentNode;
  operationName?: string | null | undefined;
  variables?: Readonly<Record<string, unknown>> | null | undefined;
  /** What the resolvers of the root fields are given: of a subscription, what was announced. */
  root?: unknown;
}

/** Checks variables, arguments and limits of an operation before anything is read. Both doors and every transport pass here. */
export function prepareOperation(schema: GraphQLSchema, request: OperationRequest, limits: QueryLimits): void {
  const operation = getOperationAST(request.document, request.operationName);
  if (!operation) throw new ServiceError("BAD_REQUEST", "The document has no operation of this name, or several and none was named");
  const variables = coerceVariables(schema, operation, request.variables ?? {});
  const details = inspectOperation(schema, request.document, operation, variables, limits);
  if (details.length > 0) throw badRequest(details);
}

/** Whether an operation asks at its root for nothing but fields that `isOpen` takes. */
export function asksForNothingBut({ document, operationName }: OperationRequest, isOpen: (fieldName: string) => boolean): boolean {
  const fragments = new Map(document.definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION).map((each) => [each.name.value, each]));
  const seen = new Set<string>();
  const asksNothingElse = ({ selections }: SelectionSetNode): boolean =>
    selections.every((selection) => {
      if (selection.kind === Kind.FIELD) return isOpen(selection.name.value);
      if (selection.kind === Kind.INLINE_FRAGMENT) return asksNothingElse(selection.selectionSet);
      const fragment = fragments.get(selection.name.value);
      if (!fragment || seen.has(selection.name.value)) return fragment !== undefined;
      seen.add(selection.name.value);
      return asksNothingElse(fragment.selectionSet);
    });
  const operation = getOperationAST(document, operationName);
  return operation != null && asksNothingElse(operation.selectionSet);
}
