import { randomUUID } from "node:crypto";
import { signInLinkLifetimeMs } from "../access/sign-in-links.js";
import { Prisma, type PrismaClient, type SignInLinkRequest } from "../generated/prisma/client.js";
import type { StepOutcome } from "../platform/workers/worker.js";
import { isOpen } from "../user/invitation.js";
import { type PersonalMail, queuePersonalMails } from "./personal-mails.js";

const pollIntervalMs = 10_000;
const hourMs = 3_600_000;
const maxPerHour = 5;
/** The maximum number of mails to an address at once, however many users have it. */
const maxRecipients = 20;

/** A mail to a user with an address, or to somebody who is invited by it. */
type Recipient = { workspaceId: string } & PersonalMail;

/**
 * Answers the oldest request for a sign-in link together with all others for the same
 * address: queues a mail for each user with the address, and for each open invitation.
 * Only deletes requests for unknown addresses, and for addresses over their limit.
 */
export async function answerSignInLinkRequest(
  prisma: PrismaClient,
  now: Date,
  onQueued: (workspaceId: string) => void,
): Promise<StepOutcome> {
  const anHourAgo = new Date(now.getTime() - hourMs);
  const next = await prisma.signInLinkRequest.findFirst({
    where: { answeredAt: null },
    orderBy: { id: "asc" },
    select: { email: true },
  });
  if (!next) {
    await prisma.signInLinkRequest.deleteMany({ where: { answeredAt: { lte: anHourAgo } } });
    return { dueInMs: pollIntervalMs };
  }
  const queuedFor = await prisma.$transaction(async (transaction) => {
    // Locked in order, so that instances that answer the same address cannot deadlock.
    const requests = await transaction.$queryRaw<SignInLinkRequest[]>(
      Prisma.sql`SELECT * FROM "SignInLinkRequest" WHERE "email" = ${next.email} ORDER BY "id" FOR UPDATE`,
    );
    const answered = requests.filter(({ answeredAt }) => answeredAt !== null && answeredAt > anHourAgo);
    const stillWanted = requests.filter(
      ({ answeredAt, requestedAt }) =>
        answeredAt === null && requestedAt.getTime() + signInLinkLifetimeMs > now.getTime(),
    );
    const mayAnswer = stillWanted.length > 0 && answered.length < maxPerHour;
    const recipients = mayAnswer ? await recipientsOf(transaction, next.email, now) : [];
    const [answering] = recipients.length > 0 ? stillWanted : [];
    for (const { workspaceId, ...mail } of recipients)
      await queuePersonalMails(transaction, {
        ...{ workspaceId, kind: "SIGN_IN_LINK", mails: [mail], createdAt: now },
        expiresAt: new Date(now.getTime() + signInLinkLifetimeMs),
      });
    if (answering)
      await transaction.signInLinkRequest.update({ where: { id: answering.id }, data: { answeredAt: now } });
    const done = requests.filter((request) => request !== answering && !answered.includes(request));
    await transaction.signInLinkRequest.deleteMany({ where: { id: { in: done.map(({ id }) => id) } } });
    return recipients.map(({ workspaceId }) => workspaceId);
  });
  for (const workspaceId of new Set(queuedFor)) onQueued(workspaceId);
  return "more";
}

/**
 * The users and open invitations with an address. The look-ups name the workspaces, in
 * which the rows are then read.
 */
async function recipientsOf(
  transaction: Prisma.TransactionClient,
  email: string,
  now: Date,
): Promise<Recipient[]> {
  const first = { where: { email }, take: maxRecipients };
  const users = await transaction.emailLookup.findMany({
    ...first,
    orderBy: [{ workspaceId: "asc" }, { userId: "asc" }],
  });
  const invitations = await transaction.invitationLookup.findMany({
    ...first,
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
  });
  const recipients: Recipient[] = [];
  for (const { workspaceId, userId: id } of users) {
    const user = await transaction.user.findUnique({ where: { workspaceId_id: { workspaceId, id } } });
    if (user) recipients.push({ workspaceId, id: randomUUID(), userId: id, address: user.email });
  }
  for (const { workspaceId, id } of invitations) {
    const invitation = await transaction.invitation.findUnique({
      where: { workspaceId_id: { workspaceId, id } },
    });
    if (invitation && (await isOpen(transaction, invitation, now)))
      recipients.push({ workspaceId, id: randomUUID(), invitationId: id, address: invitation.email });
  }
  return recipients.slice(0, maxRecipients);
}
