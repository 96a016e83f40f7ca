import { assertCan } from "../access/permissions.js";
import type { Workspace } from "../generated/prisma/client.js";
import type { RequestContext } from "../operation/request-context.js";
import { changedFields, isUnchanged } from "../operation/write.js";
import type { UpdateWorkspaceInput } from "./workspace.input.js";

/** Renames the caller's workspace. Requires facilities:write in the workspace. */
export function updateWorkspace(context: RequestContext, { name }: UpdateWorkspaceInput): Promise<Workspace> {
  return context.write(async (write) => {
    assertCan(write.caller, "facilities:write");
    const id = write.caller.workspaceId;
    const before = await write.lock<Workspace>("workspaces", id);
    const changes = changedFields(before, { name });
    if (isUnchanged(changes)) return before;
    const workspace = await write.transaction.workspace.update({ where: { id }, data: { name } });
    write.audit({ action: "updateWorkspace", targetType: "Workspace", targetId: id, changes });
    return workspace;
  });
}
