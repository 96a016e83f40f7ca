import type { GraphQLResolveInfo } from "graphql";
import { Ctx, Info, Query, Resolver } from "type-graphql";
import type { RequestContext } from "../access/request-context.js";
import { selectedColumns } from "../platform/selection.js";
import { ownWorkspace, type WorkspaceRow } from "./workspace.service.js";
import { Workspace } from "./workspace.type.js";

@Resolver()
export class WorkspaceResolver {
  @Query(() => Workspace, { description: "The caller's workspace." })
  workspace(@Ctx() context: RequestContext, @Info() info: GraphQLResolveInfo): Promise<WorkspaceRow> {
    return ownWorkspace(context, selectedColumns(info, ["id"]));
  }
}
