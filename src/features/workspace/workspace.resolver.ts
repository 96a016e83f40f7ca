import { Ctx, FieldResolver, Query, Resolver } from "type-graphql";
import { heldPermissions, permissionNames } from "../../engine/access/permissions.js";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { RequiresColumns, ReturnsLoaded } from "../../engine/reading/annotations.js";
import { Selected } from "../../engine/reading/selection/selected-fields.js";
import type { Selection } from "../../engine/reading/selection/selection.js";
import { ownWorkspace } from "./workspace.service.js";
import { Workspace } from "./workspace.type.js";

@Resolver(() => Workspace)
export class WorkspaceResolver {
  @ReturnsLoaded()
  @Query(() => Workspace, { description: "The caller's workspace." })
  workspace(@Ctx() context: RequestContext, @Selected() selection: Selection) {
    return ownWorkspace(context, selection);
  }

  @RequiresColumns()
  @FieldResolver(() => [String], {
    description: `The caller's permissions in the whole workspace, sorted; a subset of ${permissionNames}. See \`Facility.viewerPermissions\` for a single facility.`,
  })
  viewerPermissions(@Ctx() { caller }: RequestContext): string[] {
    return heldPermissions(caller);
  }
}
