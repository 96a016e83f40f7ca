import { shortened } from "./log.js";
import type { RequestTrace } from "./tracing.js";

/** Clients choose the names of their operations. */
const maxOperationNameLength = 100;

/**
 * What the log says about one request, operation or WebSocket: collected while it is
 * served, and written in one line at its end.
 */
export class LogEntry {
  /** The client's address. */
  readonly address: string;
  caller: { readonly kind: string; readonly id: string; readonly workspaceId: string } | undefined;
  operation: { readonly type: string; readonly name: string | undefined } | undefined;
  /** Of the errors that the client received. */
  readonly errorCodes = new Set<string>();
  /** What was wrong with the credentials, which clients are not told. */
  authenticationFailure: string | undefined;
  /** What the operations cost by the limit on queries. */
  cost: number | undefined;
  /**
   * How many statements were sent to the database, beside those that begin and end
   * transactions.
   */
  statements = 0;
  /** The trace of the request, if traces are exported. */
  trace: RequestTrace | undefined;

  constructor(address: string) {
    this.address = address;
  }

  /**
   * Adds what an operation costs; nested lists may cost more than a number in JSON can
   * hold.
   */
  addCost(cost: number): void {
    this.cost = Math.min((this.cost ?? 0) + cost, Number.MAX_SAFE_INTEGER);
  }

  /** The fields of the line, without those that are unknown. */
  fields(): Record<string, unknown> {
    const { address, caller, operation, errorCodes, authenticationFailure, cost, statements, trace } = this;
    return {
      address,
      ...(operation && { operationType: operation.type }),
      ...(operation?.name && { operation: shortened(operation.name, maxOperationNameLength) }),
      ...(caller && { callerKind: caller.kind, callerId: caller.id, workspaceId: caller.workspaceId }),
      ...(errorCodes.size > 0 && { errorCodes: [...errorCodes] }),
      ...(authenticationFailure && { authenticationFailure }),
      ...(cost !== undefined && { cost }),
      ...(statements > 0 && { statements }),
      ...(trace && { traceId: trace.traceId }),
    };
  }
}
