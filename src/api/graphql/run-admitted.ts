import { type ExecutionResult, OperationTypeNode } from "graphql";
import { isCountedByItself } from "../../engine/access/counted-by-itself.js";
import { largeAnswer } from "../../engine/operation/operation-slots.js";
import { RequestContext } from "../../engine/operation/request-context.js";
import { withVerifiedCaller } from "../../engine/operation/verified-caller.js";
import { badRequest } from "../../platform/errors/errors.js";
import { networkOf } from "../../platform/network/ip-address.js";
import { takeSlice } from "../../platform/queues/slices.js";
import {
  type AdmissionOptions,
  admitOperation,
  type IncomingOperation,
  type OperationRequest,
} from "./admit.js";
import { execute } from "./execute.js";
import type { Operation } from "./operation-document.js";

/**
 * The work of showing the schema by a list, where one unit is the work for a row of an answer. GraphiQL's introspection
 * query has 9 lists, and takes a slice of its own.
 */
const unitsPerIntrospectedList = 30;

/**
 * Admits an operation, and executes it in a slot of its caller. Never call while a body is arriving: that takes as long
 * as the client likes. Operations without a caller need no slot, because a limit per address applies to them.
 */
export async function runAdmitted(
  request: OperationRequest,
  incoming: IncomingOperation,
  options: AdmissionOptions,
): Promise<ExecutionResult> {
  const { services, origin } = incoming;
  const { session, ...prepared } = await admitOperation(request, incoming, options);
  const { operation, size } = prepared;
  if (size.introspectedLists > 0)
    await takeSlice(networkOf(origin.address), unitsPerIntrospectedList * size.introspectedLists);
  if (!session) return execute(prepared, { services, origin });
  const { plans } = operation;
  const { caller } = session;
  const run = async () => {
    const result = await withVerifiedCaller({ services, origin, session }, (current) =>
      execute(prepared, new RequestContext({ services, origin, plans }, current)),
    );
    if (!result.errors && countsByItself(operation)) services.rateLimits.uncountCaller(caller.id);
    return result;
  };
  // The resolver of an upload receives the file after checking that the caller may send it.
  if (!incoming.isUpload || operation.type !== OperationTypeNode.MUTATION)
    return services.operations.run({ caller, origin }, run, size.objects);
  // Its answer would be composed without waiting for that of others: the file comes at the pace of its sender, who must
  // not hold a slot for large answers meanwhile.
  if (size.objects >= largeAnswer)
    throw badRequest([
      { path: "query", message: "selects too much beside a file: select less, or in a query" },
    ]);
  return services.pictures.slots.run(caller, run, origin);
}

/** Whether the only field of an operation counts against a limit of its own. */
function countsByItself({ type, document, definition, rootFields }: Operation): boolean {
  const [field = ""] = rootFields;
  return (
    type === OperationTypeNode.MUTATION &&
    definition.selectionSet.selections.length === 1 &&
    rootFields.size === 1 &&
    isCountedByItself(document.schema, field)
  );
}
