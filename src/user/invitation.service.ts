import { assertCan, holdsAllOf } from "../access/permissions.js";
import type { Invitation } from "../generated/prisma/client.js";
import type { RequestContext } from "../operation/request-context.js";
import type { Selection } from "../reading/selection.js";
import { handedOut, isPending } from "./invitation.js";
import { type InvitationRow, invitationsByWorkspace } from "./invitation.loader.js";

/** The invitations of the caller's workspace, newest first. Requires users:write. */
export async function listInvitations(
  context: RequestContext,
  selection: Selection,
): Promise<InvitationRow[]> {
  assertCan(context.caller, "users:write");
  return invitationsByWorkspace(context, selection).load(context.caller.workspaceId);
}

/**
 * The link to hand over to the invited person. Null if the invitation is not open, and
 * for everybody but its inviter: whoever has the link may accept, and only the inviter's
 * removal makes the invitation void.
 */
export function invitationUrl({ services, caller }: RequestContext, invitation: Invitation): string | null {
  const isInviter =
    caller.id === invitation.invitedById &&
    invitation.invitedByKind === (caller.kind === "user" ? "USER" : "API_KEY");
  return isInviter && isPending(invitation, services.now()) && holdsAllOf(caller, handedOut(invitation))
    ? services.signInLinks.invitationUrl(invitation)
    : null;
}
