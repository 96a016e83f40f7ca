import { assertCan } from "../access/permissions.js";
import type { RequestContext } from "../access/request-context.js";
import type { ApiKey } from "../generated/prisma/client.js";
import { type Selected, selectOf } from "../platform/selection.js";

export type ApiKeyRow = Selected<ApiKey, "id">;

/** The workspace's API keys, revoked ones too, by name. Needs api-keys:write. */
export async function listApiKeys(context: RequestContext, columns: string[]): Promise<ApiKeyRow[]> {
  assertCan(context.caller, "api-keys:write");
  const rows = await context.visible.apiKey.findMany({ select: selectOf(columns), orderBy: [{ name: "asc" }, { id: "asc" }] });
  return rows as unknown as ApiKeyRow[];
}
