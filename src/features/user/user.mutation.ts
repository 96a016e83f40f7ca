import { Arg, Ctx, Mutation, Resolver } from "type-graphql";
import {
  assertCan,
  assertCanGrant,
  assertCanTakeAway,
  assertHoldsAllOf,
  type Caller,
  holdsAllOf,
} from "../../engine/access/permissions.js";
import { assertExpectedVersion } from "../../engine/operation/expected-version.js";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { changedFields, isUnchanged, type WriteAccess } from "../../engine/operation/write.js";
import { scheduleRemoval } from "../../engine/storage/object-removal.js";
import { acceptedPicture } from "../../engine/storage/picture.js";
import { Prisma, type User as StoredUser } from "../../generated/prisma/client.js";
import { badRequest, type ErrorDetail, ServiceError } from "../../platform/errors/errors.js";
import { type Upload, UploadScalar } from "../../platform/files/incoming-file.js";
import { CheckedArgs, IdArg, InputArg } from "../../platform/input/input-type.js";
import { DateTimeIso } from "../../platform/input/scalars.js";
import { later } from "../../platform/time.js";
import { assertIsAhead, databaseTime, hasEnded, hasEndedAt, isLater } from "./access-end.js";
import { addUser, deleteUser, moveEmailLookup } from "./auth-id-lookup.js";
import { endSessions } from "./end-sessions.js";
import { FacilityAccess } from "./facility-access.type.js";
import { heldBy, takenCountsForMs, takenFrom } from "./held-permissions.js";
import { parsePhoneNumber } from "./phone-number.js";
import {
  CreateUserInput,
  FacilityAccessArguments,
  GrantAccessArguments,
  LocaleArguments,
  PhoneNumberInput,
  UpdateMeInput,
  UpdateUserInput,
  UserRolesArguments,
} from "./user.input.js";
import { assertIsUser } from "./user.service.js";
import { User } from "./user.type.js";

/** The length of the longer side of a user's picture, in pixels. */
const maxSide = 512;

@Resolver()
export class UserMutations {
  @Mutation(() => User, {
    description: "Changes the calling user's profile. FORBIDDEN if the caller is an API key.",
  })
  updateMe(
    @Ctx() context: RequestContext,
    @InputArg(UpdateMeInput, "The whole new profile.") input: UpdateMeInput,
  ) {
    return changeMe(context, input);
  }

  @Mutation(() => User, {
    description: "Changes the calling user's phone number. FORBIDDEN if the caller is an API key.",
  })
  updateMyPhoneNumber(
    @Ctx() context: RequestContext,
    @InputArg(PhoneNumberInput, "The new number, and the country in which it is valid.")
    input: PhoneNumberInput,
  ) {
    return changeMe(context, { phoneNumber: { ...parsePhoneNumber(input) } });
  }

  @Mutation(() => User, {
    description:
      "Changes the language in which the gateway writes mails to the calling user: German for German tags such as de-AT, otherwise English. FORBIDDEN if the caller is an API key.",
  })
  updateMyLocale(@Ctx() context: RequestContext, @CheckedArgs(LocaleArguments) { locale }: LocaleArguments) {
    return changeMe(context, { locale: new Intl.Locale(locale).baseName });
  }

  @Mutation(() => User, {
    description:
      "Records the time up to which the calling user has seen what happened. A time before the recorded one changes nothing. BAD_REQUEST if it is in the future, FORBIDDEN if the caller is an API key. The audit log does not record it.",
  })
  markSeen(
    @Ctx() context: RequestContext,
    @Arg("at", () => DateTimeIso, { description: "The time up to which the user has seen what happened." })
    at: Date,
  ) {
    assertIsUser(context.caller);
    return context.write(
      async (write) => {
        if (at > write.now) throw badRequest([{ path: "at", message: "must not be in the future" }]);
        const user = await write.lock("User", write.caller.id);
        // One of a clock that was ahead must not hide what happens until then.
        if (user.seenAt && user.seenAt >= at && user.seenAt <= write.now) return user;
        return write.transaction.user.update({
          where: write.key(user.id),
          data: { seenAt: at, updatedAt: user.updatedAt },
        });
      },
      { keepsAccess: true },
    );
  }

