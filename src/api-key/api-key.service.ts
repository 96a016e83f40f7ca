import { assertCan, can } from "../access/permissions.js";
import type { RequestContext } from "../operation/request-context.js";
import type { Selection } from "../reading/selection.js";
import { type ApiKeyRow, apiKeyById, apiKeysByWorkspace } from "./api-key.loader.js";

/**
 * The API keys of the caller's workspace by name, including revoked ones. Requires
 * api-keys:write.
 */
export async function listApiKeys(context: RequestContext, selection: Selection): Promise<ApiKeyRow[]> {
  assertCan(context.caller, "api-keys:write");
  return apiKeysByWorkspace(context, selection).load(context.caller.workspaceId);
}

/** An API key of the caller's workspace by its id; null without api-keys:write, too. */
export async function findApiKey(
  context: RequestContext,
  selection: Selection,
  id: string,
): Promise<ApiKeyRow | null> {
  return can(context.caller, "api-keys:write") ? apiKeyById(context, selection).load(id) : null;
}
