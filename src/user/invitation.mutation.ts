import { Arg, Ctx, Mutation, Resolver } from "type-graphql";
import type { RequestContext } from "../operation/request-context.js";
import { existingId } from "../platform/descriptions.js";
import { Uuid } from "../platform/scalars.js";
import { InviteUserInput } from "./invitation.input.js";
import type { InvitationRow } from "./invitation.loader.js";
import { Invitation } from "./invitation.type.js";
import { inviteUser, resendInvitation, revokeInvitation } from "./invitation-write.service.js";

@Resolver()
export class InvitationMutations {
  @Mutation(() => Invitation, {
    description:
      "Invites somebody to become a user of the workspace within 14 days. With an identity provider, whoever first signs in there with this address, verified, becomes the user. Without one, `Invitation.url` is a sign-in link to hand over. If `Workspace.deliveryChannels` lists EMAIL, the link is also mailed to the address. Requires users:write in the workspace, and all permissions that the invitation hands out, both now and when it is accepted. CONFLICT if the address is that of a user or of an open invitation of the workspace.",
  })
  inviteUser(
    @Ctx() context: RequestContext,
    @Arg("input", () => InviteUserInput, { description: "The invitation." }) input: InviteUserInput,
  ): Promise<InvitationRow> {
    return inviteUser(context, input);
  }

  @Mutation(() => Invitation, {
    description:
      "Revokes an invitation with immediate effect. One that is already revoked stays unchanged. CONFLICT if it was accepted. Requires users:write in the workspace.",
  })
  revokeInvitation(
    @Ctx() context: RequestContext,
    @Arg("id", () => Uuid, { description: existingId("the invitation") }) id: string,
  ): Promise<InvitationRow> {
    return revokeInvitation(context, id);
  }

  @Mutation(() => Invitation, {
    description:
      "Makes an invitation last for 14 days from now, also an expired one. An earlier link of it no longer works; the new one is mailed as with `inviteUser`. The caller becomes its inviter. Requires users:write in the workspace, and all permissions that the invitation hands out. CONFLICT if it was accepted or revoked, or if its address has become that of a user of the workspace.",
  })
  resendInvitation(
    @Ctx() context: RequestContext,
    @Arg("id", () => Uuid, { description: existingId("the invitation") }) id: string,
  ): Promise<InvitationRow> {
    return resendInvitation(context, id);
  }
}
