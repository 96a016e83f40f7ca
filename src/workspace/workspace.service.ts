import type { RequestContext } from "../access/request-context.js";
import type { Workspace } from "../generated/prisma/client.js";
import { defineLoader } from "../platform/loader.js";
import { type Selected, selectOf } from "../platform/selection.js";

export type WorkspaceRow = Selected<Workspace, "id">;

const workspaceById = defineLoader<RequestContext, WorkspaceRow | undefined, string[]>(
  async (context, ids, columns) => {
    const rows = await context.visible.workspace.findMany({ where: { id: { in: [...ids] } }, select: selectOf(columns) });
    return new Map((rows as unknown as WorkspaceRow[]).map((row) => [row.id, row]));
  },
  () => undefined,
);

/** The caller's own workspace. */
export async function ownWorkspace(context: RequestContext, columns: string[]): Promise<WorkspaceRow> {
  const workspace = await workspaceById(context, columns).load(context.caller.workspaceId);
  if (!workspace) throw new Error("The caller's workspace does not exist");
  return workspace;
}
