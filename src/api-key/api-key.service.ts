import { assertCan } from "../access/permissions.js";
import type { RequestContext } from "../access/request-context.js";
import type { ApiKey } from "../generated/prisma/client.js";
import { defineLoader, groupBy } from "../platform/loader.js";
import { type Selected, selectOf } from "../platform/selection.js";

/** What is read of an API key whatever was asked. */
export const apiKeyKeys = ["id", "workspaceId"] as const;

export type ApiKeyRow = Selected<ApiKey, (typeof apiKeyKeys)[number]>;

/** The workspace's API keys, revoked ones too, by name. Needs api-keys:write. */
export async function listApiKeys(context: RequestContext, columns: string[]): Promise<ApiKeyRow[]> {
  assertCan(context.caller, "api-keys:write");
  return apiKeysOfWorkspace(context, columns).load(context.caller.workspaceId);
}

const apiKeysOfWorkspace = defineLoader<RequestContext, ApiKeyRow[], string[]>(
  async (context, _workspaceIds, columns) => {
    const rows = await context.visible.apiKey.findMany({ select: selectOf(columns), orderBy: [{ name: "asc" }, { id: "asc" }] });
    return groupBy(rows as unknown as ApiKeyRow[], (key) => key.workspaceId);
  },
  () => [],
);
