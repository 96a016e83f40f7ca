import { Ctx, Mutation, Resolver } from "type-graphql";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { changedFields, isUnchanged } from "../../engine/operation/write.js";
import type { Digest } from "../../generated/prisma/client.js";
import { badRequest, NotSetUpError } from "../../platform/errors/errors.js";
import { InputArg } from "../../platform/input/input-type.js";
import { emailAddress } from "../../platform/input/text-rules.js";
import { assertFacilitiesVisible } from "../facility/facility.service.js";
import { assertIsUser } from "../user/user.service.js";
import { User } from "../user/user.type.js";
import { DigestInput, defaultDigestTime } from "./digest.input.js";
import { nextDigestAt } from "./digest-schedule.js";

@Resolver()
export class DigestMutations {
  @Mutation(() => User, {
    description:
      "Sets the mail that the calling user gets each day about the last 24 hours. A day has one at most: a time set after today's was sent holds from tomorrow on. FORBIDDEN if the caller is an API key.",
  })
  async setDigest(
    @Ctx() context: RequestContext,
    @InputArg(DigestInput, "The whole digest.") input: DigestInput,
  ) {
    assertIsUser(context.caller);
    const { deliveryChannels } = context.services.settings;
    return context.write(
      async (write) => {
        const user = await write.lock("User", write.caller.id);
        if (input.enabled) assertReachable(user, deliveryChannels.has("EMAIL"));
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
        write.emit({ topic: "workQueued" });
        write.auditChange("User", user, changes);
        return user;
      },
      { keepsAccess: true },
    );
  }
}

function assertReachable({ email }: { email: string }, canSendEmail: boolean): void {
  if (!emailAddress.safeParse(email).success)
    throw badRequest([{ path: "input.enabled", message: "needs a user with an email address" }]);
  if (!canSendEmail) throw new NotSetUpError("This gateway is not set up to send email");
}
