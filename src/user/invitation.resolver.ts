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

  @RequiresColumns(
    ...(["workspaceId", "roles", "accesses", "expiresAt", "acceptedAt", "revokedAt"] as const),
    ...(["invitedById", "invitedByKind"] as const),
  )
  @FieldResolver(() => String, {
    nullable: true,
    description:
      "The link to hand over to the invited person; for its inviter alone, as long as the invitation is open and its inviter holds all that it hands out. `resendInvitation` makes the caller the inviter, and ends the earlier link. Without an identity provider, the link is a secret and works once: whoever opens it becomes the user. With one, it leads to the console, where the person signs in with the invited address.",
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
