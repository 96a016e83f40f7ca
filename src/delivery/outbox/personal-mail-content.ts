import type { Delivery, Invitation, PrismaClient, User, Workspace } from "../../generated/prisma/client.js";
import { readIn } from "../../operation/transaction.js";
import { foldedEmail } from "../../user/auth-id-lookup.js";
import { isOpen } from "../../user/invitation.js";
import { type DigestContent, digestContent, maxDigestDelayMs } from "../digest-content.js";
import type { PersonalMailKind } from "./delivery-state.js";

/** A sign-in link that has waited longer is of no use: its user has asked for another. */
const signInLinkWaitsMs = 15 * 60_000;

/** The content of a mail to a single person, who is a user or invited. */
export interface PersonalMailContent
  extends Record<"facility" | "camera" | "alert" | "alertRule" | "streamRequest", null> {
  delivery: Delivery;
  workspace: Workspace;
  /** Null for somebody who is invited. */
  user: User | null;
  /** Null for a user. */
  invitation: Invitation | null;
  /** The user who invited; null for other mails, an API key and the operator. */
  inviter: User | null;
  /**
   * What a digest tells; null for other mails, and if nobody wants the digest any more.
   */
  digest: DigestContent | null;
}

/** Whether a mail is still wanted, by its kind. */
const isWanted: Record<
  PersonalMailKind,
  (prisma: PrismaClient, content: PersonalMailContent, now: Date) => boolean | Promise<boolean>
> = {
  // A mail of before the invitation was resent has a successor.
  INVITATION: (prisma, { delivery, invitation }, now) =>
    invitation !== null && invitation.mailId === delivery.id && isOpen(prisma, invitation, now),
  SIGN_IN_LINK: (prisma, { delivery, user, invitation }, now) => {
    if (delivery.createdAt.getTime() + signInLinkWaitsMs <= now.getTime()) return false;
    if (invitation) return isOpen(prisma, invitation, now);
    return isAddressOf(user, delivery);
  },
  DIGEST: (_prisma, { digest }) => digest !== null,
};

const isAddressOf = (user: User | null, { target }: Delivery): boolean =>
  user !== null && foldedEmail(user.email) === foldedEmail(target);

interface SendingTime {
  now: Date;
  /** A facility is online for this time after its last heartbeat, in seconds. */
  heartbeatTimeout: number;
}

/**
 * What a digest tells. Null if it comes too late, if its user has been removed, has ended
 * it or has another address, or if there is nothing to tell.
 */
async function mailedDigest(
  prisma: PrismaClient,
  delivery: Delivery,
  user: User | null,
  { now, heartbeatTimeout }: SendingTime,
): Promise<DigestContent | null> {
  const { workspaceId, createdAt: end } = delivery;
  if (!user || !isAddressOf(user, delivery) || end.getTime() + maxDigestDelayMs < now.getTime()) return null;
  const where = { workspaceId_userId: { workspaceId, userId: user.id } };
  const digest = await prisma.digest.findUnique({ where });
  return digest?.enabled ? digestContent(readIn(prisma), digest, { end, now, heartbeatTimeout }) : null;
}

/**
 * Reads the content of mails to people of a workspace. Undefined for mails that nobody
 * wants any more: the person has been removed or has another address, the invitation is
 * no longer open or has been resent, a digest has nothing to tell or was ended, or the
 * mail comes too late.
 */
export async function personalMailContent(
  prisma: PrismaClient,
  workspaceId: string,
  deliveries: readonly Delivery[],
  time: SendingTime,
): Promise<(PersonalMailContent | undefined)[]> {
  const idsOf = (column: "invitationId" | "userId") => [
    ...new Set(deliveries.map((delivery) => delivery[column]).filter((id) => id !== null)),
  ];
  const ofWorkspace = (ids: string[]) => ({ where: { workspaceId, id: { in: ids } } });
  const [workspace, users, invitations] = await Promise.all([
    prisma.workspace.findUnique({ where: { id: workspaceId } }),
    prisma.user.findMany(ofWorkspace(idsOf("userId"))),
    prisma.invitation.findMany(ofWorkspace(idsOf("invitationId"))),
  ]);
  if (!workspace) return [];
  const inviterIds = invitations.flatMap(({ invitedById }) => invitedById ?? []);
  const inviters = inviterIds.length > 0 ? await prisma.user.findMany(ofWorkspace(inviterIds)) : [];
  const contents: (PersonalMailContent | undefined)[] = [];
  for (const delivery of deliveries) {
    const user = users.find(({ id }) => id === delivery.userId) ?? null;
    const invitation = invitations.find(({ id }) => id === delivery.invitationId) ?? null;
    const inviter = inviters.find(({ id }) => id === invitation?.invitedById) ?? null;
    const none = { facility: null, camera: null, alert: null, alertRule: null, streamRequest: null };
    const digest = delivery.kind === "DIGEST" ? await mailedDigest(prisma, delivery, user, time) : null;
    const content = { ...none, delivery, workspace, user, invitation, inviter, digest };
    const isStillWanted = await isWanted[delivery.kind as PersonalMailKind](prisma, content, time.now);
    contents.push(isStillWanted ? content : undefined);
  }
  return contents;
}
