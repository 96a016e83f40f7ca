import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { assertCan } from "../../engine/access/permissions.js";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { RequiresColumns, ReturnsLoaded } from "../../engine/reading/annotations.js";
import { Selected } from "../../engine/reading/selection/selected-fields.js";
import type { Selection } from "../../engine/reading/selection/selection.js";
import { Uuid } from "../../platform/input/scalars.js";
import { Workspace } from "../workspace/workspace.type.js";
import { type ApiKeyRow, apiKeysByWorkspace } from "./api-key.loader.js";
import { ApiKey } from "./api-key.type.js";

@Resolver(() => ApiKey)
export class ApiKeyResolver {
  @RequiresColumns("allFacilities", "facilityIds")
  @FieldResolver(() => [Uuid], {
    nullable: true,
    description: "The IDs of the facilities to which the key is limited; null for all.",
  })
  facilityIds(@Root() key: ApiKeyRow): string[] | null {
    return key.allFacilities ? null : (key.facilityIds ?? []);
  }
}

@Resolver(() => Workspace)
export class WorkspaceApiKeysResolver {
  @ReturnsLoaded()
  @RequiresColumns()
  @FieldResolver(() => [ApiKey], {
    nullable: true,
    description:
      "The workspace's API keys, ordered by name, including expired and revoked ones. Requires api-keys:write in the workspace: without this permission null, with the error FORBIDDEN.",
  })
  async apiKeys(@Ctx() context: RequestContext, @Selected() selection: Selection) {
    assertCan(context.caller, "api-keys:write");
    return apiKeysByWorkspace(context, selection).load(context.caller.workspaceId);
  }
}
