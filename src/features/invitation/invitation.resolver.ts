import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { assertCan, holdsAllOf } from "../../engine/access/permissions.js";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { RequiresColumns, ReturnsLoaded } from "../../engine/reading/annotations.js";
import { Selected } from "../../engine/reading/selection/selected-fields.js";
import type { Selection } from "../../engine/reading/selection/selection.js";
import type {
  Invitation as StoredInvitation,
  Workspace as StoredWorkspace,
} from "../../generated/prisma/client.js";
import { defined } from "../../platform/defined.js";
import type { UserRow } from "../user/user.loader.js";
import { actingUser, nameOf } from "../user/user.service.js";
import { User } from "../user/user.type.js";
import { Workspace } from "../workspace/workspace.type.js";
import { accessesOf, handedOut, isPending } from "./invitation.js";
import { type InvitationRow, invitationsByWorkspace } from "./invitation.loader.js";
import { Invitation, InvitationAccess } from "./invitation.type.js";

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
  ) {
    return actingUser(context, selection, invitation.invitedById);
  }

  @RequiresColumns(
    "workspaceId",
    "workspaceName",
    "inviterName",
    "email",
    "roles",
    "accesses",
    "expiresAt",
    "acceptedAt",
    "revokedAt",
    "until",
    "invitedById",
    "invitedByKind",
  )
  @FieldResolver(() => String, {
    nullable: true,
    description:
      "The link to hand over to the invited person; for its inviter alone, as long as the invitation is open and its inviter holds all that it hands out. `resendInvitation` makes the caller the inviter, and ends the earlier link. Without an identity provider, the link is a secret and works once: whoever opens it becomes the user. With one, it leads to the console, where the person signs in with the invited address.",
  })
  url(@Ctx() context: RequestContext, @Root() row: InvitationRow) {
    const { services, caller } = context;
    const invitation = row as StoredInvitation;
    // Whoever has the link may accept, and only the inviter's removal makes the invitation void.
    const isInviter =
      caller.id === invitation.invitedById &&
      invitation.invitedByKind === (caller.kind === "user" ? "USER" : "API_KEY");
    if (!isInviter || !isPending(invitation, services.now()) || !holdsAllOf(caller, handedOut(invitation)))
      return null;
    const { workspaceName, inviterName = null } = row;
    return workspaceName === undefined
      ? urlOfWritten(context, invitation)
      : services.signInLinks.invitationUrl(invitation, { workspaceName, inviterName });
  }
}

/** The link of an invitation that a mutation returns: the row has no names. */
async function urlOfWritten({ visible, caller, services }: RequestContext, invitation: StoredInvitation) {
  const [workspace, inviter] = await Promise.all([
    visible.findById<StoredWorkspace>("workspaces", caller.workspaceId),
    visible.findById<UserRow>("users", caller.id),
  ]);
  return services.signInLinks.invitationUrl(invitation, {
    workspaceName: defined(workspace).name,
    inviterName: inviter ? nameOf(inviter) : null,
  });
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
  async invitations(@Ctx() context: RequestContext, @Selected() selection: Selection) {
    assertCan(context.caller, "users:write");
    return invitationsByWorkspace(context, selection).load(context.caller.workspaceId);
  }
}
