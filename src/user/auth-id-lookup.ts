import { randomUUID } from "node:crypto";
import type { Prisma, User } from "../generated/prisma/client.js";

/**
 * Adds a user, and the look-up of the user by the subject of a token. Undefined if the
 * subject already belongs to a user of any workspace.
 */
export async function addUser(
  transaction: Prisma.TransactionClient,
  { authId, workspaceId, ...values }: Omit<Prisma.UserUncheckedCreateInput, "id">,
): Promise<User | undefined> {
  const id = randomUUID();
  const { count } = await transaction.authIdLookup.createMany({
    data: [{ authId, workspaceId, userId: id }],
    skipDuplicates: true,
  });
  return count === 0 ? undefined : transaction.user.create({ data: { ...values, id, authId, workspaceId } });
}

/** Deletes a user with all accesses. The subject can be used again. */
export async function deleteUser(
  transaction: Prisma.TransactionClient,
  { workspaceId, id, authId }: User,
): Promise<void> {
  await transaction.user.delete({ where: { workspaceId_id: { workspaceId, id } } });
  await transaction.authIdLookup.deleteMany({ where: { authId, userId: id } });
}
