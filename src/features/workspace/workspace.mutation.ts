import { Ctx, Mutation, Resolver } from "type-graphql";
import { assertCan } from "../../engine/access/permissions.js";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { InputArg } from "../../platform/input/input-type.js";
import { UpdateWorkspaceInput } from "./workspace.input.js";
import { Workspace } from "./workspace.type.js";

@Resolver()
export class WorkspaceMutations {
  @Mutation(() => Workspace, {
    description: "Renames the caller's workspace. Requires facilities:write in the workspace.",
  })
  updateWorkspace(
    @Ctx() context: RequestContext,
    @InputArg(UpdateWorkspaceInput, "The fields to change.")
    input: UpdateWorkspaceInput,
  ) {
    return context.write(async (write) => {
      assertCan(write.caller, "facilities:write");
      const before = await write.lock("Workspace", write.caller.workspaceId);
      return write.update("Workspace", before, input);
    });
  }
}