  @Mutation(() => User, {
    description:
      "Replaces the calling user's picture, which is scaled down to at most 512 by 512 pixels and stored without its metadata. FORBIDDEN if the caller is an API key, PAYLOAD_TOO_LARGE if the picture is too large, UNSUPPORTED_MEDIA_TYPE if it is not a supported picture.",
  })
  async updateMyPicture(
    @Ctx() context: RequestContext,
    @Arg("image", () => UploadScalar, { description: acceptedPicture }) image: Upload,
  ) {
    assertIsUser(context.caller);
    return context.services.pictures.store(context, image, ["users", { picture: { maxSide } }], (stored) =>
      context.write(async (write) => {
        const before = await write.lock("User", write.caller.id);
        await stored.keep(write.transaction);
        const picture = stored.pictures.picture.key;
        await scheduleRemoval(write.transaction, before.workspaceId, [before.picture], write.now);
        write.emit({ topic: "workQueued" });
        return write.update("User", before, { picture });
      }),
    );
  }

  @Mutation(() => User, {
    description:
      "Adds a user to the workspace. Requires users:write in the workspace and every role that the new user gets. CONFLICT if the `authId` is taken in any workspace.",
  })
  createUser(
    @Ctx() context: RequestContext,
    @InputArg(CreateUserInput, "The new user.") input: CreateUserInput,
  ) {
    return context.write(async (write) => {
      assertCan(write.caller, "users:write");
      assertCanGrant(write.caller, input.roles, null);
      await assertIsAhead(write.transaction, input.until, "input.until");
      const { workspaceId } = write.caller;
      const { firstName = null, lastName = null, ...values } = { ...input, roles: [...new Set(input.roles)] };
      const user = await addUser(write.transaction, { workspaceId, firstName, lastName, ...values });
      if (!user) throw new ServiceError("CONFLICT", "This authId cannot be used");
      write.auditChange("User", user, changedFields<object>({}, values));
      return user;
    });
  }

  @Mutation(() => User, {
    description:
      "Changes a user's email address or name, or when their access ends. A new address ends the user's sessions. Requires users:write in the workspace. Because an email address lets its owner sign in, changing that of somebody else also requires all permissions that the user holds, or held in the last 30 days, otherwise FORBIDDEN. So do another end of the access, for permissions that the user holds, and the prolonging of access that has ended. CONFLICT for an end of the access of whoever has users:write in the workspace, unless another user has it at least as long.",
  })
  updateUser(
    @Ctx() context: RequestContext,
    @IdArg("the user") id: string,
    @InputArg(UpdateUserInput, "The new values.") input: UpdateUserInput,
  ) {
    return context.write(async (write) => {
      assertCan(write.caller, "users:write");
      const before = await write.lock("User", id);
      assertExpectedVersion(before, input);
      const hasNewEmail = input.email !== undefined && input.email !== before.email;
      const { until = before.until } = input;
      const hasNewEnd = until?.getTime() !== before.until?.getTime();
      if (hasNewEmail) await assertCanChangeEmail(write, before);
      const isRevived = hasNewEnd && (await changesEnd(write, before, until));
      // Nobody has verified the new address yet.
      const unrecorded = hasNewEmail ? { emailVerified: false } : {};
      const user = await write.update("User", before, input, { unrecorded });
      if (hasNewEmail) await moveEmailLookup(write.transaction, before, user.email);
      if (hasNewEmail || isRevived) await endSessions(write, id);
      else if (hasNewEnd) write.emit({ topic: "accessChanged", ids: [id] });
      return user;
    });
  }

