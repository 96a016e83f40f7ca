import { Arg, Ctx, Mutation, Resolver } from "type-graphql";
import type { RequestContext } from "../operation/request-context.js";
import { UpdateWorkspaceInput } from "./workspace.input.js";
import type { WorkspaceRow } from "./workspace.loader.js";
import { Workspace } from "./workspace.type.js";
import { updateWorkspace } from "./workspace-write.service.js";

@Resolver()
export class WorkspaceMutations {
  @Mutation(() => Workspace, {
    description: "Renames the caller's workspace. Requires facilities:write in the workspace.",
  })
  updateWorkspace(
    @Ctx() context: RequestContext,
    @Arg("input", () => UpdateWorkspaceInput, { description: "The fields to change." })
    input: UpdateWorkspaceInput,
  ): Promise<WorkspaceRow> {
    return updateWorkspace(context, input);
  }
}
