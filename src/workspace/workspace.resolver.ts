import type { GraphQLResolveInfo } from "graphql";
import { Ctx, Info, Query, Resolver } from "type-graphql";
import { selectionOf } from "../reading/selection.js";
import type { RequestContext } from "../request/request-context.js";
import type { WorkspaceRow } from "./workspace.loader.js";
import { ownWorkspace } from "./workspace.service.js";
import { Workspace } from "./workspace.type.js";

@Resolver()
export class WorkspaceResolver {
  @Query(() => Workspace, { description: "The caller's workspace." })
  workspace(@Ctx() context: RequestContext, @Info() info: GraphQLResolveInfo): Promise<WorkspaceRow> {
    return ownWorkspace(context, selectionOf(info));
  }
}
