import { loadApiKey, loadUser } from "../access/caller.js";
import type { Caller } from "../access/permissions.js";
import { type HeldPermissions, holdsAllOf } from "../access/permissions.js";
import { type Invitation, Prisma } from "../generated/prisma/client.js";
import { readIn } from "../operation/transaction.js";

/** The lifetime of an invitation, in milliseconds. */
export const invitationLifetimeMs = 14 * 24 * 3_600_000;

/** Permissions that an invitation hands out at a single facility. */
export interface InvitationAccess {
  facilityId: string;
  actions: string[];
}

/** The address as it is compared. Addresses are ASCII, so this is the same everywhere. */
export const foldedEmail = (email: string): string => email.toLowerCase();

/** The permissions at single facilities that an invitation hands out. */
export const accessesOf = ({ accesses }: Pick<Invitation, "accesses">): InvitationAccess[] =>
  accesses as unknown as InvitationAccess[];

/** All permissions that an invitation hands out. */
export function handedOut(invitation: Pick<Invitation, "roles" | "accesses">): HeldPermissions {
  const accesses = accessesOf(invitation).map(
    ({ facilityId, actions }) => [facilityId, new Set(actions)] as const,
  );
  return { permissions: new Set(invitation.roles), facilityPermissions: new Map(accesses) };
}

/** Whether an invitation was neither accepted nor revoked, and has not expired. */
export function isPending(
  { acceptedAt, revokedAt, expiresAt }: Pick<Invitation, "acceptedAt" | "revokedAt" | "expiresAt">,
  now: Date,
): boolean {
  return acceptedAt === null && revokedAt === null && expiresAt > now;
}

/**
 * Whether a locked invitation can be accepted: it is pending, and whoever invited still
 * holds what it hands out. Locks the inviter, whose permissions could otherwise be
 * withdrawn at the same moment.
 */
export async function isOpen(
  transaction: Prisma.TransactionClient,
  invitation: Invitation,
  now: Date,
): Promise<boolean> {
  if (!isPending(invitation, now)) return false;
  const { workspaceId, invitedById: id, invitedByKind } = invitation;
  if (id === null) return true;
  const inviter = await findInviter(transaction, { workspaceId, id, kind: invitedByKind }, now);
  return inviter !== undefined && holdsAllOf(inviter, handedOut(invitation));
}

async function findInviter(
  transaction: Prisma.TransactionClient,
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
