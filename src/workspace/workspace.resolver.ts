import { Ctx, Query, Resolver } from "type-graphql";
import { Selected, type Selection } from "../reading/selection.js";
import type { RequestContext } from "../request/request-context.js";
import type { WorkspaceRow } from "./workspace.loader.js";
import { ownWorkspace } from "./workspace.service.js";
import { Workspace } from "./workspace.type.js";

@Resolver()
export class WorkspaceResolver {
  @Query(() => Workspace, { description: "The caller's workspace." })
  workspace(@Ctx() context: RequestContext, @Selected() selection: Selection): Promise<WorkspaceRow> {
    return ownWorkspace(context, selection);
  }
}
