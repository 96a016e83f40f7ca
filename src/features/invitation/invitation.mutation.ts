import { Ctx, Mutation, Resolver } from "type-graphql";
import { assertCan, assertCanGrant } from "../../engine/access/permissions.js";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { changedFields, type WriteAccess } from "../../engine/operation/write.js";
import { Prisma, type Invitation as StoredInvitation } from "../../generated/prisma/client.js";
import { ServiceError } from "../../platform/errors/errors.js";
import { IdArg, InputArg } from "../../platform/input/input-type.js";
import { later } from "../../platform/time.js";
import { assertFacilitiesVisible } from "../facility/facility.service.js";
import { assertIsAhead, hasEndedAt } from "../user/access-end.js";
import { foldedEmail } from "../user/auth-id-lookup.js";
import { InviteUserInput } from "./invitation.input.js";
import {
  accessesOf,
  addInvitation,
  type InvitationAccess,
  invitationLifetimeMs,
  isOpen,
} from "./invitation.js";
import { Invitation } from "./invitation.type.js";

@Resolver()
export class InvitationMutations {
  @Mutation(() => Invitation, {
    description:
      "Invites somebody to become a user of the workspace within 14 days. With an identity provider, whoever first signs in there with this address, verified, becomes the user. Without one, `Invitation.url` is a sign-in link to hand over. If `Workspace.deliveryChannels` lists EMAIL, the link is also mailed to the address. Requires users:write in the workspace, and all permissions that the invitation hands out, both now and when it is accepted. CONFLICT if the address is that of a user or of an open invitation of the workspace.",
  })
  inviteUser(
    @Ctx() context: RequestContext,
    @InputArg(InviteUserInput, "The invitation.") input: InviteUserInput,
  ) {
    return context.write(async (write) => {
      assertCan(write.caller, "users:write");
      const { email, firstName = null, lastName = null, until = null } = input;
      await assertIsAhead(write.transaction, until, "input.until");
      const roles = [...new Set(input.roles ?? [])];
      const accesses = merged(input.accesses ?? []);
      await assertFacilitiesVisible(
        write,
        accesses.map(({ facilityId }) => facilityId),
      );
      assertCanHandOut(write, { roles, accesses });
      await assertNoUserHas(write, email);
      await revokeVoid(write, email);
      const created = await addInvitation(write.transaction, {
        workspaceId: write.caller.workspaceId,
        email,
        firstName,
        lastName,
        roles,
        accesses,
        until,
        ...handedOutBy(write),
        createdAt: write.now,
      });
      if (!created) throw alreadyInvited();
      write.auditChange("Invitation", created, changedFields<object>({}, { email, roles, accesses, until }));
      write.emit({ topic: "userInvited", subject: created });
      return created;
    });
  }

  @Mutation(() => Invitation, {
    description:
      "Revokes an invitation with immediate effect. One that is already revoked stays unchanged. CONFLICT if it was accepted. Requires users:write in the workspace.",
  })
  revokeInvitation(@Ctx() context: RequestContext, @IdArg("the invitation") id: string) {
    return context.write(async (write) => {
      assertCan(write.caller, "users:write");
      const before = await write.lock("Invitation", id);
      if (before.acceptedAt) throw alreadyAccepted();
      return before.revokedAt ? before : revoke(write, before);
    });
  }

  @Mutation(() => Invitation, {
    description:
      "Makes an invitation last for 14 days from now, also an expired one. An earlier link of it no longer works; the new one is mailed as with `inviteUser`. The caller becomes its inviter. Requires users:write in the workspace, and all permissions that the invitation hands out. CONFLICT if it was accepted or revoked, if the access that it gives has ended, or if its address has become that of a user of the workspace.",
  })
  resendInvitation(@Ctx() context: RequestContext, @IdArg("the invitation") id: string) {
    return context.write(async (write) => {
      assertCan(write.caller, "users:write");
      const before = await write.lock("Invitation", id);
      if (before.acceptedAt) throw alreadyAccepted();
      if (before.revokedAt)
        throw new ServiceError("CONFLICT", "The invitation was revoked: invite the address again");
      if (hasEndedAt(write.now, before.until))
        throw new ServiceError("CONFLICT", "The access has ended: revoke the invitation and make another");
      assertCanHandOut(write, { roles: before.roles, accesses: accessesOf(before) });
      await assertNoUserHas(write, before.email);
      const expiresAt = later(write.now, invitationLifetimeMs);
      const invitation = await write.update("Invitation", before, { ...handedOutBy(write), expiresAt });
      write.emit({ topic: "userInvited", subject: invitation });
      return invitation;
    });
  }
}

function merged(accesses: readonly InvitationAccess[]): InvitationAccess[] {
  const actionsOf = new Map<string, Set<string>>();
  for (const { facilityId, actions } of accesses)
    actionsOf.set(facilityId, new Set([...(actionsOf.get(facilityId) ?? []), ...actions]));
  return Array.from(actionsOf, ([facilityId, actions]) => ({ facilityId, actions: [...actions] }));
}

function assertCanHandOut(
  { caller }: WriteAccess,
  { roles, accesses }: { roles: readonly string[]; accesses: readonly InvitationAccess[] },
): void {
  assertCanGrant(caller, roles, null);
  for (const { facilityId, actions } of accesses) assertCanGrant(caller, actions, [facilityId]);
}

const handedOutBy = ({ caller: { id, kind } }: WriteAccess) => ({
  invitedById: id,
  invitedByKind: kind === "user" ? "USER" : "API_KEY",
});

async function assertNoUserHas(write: WriteAccess, email: string): Promise<void> {
  const [user] = await write.visible.query(
    ({ users }) =>
      Prisma.sql`SELECT item."id" FROM ${users} AS item WHERE lower(item."email" COLLATE "C") = ${foldedEmail(email)} LIMIT 1`,
  );
  if (user) throw new ServiceError("CONFLICT", "This email address belongs to a user of the workspace");
}

const alreadyInvited = () => new ServiceError("CONFLICT", "This email address is already invited");

/** Revokes an earlier invitation of the address that can no longer be accepted. CONFLICT if it still can. */
async function revokeVoid(write: WriteAccess, email: string): Promise<void> {
  const [earlier] = await write.visible.query<StoredInvitation>(
    ({ invitations }) =>
      Prisma.sql`SELECT item.* FROM ${invitations} AS item
        WHERE item."foldedEmail" = ${foldedEmail(email)} AND item."acceptedAt" IS NULL AND item."revokedAt" IS NULL FOR UPDATE`,
  );
  if (!earlier) return;
  if (await isOpen(write.transaction, earlier, write.now)) throw alreadyInvited();
  await revoke(write, earlier);
}

const alreadyAccepted = () => new ServiceError("CONFLICT", "The invitation was accepted");

async function revoke(write: WriteAccess, before: StoredInvitation) {
  const { id } = before;
  const change = { revokedAt: write.now };
  const invitation = await write.transaction.invitation.update({ where: write.key(id), data: change });
  await write.transaction.invitationLookup.deleteMany({ where: { id } });
  write.audit({
    action: "revokeInvitation",
    targetType: "Invitation",
    targetId: id,
    changes: changedFields<object>(before, change),
  });
  return invitation;
}
