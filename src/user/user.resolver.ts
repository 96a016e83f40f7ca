import type { GraphQLResolveInfo } from "graphql";
import { Ctx, FieldResolver, Info, Query, Resolver, Root } from "type-graphql";
import { assertCan } from "../access/permissions.js";
import type { RequestContext } from "../access/request-context.js";
import type { FacilityRow } from "../facility/facility.loader.js";
import { Facility } from "../facility/facility.type.js";
import { found } from "../platform/errors.js";
import { Uuid } from "../platform/scalars.js";
import { Reads, selectedColumns } from "../platform/selection.js";
import { Workspace } from "../workspace/workspace.type.js";
import { FacilityAccess } from "./facility-access.type.js";
import { callingUser, type FacilityAccessRow, listAccesses, listUsers, type UserRow, userById, userKeys } from "./user.service.js";
import { User } from "./user.type.js";

@Resolver(() => User)
export class UserResolver {
  @Query(() => User, { description: "The user who asks. An API key is no user and gets FORBIDDEN." })
  me(@Ctx() context: RequestContext, @Info() info: GraphQLResolveInfo): Promise<UserRow> {
    return callingUser(context, selectedColumns(info, userKeys));
  }

  @Reads("firstName", "lastName")
  @FieldResolver(() => String, { nullable: true, description: "First and last name; null when neither is known." })
  fullName(@Root() user: UserRow): string | null {
    return [user.firstName, user.lastName].filter(Boolean).join(" ") || null;
  }

  @Reads("picture")
  @FieldResolver(() => String, { nullable: true, description: "A link to the user's picture, good for an hour at least; null without one." })
  picture(@Ctx() context: RequestContext, @Root() user: UserRow): string | null {
    return context.services.links.show(user.picture);
  }

  @Reads("workspaceId")
  @FieldResolver(() => Uuid, { description: "The id of the user's workspace." })
  activeWorkspace(@Root() user: UserRow): string {
    return user.workspaceId;
  }
}

@Resolver(() => Workspace)
export class WorkspaceUsersResolver {
  @Reads()
  @FieldResolver(() => [User], { nullable: true, description: "The workspace's users, by e-mail. Needs users:read in the workspace." })
  users(@Ctx() context: RequestContext, @Info() info: GraphQLResolveInfo): Promise<UserRow[]> {
    return listUsers(context, selectedColumns(info, userKeys));
  }
}

@Resolver(() => Facility)
export class FacilityAccessesResolver {
  @Reads()
  @FieldResolver(() => [FacilityAccess], {
    nullable: true,
    description: "Who may do what at the facility beyond their roles. Needs users:read there.",
  })
  access(@Ctx() context: RequestContext, @Root() facility: FacilityRow): Promise<FacilityAccessRow[]> {
    return listAccesses(context, facility.id);
  }
}

@Resolver(() => FacilityAccess)
export class FacilityAccessResolver {
  @Reads()
  @FieldResolver(() => User, { nullable: true, description: "Who it is. Needs users:read at the facility, but for the caller's own." })
  async user(@Ctx() context: RequestContext, @Info() info: GraphQLResolveInfo, @Root() access: FacilityAccessRow): Promise<UserRow> {
    if (access.userId !== context.caller.id) assertCan(context.caller, "users:read", access.facilityId);
    return found(await userById(context, selectedColumns(info, userKeys)).load(access.userId));
  }
}
