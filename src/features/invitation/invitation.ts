import { randomUUID } from "node:crypto";
import { loadApiKey, loadUser } from "../../engine/access/caller.js";
import { type Caller, can, type HeldPermissions, holdsAllOf } from "../../engine/access/permissions.js";
import type { Transaction } from "../../engine/database/transaction.js";
import { readIn } from "../../engine/operation/transaction.js";
import { type Invitation, Prisma } from "../../generated/prisma/client.js";
import { later } from "../../platform/time.js";
import { hasEndedAt } from "../user/access-end.js";
import { foldedEmail } from "../user/auth-id-lookup.js";

/** The lifetime of an invitation, in milliseconds. */
export const invitationLifetimeMs = 14 * 24 * 3_600_000;

export type InvitationAccess = {
  facilityId: string;
  actions: string[];
};

type NewInvitation = Pick<
  Prisma.InvitationUncheckedCreateInput,
  | ("workspaceId" | "email" | "firstName" | "lastName" | "createdAt")
  | ("invitedById" | "invitedByKind" | "accesses" | "until")
> & { roles: string[] };

/**
 * Adds an invitation, by the operator unless an inviter is named, and the look-up of the invitation.
 * Undefined if the address is already invited.
 */
export async function addInvitation(
  transaction: Transaction,
  values: NewInvitation,
): Promise<Invitation | undefined> {
  const createdAt = new Date(values.createdAt);
  const expiresAt = later(createdAt, invitationLifetimeMs);
  const data = { id: randomUUID(), ...values, foldedEmail: foldedEmail(values.email), createdAt, expiresAt };
  // Another invitation of the address may be made at the same moment.
  const [created] = await transaction.invitation.createManyAndReturn({ data: [data], skipDuplicates: true });
  if (!created) return undefined;
  const { id, workspaceId, foldedEmail: email } = created;
  await transaction.invitationLookup.create({ data: { id, workspaceId, email, createdAt } });
  return created;
}

export const accessesOf = ({ accesses }: Pick<Invitation, "accesses">): InvitationAccess[] =>
  accesses as InvitationAccess[];

export function handedOut(invitation: Pick<Invitation, "roles" | "accesses">): HeldPermissions {
  const accesses = accessesOf(invitation).map(
    ({ facilityId, actions }) => [facilityId, new Set(actions)] as const,
  );
  return { permissions: new Set(invitation.roles), facilityPermissions: new Map(accesses) };
}

/** Whether an invitation was neither accepted nor revoked, and neither it nor the access that it gives has ended. */
export function isPending(
  {
    acceptedAt,
    revokedAt,
    expiresAt,
    until,
  }: Pick<Invitation, "acceptedAt" | "revokedAt" | "expiresAt" | "until">,
  now: Date,
): boolean {
  return acceptedAt === null && revokedAt === null && expiresAt > now && !hasEndedAt(now, until);
}

/**
 * Whether a locked invitation can be accepted: it is pending, and its inviter may still invite and still holds all
 * permissions that it hands out. Locks the inviter, so that nobody withdraws these permissions at the same moment.
 */
export async function isOpen(transaction: Transaction, invitation: Invitation, now: Date): Promise<boolean> {
  if (!isPending(invitation, now)) return false;
  const { workspaceId, invitedById: id, invitedByKind } = invitation;
  if (id === null) return true;
  const inviter = await findInviter(transaction, { workspaceId, id, kind: invitedByKind }, now);
  return inviter !== undefined && can(inviter, "users:write") && holdsAllOf(inviter, handedOut(invitation));
}

async function findInviter(
  transaction: Transaction,
  { kind, ...key }: { workspaceId: string; id: string; kind: string | null },
  now: Date,
): Promise<Caller | undefined> {
  const table = kind === "USER" ? Prisma.sql`"User"` : Prisma.sql`"ApiKey"`;
  await transaction.$queryRaw(
    Prisma.sql`SELECT 1 FROM ${table} WHERE "workspaceId" = ${key.workspaceId}::uuid AND "id" = ${key.id}::uuid FOR SHARE`,
  );
  const read = readIn(transaction);
  if (kind === "USER") return (await loadUser({ read }, key))?.caller;
  const apiKey = await loadApiKey({ read }, key);
  if (!apiKey || apiKey.revokedAt || (apiKey.expiresAt && apiKey.expiresAt <= now)) return undefined;
  return apiKey.caller;
}
