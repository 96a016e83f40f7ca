import { isLasting } from "../../../engine/access/caller.js";
import { readIn } from "../../../engine/operation/transaction.js";
import {
  type Delivery,
  type Invitation,
  Prisma,
  type PrismaClient,
  type User,
  type Workspace,
} from "../../../generated/prisma/client.js";
import { isOpen } from "../../invitation/invitation.js";
import { foldedEmail } from "../../user/auth-id-lookup.js";
import { nameOf } from "../../user/user.service.js";
import { type DigestContent, digestContent, maxDigestDelayMs } from "../digest-content.js";
import type { PersonalMailKind } from "./delivery-state.js";

/** A sign-in link that has waited longer is of no use: its user has asked for another. */
const signInLinkWaitsMs = 15 * 60_000;

interface PersonalMail {
  kind: "personalMail";
  delivery: Delivery;
  workspace: Workspace;
  /** The language of the reader, as far as it is known. */
  locale: string | null;
}

export type PersonalMailContent = PersonalMail &
  (
    | { mail: "INVITATION"; invitation: Invitation; inviterName: string | null }
    | { mail: "SIGN_IN_LINK"; user: User }
    | { mail: "SIGN_IN_LINK"; user: null; invitation: Invitation; inviterName: string | null }
    | { mail: "DIGEST"; user: User; digest: DigestContent }
  );

type MailDetails = PersonalMailContent extends infer Content
  ? Content extends PersonalMail
    ? Omit<Content, keyof PersonalMail>
    : never
  : never;

interface SendingTime {
  now: Date;
  /** A facility is online for this time after its last heartbeat, in seconds. */
  heartbeatTimeout: number;
}

interface Found {
  delivery: Delivery;
  user: User | undefined;
  invitation: Invitation | undefined;
}

/**
 * What a mail says. Undefined if nobody wants it any more: the person was removed, has another address, or their access
 * has ended, the invitation is no longer open or has been resent, a digest has nothing to say or was ended, or the mail
 * comes too late.
 */
const detailsOf: Record<
  PersonalMailKind,
  (prisma: PrismaClient, found: Found, time: SendingTime) => Promise<MailDetails | undefined>
> = {
  // A mail of before the invitation was resent has a successor.
  INVITATION: async (prisma, { delivery, invitation }, { now }) =>
    invitation?.mailId === delivery.id && (await isOpen(prisma, invitation, now))
      ? { mail: "INVITATION", invitation, inviterName: await inviterName(prisma, invitation) }
      : undefined,
  SIGN_IN_LINK: async (prisma, { delivery, user, invitation }, { now }) => {
    if (delivery.createdAt.getTime() + signInLinkWaitsMs <= now.getTime()) return undefined;
    if (invitation)
      return (await isOpen(prisma, invitation, now))
        ? { mail: "SIGN_IN_LINK", user: null, invitation, inviterName: await inviterName(prisma, invitation) }
        : undefined;
    return isAddressOf(user, delivery) ? { mail: "SIGN_IN_LINK", user } : undefined;
  },
  DIGEST: async (prisma, { delivery, user }, { now, heartbeatTimeout }) => {
    const { workspaceId, createdAt: end } = delivery;
    if (!isAddressOf(user, delivery) || end.getTime() + maxDigestDelayMs < now.getTime()) return undefined;
    const where = { workspaceId_userId: { workspaceId, userId: user.id } };
    const set = await prisma.digest.findUnique({ where });
    const digest = set?.enabled && (await digestContent(readIn(prisma), set, { end, now, heartbeatTimeout }));
    return digest ? { mail: "DIGEST", user, digest } : undefined;
  },
};

async function inviterName(prisma: PrismaClient, { workspaceId, invitedById: id }: Invitation) {
  const inviter = id && (await prisma.user.findUnique({ where: { workspaceId_id: { workspaceId, id } } }));
  return inviter ? nameOf(inviter) : null;
}

const isAddressOf = (user: User | undefined, { target }: Delivery): user is User =>
  user !== undefined && foldedEmail(user.email) === foldedEmail(target);

export async function personalMailContents(
  prisma: PrismaClient,
  workspaceId: string,
  deliveries: readonly Delivery[],
  time: SendingTime,
): Promise<PersonalMailContent[]> {
  const ofWorkspace = (ids: (string | null)[]) => ({
    where: { workspaceId, id: { in: ids.filter((id) => id !== null) } },
  });
  const [workspace, users, invitations] = await Promise.all([
    prisma.workspace.findUnique({ where: { id: workspaceId } }),
    prisma.$queryRaw<User[]>(Prisma.sql`
      SELECT * FROM "User" WHERE "workspaceId" = ${workspaceId}::uuid AND "id" = ANY(${deliveries.map(({ userId }) => userId)}::uuid[]) AND ${isLasting}`),
    prisma.invitation.findMany(ofWorkspace(deliveries.map(({ invitationId }) => invitationId))),
  ]);
  if (!workspace) return [];
  const inviterIds = invitations.map(({ invitedById }) => invitedById);
  const inviters = inviterIds.length > 0 ? await prisma.user.findMany(ofWorkspace(inviterIds)) : [];
  const contents: PersonalMailContent[] = [];
  for (const delivery of deliveries) {
    const user = users.find(({ id }) => id === delivery.userId);
    const invitation = invitations.find(({ id }) => id === delivery.invitationId);
    const details = await detailsOf[delivery.kind as PersonalMailKind](
      prisma,
      { delivery, user, invitation },
      time,
    );
    const reader = user ?? inviters.find(({ id }) => id === invitation?.invitedById);
    if (details)
      contents.push({
        kind: "personalMail",
        delivery,
        workspace,
        locale: reader?.locale ?? null,
        ...details,
      });
  }
  return contents;
}
