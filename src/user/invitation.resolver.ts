import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import type { Invitation as StoredInvitation } from "../generated/prisma/client.js";
import type { RequestContext } from "../operation/request-context.js";
import { RequiresColumns, ReturnsLoaded } from "../reading/annotations.js";
import { Selected } from "../reading/selected-fields.js";
import type { Selection } from "../reading/selection.js";
import { Workspace } from "../workspace/workspace.type.js";
import { accessesOf } from "./invitation.js";
import type { InvitationRow } from "./invitation.loader.js";
import { invitationUrl, listInvitations } from "./invitation.service.js";
import { Invitation, InvitationAccess } from "./invitation.type.js";
import type { UserRow } from "./user.loader.js";
import { actingUser } from "./user.service.js";
import { User } from "./user.type.js";

@Resolver(() => Invitation)
export class InvitationResolver {
  @RequiresColumns("accesses")
  @FieldResolver(() => [InvitationAccess], {
    description: "The permissions of the new user at single facilities, in addition to the roles.",
  })
  accesses(@Root() invitation: InvitationRow): InvitationAccess[] {
    return accessesOf(invitation as StoredInvitation);
  }

  @ReturnsLoaded()
  @RequiresColumns("invitedById")
  @FieldResolver(() => User, {
    nullable: true,
    description:
      "The user who made the invitation, or last resent it. Null if that was an API key or the operator, if the user has been removed, and if the caller may not see the user.",
  })
  invitedBy(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() invitation: InvitationRow,
  ): Promise<UserRow | null> {
    return actingUser(context, selection, invitation.invitedById);
  }

  @RequiresColumns("workspaceId", "roles", "accesses", "expiresAt", "acceptedAt", "revokedAt")
  @FieldResolver(() => String, {
    nullable: true,
    description:
      "The link to hand over to the invited person. With an identity provider: the console, where they sign in with the invited address. Without one: a link that makes whoever opens it the user and signs them in, once, as long as the invitation is open. Null unless the invitation is open, and for callers who do not hold all that it hands out.",
  })
  url(@Ctx() context: RequestContext, @Root() invitation: InvitationRow): string | null {
    return invitationUrl(context, invitation as StoredInvitation);
  }
}

@Resolver(() => Workspace)
export class WorkspaceInvitationsResolver {
  @ReturnsLoaded()
  @RequiresColumns()
  @FieldResolver(() => [Invitation], {
    nullable: true,
    description:
      "The invitations to the workspace, newest first, including accepted, expired and revoked ones. Requires users:write in the workspace: without this permission null, with the error FORBIDDEN.",
  })
  invitations(@Ctx() context: RequestContext, @Selected() selection: Selection): Promise<InvitationRow[]> {
    return listInvitations(context, selection);
  }
}
