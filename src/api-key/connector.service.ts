import { assertCan, can } from "../access/permissions.js";
import type { RequestContext } from "../operation/request-context.js";
import type { Selection } from "../reading/selection.js";
import { type ConnectorRow, connectorById, connectorsByWorkspace } from "./connector.loader.js";

/** The connectors of the caller's workspace by name. Requires api-keys:write. */
export async function listConnectors(context: RequestContext, selection: Selection): Promise<ConnectorRow[]> {
  assertCan(context.caller, "api-keys:write");
  return connectorsByWorkspace(context, selection).load(context.caller.workspaceId);
}

/** A connector of the caller's workspace by its id; null without api-keys:write, too. */
export async function findConnector(
  context: RequestContext,
  selection: Selection,
  id: string,
): Promise<ConnectorRow | null> {
  return can(context.caller, "api-keys:write") ? connectorById(context, selection).load(id) : null;
}
