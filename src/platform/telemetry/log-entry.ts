import { shortened } from "./log.js";
import type { RequestTrace } from "./tracing.js";

/** Clients choose the names of their operations. */
const maxOperationNameLength = 100;

/**
 * The log line of a request, operation or WebSocket: its fields are collected while serving, and written at the end.
 */
export class LogEntry {
  readonly address: string;
  caller: { readonly kind: string; readonly id: string; readonly workspaceId: string } | undefined;
  operation: { readonly type: string; readonly name: string | undefined } | undefined;
  readonly errorCodes = new Set<string>();
  /** The problem with the credentials. Clients never see it. */
  authenticationFailure: string | undefined;
  /** The cost of the operations, as the limit on queries counts it. */
  cost: number | undefined;
  /** The number of statements sent to the database, without those that begin and end transactions. */
  statements = 0;
  trace: RequestTrace | undefined;

  constructor(address: string) {
    this.address = address;
  }

  /** Adds the cost of an operation. Nested lists may cost more than a number in JSON can hold. */
  addCost(cost: number): void {
    this.cost = Math.min((this.cost ?? 0) + cost, Number.MAX_SAFE_INTEGER);
  }

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
