import type { Selection } from "../reading/selection.js";
import type { RequestContext } from "../request/request-context.js";
import { type WorkspaceRow, workspaceById } from "./workspace.loader.js";

/** The caller's workspace. */
export async function ownWorkspace(context: RequestContext, selection: Selection): Promise<WorkspaceRow> {
  const workspace = await workspaceById(context, selection).load(context.caller.workspaceId);
  if (!workspace) throw new Error("The caller's workspace does not exist");
  return workspace;
}

/** The caller's workspace if it has this id. */
export async function findWorkspace(context: RequestContext, selection: Selection, id: string): Promise<WorkspaceRow | null> {
  return id === context.caller.workspaceId ? ownWorkspace(context, selection) : null;
}