  @Mutation(() => User, {
    description:
      "Sets a user's roles. Requires users:write in the workspace, all roles that are added, and all that are taken from somebody else. CONFLICT if nobody would be left with users:write in the workspace.",
  })
  setUserRoles(
    @Ctx() context: RequestContext,
    @CheckedArgs(UserRolesArguments) { userId, roles }: UserRolesArguments,
  ) {
    return context.write(async (write) => {
      assertCan(write.caller, "users:write");
      const before = await write.lock("User", userId);
      const uniqueRoles: string[] = [...new Set(roles)];
      const added = uniqueRoles.filter((role) => !before.roles.includes(role));
      assertCanGrant(write.caller, added, null);
      const taken = before.roles.filter((role) => !uniqueRoles.includes(role));
      if (userId !== write.caller.id) assertCanTakeAway(write.caller, taken);
      if (taken.includes("users:write")) await assertIsNotLastManager(write, before);
      const user = await write.update("User", before, { roles: uniqueRoles });
      if (user !== before) write.emit({ topic: "accessChanged", ids: [userId] });
      return user;
    });
  }

  @Mutation(() => User, {
    description:
      "Deletes a user with all permissions at facilities, and returns the user as before. CONFLICT if the user is the caller, or the last one with users:write in the workspace. Requires users:write in the workspace, and all permissions that the user holds now.",
  })
  removeUser(@Ctx() context: RequestContext, @IdArg("the user", "userId") userId: string) {
    return context.write(async (write) => {
      assertCan(write.caller, "users:write");
      const user = await write.lock("User", userId);
      if (user.id === write.caller.id) throw new ServiceError("CONFLICT", "Users cannot remove themselves");
      const held = await heldBy(write, user, await databaseTime(write.transaction));
      assertHoldsAllOf(write.caller, held, "take away");
      await assertIsNotLastManager(write, user);
      await deleteUser(write.transaction, user);
      await scheduleRemoval(write.transaction, user.workspaceId, [user.picture], write.now);
      write.emit({ topic: "workQueued" });
      write.emit({ topic: "accessChanged", ids: [userId] });
      const { authId, email, roles } = user;
      const gone = { authId: null, email: null, roles: [] };
      write.auditChange("User", user, changedFields<object>({ authId, email, roles }, gone));
      return user;
    });
  }

  @Mutation(() => FacilityAccess, {
    description:
      "Grants a user actions at a facility, in addition to those already granted that have not ended. Requires users:write at the facility and every action that is granted. With a later end, or none, all actions are granted; with an earlier or a first one, those already granted are taken away, as by `removeFacilityAccess`.",
  })
  grantFacilityAccess(
    @Ctx() context: RequestContext,
    @CheckedArgs(GrantAccessArguments) change: GrantAccessArguments,
  ) {
    return changeAccess(context, change, { isGrant: true });
  }

  @Mutation(() => FacilityAccess, {
    description:
      "Revokes a user's actions at a facility; actions that are not granted are ignored. Requires users:write at the facility, and every action that somebody else loses; what the user also holds by role is not lost.",
  })
  removeFacilityAccess(
    @Ctx() context: RequestContext,
    @CheckedArgs(FacilityAccessArguments) change: FacilityAccessArguments,
  ) {
    return changeAccess(context, change, { isGrant: false });
  }
}

function changeMe(context: RequestContext, values: Partial<StoredUser>) {
  assertIsUser(context.caller);
  return context.write(async (write) => {
    const before = await write.lock("User", write.caller.id);
    return write.update("User", before, values);
  });
}

/** Throws FORBIDDEN if the caller could gain permissions: whoever reads the mail to an address can become its user. */
async function assertCanChangeEmail(write: WriteAccess, user: StoredUser): Promise<void> {
  if (user.id === write.caller.id) return;
  const since = later(write.now, -takenCountsForMs);
  for (const held of [await heldBy(write, user, since), await takenFrom(write, user)])
    if (!holdsAllOf(write.caller, held))
      throw new ServiceError(
        "FORBIDDEN",
        "You cannot change the email address of a user who holds, or held in the last 30 days, permissions that you do not hold",
      );
}

/** Checks another end of a locked user's access. Returns whether the access had ended. */
async function changesEnd(write: WriteAccess, user: StoredUser, until: Date | null): Promise<boolean> {
  await assertIsAhead(write.transaction, until, "input.until");
  const now = await databaseTime(write.transaction);
  const held = await heldBy(write, { ...user, until: null }, now);
  if (isLater(until, user.until)) assertHoldsAllOf(write.caller, held, "grant");
  else {
    if (user.id !== write.caller.id) assertHoldsAllOf(write.caller, held, "take away");
    await assertIsNotLastManager(write, user, [{ path: "input.until", message: "must be null" }]);
  }
  return hasEndedAt(now, user.until);
}

