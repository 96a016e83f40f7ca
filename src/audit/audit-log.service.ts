import { assertCan, can } from "../access/permissions.js";
import type { RequestContext } from "../operation/request-context.js";
import type { Connection } from "../reading/connection.js";
import type { Selection } from "../reading/selection.js";
import { type AuditEntryRow, auditEntryById, auditLog } from "./audit-entry.loader.js";

/**
 * A page of the audit log of the caller's workspace, by the arguments of the field.
 * Requires users:read.
 */
export async function listAuditLog(
  context: RequestContext,
  selection: Selection,
  list: object,
): Promise<Connection<AuditEntryRow>> {
  assertCan(context.caller, "users:read");
  return auditLog(context, context.caller.workspaceId, selection, list);
}

/** An audit entry of the caller's workspace by its id; null without users:read, too. */
export async function findAuditEntry(
  context: RequestContext,
  selection: Selection,
  id: string,
): Promise<AuditEntryRow | null> {
  return can(context.caller, "users:read") ? auditEntryById(context, selection).load(id) : null;
}
