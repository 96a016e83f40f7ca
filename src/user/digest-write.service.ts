import { assertFacilitiesVisible } from "../facility/facility.service.js";
import type { Digest, User } from "../generated/prisma/client.js";
import type { RequestContext } from "../operation/request-context.js";
import { changedFields, isUnchanged } from "../operation/write.js";
import { badRequest, NotSetUpError } from "../platform/errors.js";
import { emailAddress } from "../platform/text-rules.js";
import { type DigestInput, defaultDigestTime } from "./digest.input.js";
import { nextDigestAt } from "./digest-schedule.js";
import { assertIsUser } from "./user.service.js";

/** Sets the digest of the calling user. */
export async function setDigest(context: RequestContext, input: DigestInput): Promise<User> {
  assertIsUser(context.caller);
  const { deliveryChannels } = context.services.settings;
  const user = await context.write(
    async (write) => {
      const user = await write.lock<User>("users", write.caller.id);
      if (input.enabled) assertReachable(user, deliveryChannels.email);
      const facilityIds = [...new Set(input.facilityIds ?? [])].sort();
      await assertFacilitiesVisible(write, facilityIds);
      const { enabled, timeZoneId } = input;
      const values = { enabled, at: input.at ?? defaultDigestTime, timeZoneId, facilityIds };
      const key = { workspaceId: user.workspaceId, userId: user.id };
      const where = { workspaceId_userId: key };
      // A worker that queues the digest at this moment says when it was due.
      const [before] = await write.transaction.$queryRaw<Digest[]>`
        SELECT * FROM "Digest" WHERE "workspaceId" = ${user.workspaceId}::uuid AND "userId" = ${user.id}::uuid FOR UPDATE`;
      const changes = changedFields<Partial<Digest>>(before ?? {}, values);
      if (isUnchanged(changes)) return user;
      const schedule = { ...values, lastDueAt: before?.lastDueAt ?? null };
      const data = { ...values, dueAt: enabled ? nextDigestAt(schedule, write.now) : null };
      await write.transaction.digest.upsert({ where, create: { ...key, ...data }, update: data });
      write.audit({ action: "setDigest", targetType: "User", targetId: user.id, changes });
      return user;
    },
    { keepsAccess: true },
  );
  context.services.wakeWorkers();
  return user;
}

/** Refuses a digest that could not be sent. */
function assertReachable({ email }: User, canSendEmail: boolean): void {
  if (!emailAddress.safeParse(email).success)
    throw badRequest([{ path: "input.enabled", message: "needs a user with an email address" }]);
  if (!canSendEmail) throw new NotSetUpError("This gateway is not set up to send email");
}
