import { randomUUID } from "node:crypto";
import { type Invitation, Prisma } from "../../generated/prisma/client.js";
import { later } from "../../platform/time.js";
import { lifetimeMs } from "./outbox/delivery-queue.js";
import { personalMailDeliveries } from "./personal-mails.js";

/** Queues the mail with an invitation, which is new or locked, in place of an earlier mail. */
export function invitationMailDelivery({ workspaceId, id, email }: Invitation, now: Date): Prisma.Sql[] {
  const mailId = randomUUID();
  return [
    Prisma.sql`UPDATE "Invitation" SET "mailId" = ${mailId}::uuid WHERE "workspaceId" = ${workspaceId}::uuid AND "id" = ${id}::uuid`,
    personalMailDeliveries({
      workspaceId,
      kind: "INVITATION",
      createdAt: now,
      mails: [{ id: mailId, invitationId: id, address: email }],
      expiresAt: later(now, lifetimeMs),
    }),
  ];
}
