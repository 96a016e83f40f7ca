import { randomUUID } from "node:crypto";
import { isLasting } from "../../engine/access/caller.js";
import { signInLinkLifetimeMs } from "../../engine/access/sign-in-links.js";
import type { Database } from "../../engine/database/client.js";
import type { Transaction } from "../../engine/database/transaction.js";
import { Due } from "../../engine/leases/due.js";
import type { StepOutcome } from "../../engine/leases/worker.js";
import { Prisma, type SignInLinkRequest, type User } from "../../generated/prisma/client.js";
import { later } from "../../platform/time.js";
import { isOpen } from "../invitation/invitation.js";
import { countMessage } from "./outbox/message-count.js";
import { type PersonalMail, personalMailDeliveries } from "./personal-mails.js";

const pollIntervalMs = 10_000;
const hourMs = 3_600_000;
/**
 * The maximum number of answers to requests for an address in an hour, from one network and in all: requests
 * from one network cannot lock out the owner of the address.
 */
const maxOfNetwork = 5;
const maxPerHour = 20;
/** The maximum number of mails to an address at once, one for each workspace. */
const maxRecipients = 20;
const maxCompared = 1_000;

interface Recipient {
  workspaceId: string;
  mail: PersonalMail;
  /** Whether a link that was sent to the address has signed the user in. */
  hasSignedIn: boolean;
}

/**
 * Answers the oldest request for a sign-in link together with all others for the same address: queues a mail for each
 * workspace in which the address has a user or an open invitation. Mails to users who never signed in by their address
 * count as messages of their workspace, and none is queued beyond its limit: any workspace can name any address.
 * Requests for unknown addresses, and for addresses over their limit, are only deleted.
 */
export async function serveSignInLinkRequest(
  { prisma, transact }: Pick<Database, "prisma" | "transact">,
  now: Date,
  { maxMessagesPerDay, onQueued }: { maxMessagesPerDay: number; onQueued: (workspaceId: string) => void },
): Promise<StepOutcome> {
  const next = await prisma.signInLinkRequest.findFirst({
    where: { answeredAt: null },
    orderBy: { id: "asc" },
    select: { email: true },
  });
  if (!next) {
    const expired = new Due(later(now, -hourMs), 2 * hourMs);
    await prisma.signInLinkRequest.deleteMany({ where: expired.where("answeredAt") });
    return { dueInMs: pollIntervalMs };
  }
  const queuedFor = await transact(async (transaction) => {
    // Locked in order, so that instances that answer the same address cannot deadlock.
    const requests = await transaction.$queryRaw<SignInLinkRequest[]>(
      Prisma.sql`SELECT * FROM "SignInLinkRequest" WHERE "email" = ${next.email} ORDER BY "id" FOR UPDATE`,
    );
    // Requests that a clock answered that was ahead must not count until then.
    const answered = requests.filter(
      ({ answeredAt }) => answeredAt !== null && Math.abs(answeredAt.getTime() - now.getTime()) < hourMs,
    );
    const stillWanted = requests.filter(
      ({ answeredAt, requestedAt }) =>
        answeredAt === null && requestedAt.getTime() + signInLinkLifetimeMs > now.getTime(),
    );
    const isAllowed = ({ network }: SignInLinkRequest) =>
      answered.filter((each) => each.network === network).length < maxOfNetwork;
    const allowed = answered.length < maxPerHour ? stillWanted.find(isAllowed) : undefined;
    const queued: string[] = [];
    // In the order of the workspaces, so that instances cannot deadlock.
    for (const { workspaceId, mail, hasSignedIn } of allowed
      ? (await recipientsOf(transaction, allowed, now)).sort((one, other) =>
          one.workspaceId < other.workspaceId ? -1 : 1,
        )
      : []) {
      if (!hasSignedIn && !(await countMessage(transaction, workspaceId, now, maxMessagesPerDay))) continue;
      const mails = { workspaceId, kind: "SIGN_IN_LINK", mails: [mail], createdAt: now } as const;
      const expiresAt = later(now, signInLinkLifetimeMs);
      await transaction.$executeRaw(personalMailDeliveries({ ...mails, expiresAt }));
      queued.push(workspaceId);
    }
    const answering = queued.length > 0 ? allowed : undefined;
    if (answering)
      await transaction.signInLinkRequest.update({ where: { id: answering.id }, data: { answeredAt: now } });
    const done = requests.filter((request) => request !== answering && !answered.includes(request));
    await transaction.signInLinkRequest.deleteMany({ where: { id: { in: done.map(({ id }) => id) } } });
    return queued;
  });
  for (const workspaceId of queuedFor) onQueued(workspaceId);
  return "more";
}

/** Who gets a mail in each workspace that the look-ups name for an address, those that signed in last first. */
async function recipientsOf(
  transaction: Transaction,
  { email, path }: Pick<SignInLinkRequest, "email" | "path">,
  now: Date,
): Promise<Recipient[]> {
  const workspaces = await transaction.$queryRaw<{ workspaceId: string }[]>(Prisma.sql`
    SELECT "workspaceId" FROM "EmailLookup" WHERE "email" = ${email} GROUP BY "workspaceId"
    ORDER BY max("signedInAt") DESC NULLS LAST, "workspaceId" LIMIT ${maxRecipients}::int`);
  const recipients: Recipient[] = [];
  for (const { workspaceId } of workspaces) {
    const found = await lastSignedIn(transaction, email, workspaceId);
    if (found) recipients.push({ ...found, mail: { ...found.mail, path } });
  }
  const invitations = await transaction.invitationLookup.findMany({
    where: { email, workspaceId: { notIn: recipients.map(({ workspaceId }) => workspaceId) } },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
    take: maxRecipients - recipients.length,
  });
  for (const { workspaceId, id: invitationId } of invitations) {
    const invitation = await transaction.invitation.findUnique({
      where: { workspaceId_id: { workspaceId, id: invitationId } },
    });
    if (!invitation || !(await isOpen(transaction, invitation, now))) continue;
    const mail = { id: randomUUID(), invitationId, address: invitation.email, path };
    recipients.push({ workspaceId, mail, hasSignedIn: false });
  }
  return recipients;
}

/** The user of a workspace with an address who signed in last, otherwise the oldest. */
async function lastSignedIn(
  transaction: Transaction,
  email: string,
  workspaceId: string,
): Promise<Recipient | undefined> {
  const lookups = await transaction.emailLookup.findMany({
    where: { email, workspaceId },
    orderBy: { signedInAt: { sort: "desc", nulls: "last" } },
    take: maxCompared,
  });
  const users = await transaction.$queryRaw<User[]>(Prisma.sql`
    SELECT * FROM "User" WHERE "workspaceId" = ${workspaceId}::uuid AND "id" = ANY(${lookups.map(({ userId }) => userId)}::uuid[]) AND ${isLasting}
    ORDER BY "createdAt"`);
  const last = lookups.find(({ userId }) => users.some(({ id }) => id === userId));
  const hasSignedIn = last?.signedInAt != null;
  const user = hasSignedIn ? users.find(({ id }) => id === last.userId) : users[0];
  if (!user) return undefined;
  return { workspaceId, mail: { id: randomUUID(), userId: user.id, address: user.email }, hasSignedIn };
}