/**
 * Throws CONFLICT unless another user manages users at least as long as the locked one; no other can cease to until the
 * commit.
 */
async function assertIsNotLastManager(
  { transaction }: WriteAccess,
  { workspaceId, id, roles, until }: StoredUser,
  details?: ErrorDetail[],
): Promise<void> {
  if (!roles.includes("users:write")) return;
  await transaction.$queryRaw(
    Prisma.sql`SELECT 1 FROM "Workspace" WHERE "id" = ${workspaceId}::uuid FOR NO KEY UPDATE`,
  );
  const other = await transaction.user.findFirst({
    where: {
      workspaceId,
      id: { not: id },
      roles: { has: "users:write" },
      OR: [{ until: null }, ...(until ? [{ until: { gte: until } }] : [])],
    },
    select: { id: true },
  });
  if (!other)
    throw new ServiceError(
      "CONFLICT",
      "This is the last user with users:write in the workspace",
      details && { details },
    );
}

async function changeAccess(
  context: RequestContext,
  change: GrantAccessArguments,
  { isGrant }: { isGrant: boolean },
) {
  const { facilityId, userId } = change;
  const named: string[] = change.actions;
  if (userId == null && context.caller.kind !== "user")
    throw badRequest([{ path: "userId", message: "is required if the caller is an API key" }]);
  return context.write(async (write) => {
    await write.lock("Facility", facilityId);
    assertCan(write.caller, "users:write", facilityId);
    // Lock the user to serialize concurrent changes of the same user's access.
    const user = await write.lock("User", userId ?? write.caller.id);
    if (isGrant) assertCanGrant(write.caller, named, [facilityId]);
    const owner = { workspaceId: user.workspaceId, userId: user.id, facilityId };
    const key = { workspaceId_userId_facilityId: owner };
    await assertIsAhead(write.transaction, change.until, "until");
    const row = await write.transaction.facilityAccess.findUnique({ where: key });
    const stored = { actions: row?.actions ?? [], until: row?.until ?? null };
    const before = (await hasEnded(write.transaction, stored.until)) ? noAccess : stored;
    const after = isGrant
      ? granted(before, change)
      : { ...stored, actions: stored.actions.filter((each) => !named.includes(each)) };
    assertCanChangeAccess(write.caller, { user, facilityId, before, after });
    const changes = changedFields<Access>(stored, after);
    const access = { userId: user.id, facilityId, ...after };
    if (isUnchanged(changes)) return access;
    if (after.actions.length > 0) {
      await write.transaction.facilityAccess.upsert({
        where: key,
        create: { ...owner, ...after },
        update: after,
      });
    } else if (row) {
      await write.transaction.facilityAccess.delete({ where: key });
    }
    write.emit({ topic: "accessChanged", ids: [user.id] });
    write.auditChange("FacilityAccess", { id: user.id, facilityId }, changes);
    return access;
  });
}

/** What a user holds at a facility, in addition to their roles, and when that ends. */
interface Access {
  actions: string[];
  until: Date | null;
}

const noAccess: Access = { actions: [], until: null };

const granted = (
  { actions, until }: Access,
  change: { actions: readonly string[]; until?: Date | null },
): Access => ({
  actions: [...new Set([...actions, ...change.actions])],
  until: change.until === undefined ? until : change.until,
});

/** Throws FORBIDDEN if the caller hands out or takes away what they do not hold. */
function assertCanChangeAccess(
  caller: Caller,
  {
    user,
    facilityId,
    before,
    after,
  }: { user: StoredUser; facilityId: string; before: Access; after: Access },
): void {
  if (isLater(after.until, before.until)) assertCanGrant(caller, after.actions, [facilityId]);
  if (user.id === caller.id) return;
  const left = isLater(before.until, after.until) ? [] : after.actions;
  const taken = before.actions.filter((each) => !left.includes(each) && !user.roles.includes(each));
  assertCanTakeAway(caller, taken, facilityId);
}
