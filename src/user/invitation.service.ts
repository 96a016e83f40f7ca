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
 * for callers who do not hold what it hands out: whoever has the link may accept.
 */
export function invitationUrl({ services, caller }: RequestContext, invitation: Invitation): string | null {
  return isPending(invitation, services.now()) && holdsAllOf(caller, handedOut(invitation))
    ? services.signInLinks.invitationUrl(invitation)
    : null;
}
