import type { RequestContext } from "../../engine/operation/request-context.js";
import { loadReferenced } from "../../engine/reading/load-referenced.js";
import type { Selection } from "../../engine/reading/selection/selection.js";
import { type WorkspaceRow, workspaceById } from "./workspace.loader.js";

export function ownWorkspace(context: RequestContext, selection: Selection): Promise<WorkspaceRow> {
  return loadReferenced(context, workspaceById, selection, context.caller.workspaceId);
}

/** The caller's workspace if it has the given id, or else null. */
export async function findWorkspace(
  context: RequestContext,
  selection: Selection,
  id: string,
): Promise<WorkspaceRow | null> {
  return id === context.caller.workspaceId ? ownWorkspace(context, selection) : null;
}
