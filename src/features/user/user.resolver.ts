import { Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { assertCan, can } from "../../engine/access/permissions.js";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { RequiresColumns, ReturnsLoaded } from "../../engine/reading/annotations.js";
import { loadReferenced } from "../../engine/reading/load-referenced.js";
import { Selected } from "../../engine/reading/selection/selected-fields.js";
import type { Selection } from "../../engine/reading/selection/selection.js";
import { defined } from "../../platform/defined.js";
import { linkTo } from "../../platform/input/descriptions.js";
import { DateTimeIso, Uuid } from "../../platform/input/scalars.js";
import type { FacilityRow } from "../facility/facility.loader.js";
import { Facility } from "../facility/facility.type.js";
import { Workspace } from "../workspace/workspace.type.js";
import { untilDescription } from "./access-end.js";
import { FacilityAccess } from "./facility-access.type.js";
import {
  type FacilityAccessRow,
  presentUsersByWorkspace,
  type UserRow,
  userById,
  usersByWorkspace,
} from "./user.loader.js";
import { accessesAt, callingUser, fullNameOf } from "./user.service.js";
import { User } from "./user.type.js";

@Resolver(() => User)
export class UserResolver {
  @Query(() => User, { description: "The calling user. FORBIDDEN if the caller is an API key." })
  me(@Ctx() context: RequestContext, @Selected() selection: Selection) {
    return callingUser(context, selection);
  }

  @RequiresColumns("firstName", "lastName")
  @FieldResolver(() => String, {
    nullable: true,
    description: "First and last name; null if neither is known.",
  })
  fullName(@Root() user: UserRow): string | null {
    return fullNameOf(user);
  }

  @RequiresColumns("picture")
  @FieldResolver(() => String, { nullable: true, description: linkTo("the user's picture") })
  picture(@Ctx() context: RequestContext, @Root() user: UserRow): string | null {
    return context.services.links.urlFor(user.picture);
  }

  @RequiresColumns("seenAt")
  @FieldResolver(() => DateTimeIso, {
    nullable: true,
    description:
      "The time up to which the user has seen what happened, as given to `markSeen`; null if never set, and for other users.",
  })
  seenAt(@Ctx() { caller }: RequestContext, @Root() user: UserRow): Date | null {
    return user.id === caller.id ? (user.seenAt ?? null) : null;
  }

  @RequiresColumns("until")
  @FieldResolver(() => DateTimeIso, { nullable: true, description: untilDescription })
  until(@Ctx() { caller }: RequestContext, @Root() user: UserRow): Date | null {
    return user.id === caller.id || can(caller, "users:write") ? (user.until ?? null) : null;
  }

  @RequiresColumns("workspaceId")
  @FieldResolver(() => Uuid, { description: "The ID of the user's workspace." })
  activeWorkspace(@Root() user: UserRow): string {
    return defined(user.workspaceId);
  }
}

@Resolver(() => Workspace)
export class WorkspaceUsersResolver {
  @ReturnsLoaded()
  @RequiresColumns()
  @FieldResolver(() => [User], {
    nullable: true,
    description:
      "The workspace's users, ordered by email address; with users:write, also those whose access has ended. Requires users:read in the workspace: without this permission null, with the error FORBIDDEN.",
  })
  async users(@Ctx() context: RequestContext, @Selected() selection: Selection) {
    const { caller } = context;
    assertCan(caller, "users:read");
    const relation = can(caller, "users:write") ? usersByWorkspace : presentUsersByWorkspace;
    return relation(context, selection).load(caller.workspaceId);
  }
}

@Resolver(() => Facility)
export class FacilityAccessesResolver {
  @ReturnsLoaded()
  @RequiresColumns()
  @FieldResolver(() => [FacilityAccess], {
    nullable: true,
    description:
      "The permissions of users at the facility, in addition to their roles. Only users with permissions granted here are listed; with users:write at the facility, also those whose access has ended. Requires users:read at the facility: without this permission null, with the error FORBIDDEN.",
  })
  async access(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() facility: FacilityRow,
  ) {
    assertCan(context.caller, "users:read", facility.id);
    return accessesAt(context, selection, facility.id);
  }
}

@Resolver(() => FacilityAccess)
export class FacilityAccessResolver {
  @ReturnsLoaded()
  @RequiresColumns()
  @FieldResolver(() => User, {
    nullable: true,
    description:
      "The user. Requires users:read at the facility, unless the user is the caller: without this permission null, with the error FORBIDDEN.",
  })
  async user(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() access: FacilityAccessRow,
  ): Promise<UserRow> {
    if (access.userId !== context.caller.id) assertCan(context.caller, "users:read", access.facilityId);
    return loadReferenced(context, userById, selection, access.userId);
  }

  @RequiresColumns("until")
  @FieldResolver(() => DateTimeIso, { nullable: true, description: untilDescription })
  until(@Ctx() { caller }: RequestContext, @Root() access: FacilityAccessRow): Date | null {
    const isShown = access.userId === caller.id || can(caller, "users:write", access.facilityId);
    return isShown ? (access.until ?? null) : null;
  }
}
