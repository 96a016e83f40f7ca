import { type ExecutionResult, type GraphQLSchema, getOperationAST, OperationTypeNode } from "graphql";
import { largeAnswer } from "../operation/operation-places.js";
import { RequestContext } from "../operation/request-context.js";
import { inPlace } from "../operation/run-in-place.js";
import { withVerifiedCaller } from "../operation/verified-caller.js";
import { badRequest } from "../platform/errors.js";
import { networkOf } from "../platform/ip-address.js";
import { takeTurn } from "../platform/queues/turns.js";
import { type AdmissionRules, admitOperation, type IncomingOperation } from "./admit.js";
import type { ExecuteOperation } from "./execute.js";
import type { OperationRequest } from "./prepare.js";

/**
 * The work of showing the schema by a list, where one unit is the work for a row of an
 * answer. GraphiQL's introspection query has 9 lists, and takes a turn of its own.
 */
const unitsPerIntrospectedList = 30;

/** Admits an operation, and executes it in its caller's turn. */
export async function runAdmitted(
  { schema, execute }: { schema: GraphQLSchema; execute: ExecuteOperation },
  operation: OperationRequest,
  incoming: IncomingOperation,
  rules: AdmissionRules,
): Promise<ExecutionResult> {
  const { context: admitted, request, size } = await admitOperation(schema, operation, incoming, rules);
  if (size.introspectedLists > 0)
    await takeTurn(networkOf(incoming.origin.address), unitsPerIntrospectedList * size.introspectedLists);
  if (!(admitted instanceof RequestContext)) return execute(request, admitted);
  const run = () => withVerifiedCaller(admitted, (context) => execute(request, context));
  // The resolver of an upload receives the file after checking that the caller may send
  // it.
  const isUpload =
    incoming.isUpload &&
    getOperationAST(operation.document, operation.operationName)?.operation === OperationTypeNode.MUTATION;
  // Its answer would be composed without waiting for that of others: the file comes at
  // the pace of its sender, who must not hold a place for large answers meanwhile.
  if (isUpload && size.objects >= largeAnswer)
    throw badRequest([
      { path: "query", message: "selects too much beside a file: select less, or in a query" },
    ]);
  return isUpload
    ? incoming.services.pictures.places.run(admitted.caller, run, admitted.origin)
    : inPlace(admitted, run, size.objects);
}
