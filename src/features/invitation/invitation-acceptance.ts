import { type CallerKey, findUserKey } from "../../engine/access/caller.js";
import { unauthenticated } from "../../engine/access/credentials.js";
import type { Database } from "../../engine/database/client.js";
import type { Transaction } from "../../engine/database/transaction.js";
import type { EventHub } from "../../engine/events/event-hub.js";
import { readIn, runInTransaction, type TransactionEffects } from "../../engine/operation/transaction.js";
import { changedFields } from "../../engine/operation/write.js";
import { type Invitation, Prisma, type User } from "../../generated/prisma/client.js";
import { hasEndedAt } from "../user/access-end.js";
import { addUser, foldedEmail } from "../user/auth-id-lookup.js";
import { accessesOf, isOpen } from "./invitation.js";

interface Acceptance {
  transaction: Transaction;
  effects: TransactionEffects;
  now: Date;
}

interface InvitedSubject {
  authId: string;
  email: string;
}

/** Accepts the oldest open invitation of an address, in any workspace, for a subject; undefined without one. */
export async function acceptInvitation(
  services: {
    database: Pick<Database, "read" | "prisma" | "transact" | "findCommitOutcome">;
    events: EventHub;
    now: () => Date;
  },
  { authId, email }: InvitedSubject,
): Promise<CallerKey | undefined> {
  const address = foldedEmail(email);
  // Open a transaction only for invited addresses: anybody may send tokens of the issuer.
  const isInvited =
    (await services.database.prisma.invitationLookup.count({ where: { email: address } })) > 0;
  // Another request with this token may have accepted the invitation.
  if (!isInvited) return findUserKey(services.database, authId);
  return runInTransaction(services, async (transaction, effects) => {
    const acceptance = { transaction, effects, now: services.now() };
    const user = await acceptOldest(acceptance, { email: address }, { subject: authId });
    return user ?? findUserKey({ read: readIn(transaction) }, authId);
  });
}

/** The proof of an invited person: the subject of a token, or a link. */
interface PresentedClaim {
  subject?: string;
  /** The end of the invitation for which the link was made. */
  expiresAt?: Date;
}

/** Accepts the oldest open invitation of an address in lower case. Looks in all workspaces unless one is named. */
export async function acceptOldest(
  acceptance: Acceptance,
  where: { email: string; workspaceId?: string },
  presented: PresentedClaim = {},
): Promise<User | undefined> {
  const waiting = await acceptance.transaction.invitationLookup.findMany({
    where,
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
  });
  for (const key of waiting) {
    const user = await acceptOne(acceptance, key, presented);
    if (user) return user;
  }
  return undefined;
}

/**
 * Accepts an invitation if it is open. The new user keeps the subject forever. For a link, the subject is made from the
 * address. Returns undefined if the invitation is not open or was resent after the link was made, or if another user
 * has the subject.
 */
export async function acceptOne(
  { transaction, effects, now }: Acceptance,
  { workspaceId, id }: CallerKey,
  { subject, expiresAt }: PresentedClaim = {},
): Promise<User | undefined> {
  // The lock decides between this and a revocation or resending at the same moment.
  const [invitation] = await transaction.$queryRaw<Invitation[]>(
    Prisma.sql`SELECT * FROM "Invitation" WHERE "workspaceId" = ${workspaceId}::uuid AND "id" = ${id}::uuid FOR UPDATE`,
  );
  // Whoever has the link learns why it does not work.
  if (expiresAt && invitation?.acceptedAt === null && hasEndedAt(now, invitation.until))
    throw unauthenticated("any", "ended access");
  if (!invitation || !(await isOpen(transaction, invitation, now))) return undefined;
  if (expiresAt && invitation.expiresAt.getTime() !== expiresAt.getTime()) return undefined;
  const { email, firstName, lastName, roles, until } = invitation;
  const authId = subject ?? (await subjectByLink(transaction, invitation));
  const values = { authId, email, firstName, lastName, roles, until };
  const times = { createdAt: now, updatedAt: now };
  const user = await addUser(
    transaction,
    { workspaceId, ...values, emailVerified: true, ...times },
    // A person may be a user of several workspaces. None of them may learn of the others.
    { mayShareAuthId: subject === undefined },
  );
  if (!user) return undefined;
  const accesses = await grantAccesses(transaction, invitation, user.id);
  await transaction.invitation.update({
    where: { workspaceId_id: { workspaceId, id } },
    data: { acceptedAt: now, acceptedById: user.id },
  });
  await transaction.invitationLookup.deleteMany({ where: { id } });
  effects.audit({ workspaceId, actorId: user.id, actorKind: "USER", createdAt: now }, [
    {
      action: "acceptInvitation",
      targetType: "Invitation",
      targetId: id,
      changes: changedFields<object>({}, { authId, email, roles, accesses, until }),
    },
  ]);
  return user;
}

/** The subject of a user who signs in by links: the address, and if that is taken, with the invitation's ID. */
async function subjectByLink(
  transaction: Transaction,
  { workspaceId, id, email }: Invitation,
): Promise<string> {
  const authId = `email|${email}`;
  const holder = await transaction.user.findFirst({ where: { workspaceId, authId }, select: { id: true } });
  return holder ? `${authId}|${id}` : authId;
}

/** Grants the invitation's permissions at facilities that have not been deleted. */
async function grantAccesses(
  transaction: Transaction,
  invitation: Invitation,
  userId: string,
): Promise<object[]> {
  const { workspaceId } = invitation;
  const accesses = accessesOf(invitation);
  if (accesses.length === 0) return [];
  const ids = accesses.map(({ facilityId }) => facilityId);
  const existing = await transaction.$queryRaw<{ id: string }[]>(Prisma.sql`
    SELECT "id" FROM "Facility"
    WHERE "workspaceId" = ${workspaceId}::uuid AND "id" = ANY(${ids}::uuid[]) AND "removedAt" IS NULL
    ORDER BY "id" FOR KEY SHARE`);
  const granted = accesses.filter(({ facilityId }) => existing.some(({ id }) => id === facilityId));
  await transaction.facilityAccess.createMany({
    data: granted.map(({ facilityId, actions }) => ({ workspaceId, userId, facilityId, actions })),
  });
  return granted;
}
