import { randomUUID } from "node:crypto";
import { type Invitation, Prisma, type PrismaClient } from "../generated/prisma/client.js";
import type { WorkspaceTurns } from "../platform/queues/workspace-turns.js";
import type { StepOutcome } from "../platform/workers/worker.js";
import { lifetimeMs } from "./outbox/delivery-queue.js";
import { queuePersonalMails } from "./personal-mails.js";

/** Nothing announces the mails that instances of version 0.2 delete. */
const pollIntervalMs = 10_000;
const batchSize = 500;

/**
 * Queues the mail with an invitation, which takes the place of an earlier one. The
 * invitation is new, or locked.
 */
export async function queueInvitationMail(
  transaction: Prisma.TransactionClient,
  { workspaceId, id, email }: Invitation,
  now: Date,
): Promise<void> {
  const mailId = randomUUID();
  await transaction.invitation.update({ where: { workspaceId_id: { workspaceId, id } }, data: { mailId } });
  await queueMails(transaction, workspaceId, [{ id, email, mailId }], now);
}

const queueMails = (
  transaction: Pick<Prisma.TransactionClient, "$executeRaw">,
  workspaceId: string,
  invitations: readonly Pick<Invitation, "id" | "email" | "mailId">[],
  now: Date,
) =>
  queuePersonalMails(transaction, {
    ...{ workspaceId, kind: "INVITATION" },
    mails: invitations.map(({ id: invitationId, email: address, mailId }) => ({
      ...{ id: mailId as string, invitationId, address },
    })),
    createdAt: now,
    expiresAt: new Date(now.getTime() + lifetimeMs),
  });

/**
 * Queues lost mails with invitations of the next workspace that has some, under the same
 * ids. Instances of version 0.2 delete those of this version, which they do not know. Not
 * needed once no instance runs version 0.2 any more.
 */
export async function queueLostInvitationMails(
  prisma: PrismaClient,
  turns: WorkspaceTurns,
  now: Date,
  onQueued: (workspaceId: string) => void,
): Promise<StepOutcome> {
  const queued = await turns.claim(
    async (following) => {
      const start =
        "gt" in following ? Prisma.sql`> ${following.gt}::uuid` : Prisma.sql`>= ${following.gte}::uuid`;
      const [next] = await lostMails(prisma, {
        workspace: Prisma.sql`invitation."workspaceId" ${start}`,
        workspaceOfMail: Prisma.sql`mail."workspaceId" = invitation."workspaceId"`,
        ...{ now, limit: 1 },
      });
      return next ?? null;
    },
    async (workspaceId) => {
      const lost = await lostMails(prisma, {
        workspace: Prisma.sql`invitation."workspaceId" = ${workspaceId}::uuid`,
        workspaceOfMail: Prisma.sql`mail."workspaceId" = ${workspaceId}::uuid`,
        ...{ now, limit: batchSize },
      });
      await queueMails(prisma, workspaceId, lost, now);
      return lost.length > 0 ? [workspaceId] : [];
    },
  );
  for (const workspaceId of queued) onQueued(workspaceId);
  return queued.length > 0 ? "more" : { dueInMs: pollIntervalMs };
}

interface LostMails {
  /** Conditions on the workspace of invitations, and of mails. */
  workspace: Prisma.Sql;
  workspaceOfMail: Prisma.Sql;
  now: Date;
  limit: number;
}

/** The open invitations whose mail is not in the outbox, neither waiting nor ended. */
function lostMails(
  prisma: PrismaClient,
  { workspace, workspaceOfMail, now, limit }: LostMails,
): Promise<Pick<Invitation, "workspaceId" | "id" | "email" | "mailId">[]> {
  return prisma.$queryRaw(Prisma.sql`
    SELECT invitation."workspaceId", invitation."id", invitation."email", invitation."mailId" FROM "Invitation" AS invitation
    WHERE ${workspace} AND invitation."mailId" IS NOT NULL AND invitation."acceptedAt" IS NULL AND invitation."revokedAt" IS NULL
      AND invitation."expiresAt" > ${now}::timestamptz
      AND NOT EXISTS (SELECT FROM "Delivery" AS mail WHERE ${workspaceOfMail} AND mail."id" = invitation."mailId")
    ORDER BY invitation."workspaceId" LIMIT ${limit}::int`);
}
