import { Prisma } from "../../generated/prisma/client.js";
import { hostOf, targetIdOf } from "./channels/delivery-channels.js";
import { queueIdOf } from "./outbox/delivery-queue.js";
import { DeliveryChannel, type PersonalMailKind } from "./outbox/delivery-state.js";

/** A mail to a single person: a user, or somebody who is invited. */
export type PersonalMail = { id: string; address: string; path?: string | null } & (
  | { userId: string }
  | { invitationId: string }
);

/** Mails of one kind to people of a workspace. */
interface PersonalMails {
  workspaceId: string;
  kind: PersonalMailKind;
  mails: readonly PersonalMail[];
  createdAt: Date;
  /** An attempt that fails after this time is the last. */
  expiresAt: Date;
}

/** Queues mails to people of a workspace, each in a queue of its own. Ids that are already queued change nothing. */
export function personalMailDeliveries({
  workspaceId,
  kind,
  mails,
  createdAt,
  expiresAt,
}: PersonalMails): Prisma.Sql {
  const [channel, target] = [Prisma.sql`${DeliveryChannel.EMAIL}::text`, Prisma.sql`given."address"`];
  const targetId = targetIdOf(channel, target);
  return Prisma.sql`
    INSERT INTO "Delivery" ("id", "workspaceId", "cameraId", "invitationId", "userId", "path", "kind", "channel", "target", "targetId", "queueId",
      "host", "queuedAt", "createdAt", "expiresAt")
    SELECT given."id", ${workspaceId}::uuid, given."id", given."invitationId", given."userId", given."path", ${kind}, ${channel}, ${target}, ${targetId},
      ${queueIdOf(Prisma.sql`${kind}::text`, Prisma.sql`given."id"`, targetId)}, ${hostOf(channel, target)},
      (SELECT clock_timestamp()), ${createdAt}::timestamptz, ${expiresAt}::timestamptz
    FROM jsonb_to_recordset(${JSON.stringify(mails)}::jsonb) AS given("id" uuid, "address" text, "invitationId" uuid, "userId" uuid, "path" text)
    JOIN "Workspace" AS workspace ON workspace."id" = ${workspaceId}::uuid
    ON CONFLICT ("workspaceId", "id") DO NOTHING`;
}
