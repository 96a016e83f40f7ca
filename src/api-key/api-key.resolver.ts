import type { GraphQLResolveInfo } from "graphql";
import { Ctx, FieldResolver, Info, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../access/request-context.js";
import { Uuid } from "../platform/scalars.js";
import { Reads, selectedColumns } from "../platform/selection.js";
import { Workspace } from "../workspace/workspace.type.js";
import { type ApiKeyRow, apiKeyKeys, listApiKeys } from "./api-key.service.js";
import { ApiKey } from "./api-key.type.js";

@Resolver(() => ApiKey)
export class ApiKeyResolver {
  @Reads("allFacilities", "facilityIds")
  @FieldResolver(() => [Uuid], { nullable: true, description: "The facilities that the key is limited to; null for all." })
  facilityIds(@Root() key: ApiKeyRow): string[] | null {
    return key.allFacilities ? null : (key.facilityIds ?? []);
  }
}

@Resolver(() => Workspace)
export class WorkspaceApiKeysResolver {
  @Reads()
  @FieldResolver(() => [ApiKey], {
    nullable: true,
    description: "The workspace's API keys, revoked ones too, by name. Needs api-keys:write in the workspace.",
  })
  apiKeys(@Ctx() context: RequestContext, @Info() info: GraphQLResolveInfo): Promise<ApiKeyRow[]> {
    return listApiKeys(context, selectedColumns(info, apiKeyKeys));
  }
}
