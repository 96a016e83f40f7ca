import { randomUUID } from "node:crypto";
import type { Transaction } from "../database/transaction.js";
import type { Invitation } from "../generated/prisma/client.js";
import { lifetimeMs } from "./outbox/delivery-queue.js";
import { queuePersonalMails } from "./personal-mails.js";

/**
 * Queues the mail with an invitation, which takes the place of an earlier one. The
 * invitation is new, or locked.
 */
export async function queueInvitationMail(
  transaction: Transaction,
  { workspaceId, id, email }: Invitation,
  now: Date,
): Promise<void> {
  const mailId = randomUUID();
  await transaction.invitation.update({ where: { workspaceId_id: { workspaceId, id } }, data: { mailId } });
  await queuePersonalMails(transaction, {
    ...{ workspaceId, kind: "INVITATION" },
    mails: [{ id: mailId, invitationId: id, address: email }],
    createdAt: now,
    expiresAt: new Date(now.getTime() + lifetimeMs),
  });
}
