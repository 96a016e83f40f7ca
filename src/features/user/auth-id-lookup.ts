import { randomUUID } from "node:crypto";
import type { Transaction } from "../../engine/database/transaction.js";
import type { Prisma, User } from "../../generated/prisma/client.js";

/** An email address as it is compared. Addresses are ASCII. */
export const foldedEmail = (email: string): string => email.toLowerCase();

/**
 * Adds a user, and the look-ups of the user by the subject of a token and by address. Undefined if a user of
 * any workspace already has the subject. Users of other workspaces may share it if they sign in by links,
 * because sessions name the user.
 */
export async function addUser(
  transaction: Transaction,
  { authId, workspaceId, ...values }: Omit<Prisma.UserUncheckedCreateInput, "id">,
  { mayShareAuthId = false } = {},
): Promise<User | undefined> {
  const id = randomUUID();
  const { count } = await transaction.authIdLookup.createMany({
    data: [{ authId, workspaceId, userId: id }],
    skipDuplicates: true,
  });
  if (count === 0 && !mayShareAuthId) return undefined;
  // A user of the workspace may have the subject without its look-up: while its removal is being committed, or if the
  // subject was shared.
  const [user] = await transaction.user.createManyAndReturn({
    data: [{ ...values, id, authId, workspaceId }],
    skipDuplicates: true,
  });
  if (!user) {
    await transaction.authIdLookup.deleteMany({ where: { authId, userId: id } });
    return undefined;
  }
  await transaction.emailLookup.create({
    data: { email: foldedEmail(values.email), workspaceId, userId: id },
  });
  return user;
}

/** Lets a user with a new address be looked up by it. */
export async function moveEmailLookup(
  transaction: Transaction,
  { workspaceId, id, email: before }: User,
  after: string,
): Promise<void> {
  const ofUser = { workspaceId, userId: id };
  await transaction.emailLookup.deleteMany({ where: { ...ofUser, email: foldedEmail(before) } });
  await transaction.emailLookup.createMany({
    data: [{ ...ofUser, email: foldedEmail(after) }],
    skipDuplicates: true,
  });
}

/** Deletes a user with all accesses and sessions. The subject can be used again. */
export async function deleteUser(
  transaction: Transaction,
  { workspaceId, id, authId, email }: User,
): Promise<void> {
  await transaction.user.delete({ where: { workspaceId_id: { workspaceId, id } } });
  await transaction.authIdLookup.deleteMany({ where: { authId, userId: id } });
  await transaction.emailLookup.deleteMany({ where: { email: foldedEmail(email), workspaceId, userId: id } });
}
