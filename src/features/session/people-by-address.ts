import { hasEnded } from "../../engine/access/caller.js";
import type { SignInGrant } from "../../engine/access/sign-in-links.js";
import { readIn } from "../../engine/operation/transaction.js";
import type { PrismaClient } from "../../generated/prisma/client.js";
import { isOpen } from "../invitation/invitation.js";
import { foldedEmail } from "../user/auth-id-lookup.js";

export interface Person {
  grant: SignInGrant;
  workspace: { id: string; name: string };
  /** The name of the person; of a user with the id, to tell them from others. */
  name: string;
}

/** The users with an address, and whoever is invited by it and can still accept. */
export async function findPeople(prisma: PrismaClient, address: string): Promise<Person[]> {
  const email = foldedEmail(address);
  const people: Person[] = [];
  const users = await prisma.emailLookup.findMany({
    where: { email },
    orderBy: [{ workspaceId: "asc" }, { userId: "asc" }],
  });
  for (const { workspaceId, userId: id } of users) {
    const key = { workspaceId_id: { workspaceId, id } };
    const user = await prisma.user.findUnique({ where: key, include: { workspace: true } });
    if (!user || (await hasEnded({ read: readIn(prisma) }, { workspaceId, id }))) continue;
    const name = [id, user.firstName, user.lastName].filter((part) => part !== null).join(" ");
    people.push({ grant: { kind: "user", workspaceId, id, email }, workspace: user.workspace, name });
  }
  for (const { workspaceId, id } of await prisma.invitationLookup.findMany({ where: { email } })) {
    const key = { workspaceId_id: { workspaceId, id } };
    const invitation = await prisma.invitation.findUnique({ where: key, include: { workspace: true } });
    // An invitation that nobody can accept any more is kept.
    if (!invitation || !(await isOpen(prisma, invitation, new Date()))) continue;
    people.push({
      grant: { kind: "address", email, workspaceId },
      workspace: invitation.workspace,
      name: "invited",
    });
  }
  return people;
}
