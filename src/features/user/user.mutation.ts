import { Arg, Ctx, Mutation, Resolver } from "type-graphql";
import { assertCan, assertCanGrant, assertCanTakeAway, holdsAllOf } from "../../engine/access/permissions.js";
import { assertExpectedVersion } from "../../engine/operation/expected-version.js";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { changedFields, isUnchanged, type WriteAccess } from "../../engine/operation/write.js";
import { scheduleRemoval } from "../../engine/storage/object-removal.js";
import { acceptedPicture } from "../../engine/storage/picture.js";
import { Prisma, type User as StoredUser } from "../../generated/prisma/client.js";
import { badRequest, ServiceError } from "../../platform/errors/errors.js";
import { type Upload, UploadScalar } from "../../platform/files/incoming-file.js";
import { CheckedArgs, IdArg, InputArg } from "../../platform/input/input-type.js";
import { DateTimeIso } from "../../platform/input/scalars.js";
import { addUser, deleteUser, moveEmailLookup } from "./auth-id-lookup.js";
import { endSessions } from "./end-sessions.js";
import { FacilityAccess } from "./facility-access.type.js";
import { heldBy, takenFrom } from "./held-permissions.js";
import { parsePhoneNumber } from "./phone-number.js";
import {
  CreateUserInput,
  FacilityAccessArguments,
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
      "Changes a user's email address or name. A new address ends the user's sessions. Requires users:write in the workspace. Because an email address lets its owner sign in, changing that of somebody else also requires all permissions that the user holds, or held in the last 30 days, otherwise FORBIDDEN.",
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
      if (!hasNewEmail) return write.update("User", before, input);
      await assertCanChangeEmail(write, before);
      // Nobody has verified the new address yet.
      const user = await write.update("User", before, input, { unrecorded: { emailVerified: false } });
      await moveEmailLookup(write.transaction, before, user.email);
      await endSessions(write, id);
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
      "Deletes a user with all permissions at facilities, and returns the user as before. CONFLICT if the user is the caller, or the last one with users:write in the workspace. Requires users:write in the workspace, and all permissions that the user holds.",
  })
  removeUser(@Ctx() context: RequestContext, @IdArg("the user", "userId") userId: string) {
    return context.write(async (write) => {
      assertCan(write.caller, "users:write");
      const user = await write.lock("User", userId);
      if (user.id === write.caller.id) throw new ServiceError("CONFLICT", "Users cannot remove themselves");
      const { permissions, facilityPermissions } = await heldBy(write, user);
      assertCanTakeAway(write.caller, permissions);
      for (const [facilityId, actions] of facilityPermissions)
        assertCanTakeAway(write.caller, actions, facilityId);
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
      "Grants a user actions at a facility, in addition to those already granted. Requires users:write at the facility and every action that is granted.",
  })
  grantFacilityAccess(
    @Ctx() context: RequestContext,
    @CheckedArgs(FacilityAccessArguments) change: FacilityAccessArguments,
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
  for (const held of [await heldBy(write, user), await takenFrom(write, user)])
    if (!holdsAllOf(write.caller, held))
      throw new ServiceError(
        "FORBIDDEN",
        "You cannot change the email address of a user who holds, or held in the last 30 days, permissions that you do not hold",
      );
}

/** Throws CONFLICT if the locked user is the only one who manages users; no other can cease to until the commit. */
async function assertIsNotLastManager(
  { transaction }: WriteAccess,
  { workspaceId, id, roles }: StoredUser,
): Promise<void> {
  if (!roles.includes("users:write")) return;
  await transaction.$queryRaw(
    Prisma.sql`SELECT 1 FROM "Workspace" WHERE "id" = ${workspaceId}::uuid FOR NO KEY UPDATE`,
  );
  const other = await transaction.user.findFirst({
    where: { workspaceId, id: { not: id }, roles: { has: "users:write" } },
    select: { id: true },
  });
  if (!other) throw new ServiceError("CONFLICT", "This is the last user with users:write in the workspace");
}

async function changeAccess(
  context: RequestContext,
  { facilityId, actions, userId }: FacilityAccessArguments,
  { isGrant }: { isGrant: boolean },
) {
  if (userId == null && context.caller.kind !== "user")
    throw badRequest([{ path: "userId", message: "is required if the caller is an API key" }]);
  return context.write(async (write) => {
    await write.lock("Facility", facilityId);
    assertCan(write.caller, "users:write", facilityId);
    // Lock the user to serialize concurrent changes of the same user's access.
    const user = await write.lock("User", userId ?? write.caller.id);
    if (isGrant) assertCanGrant(write.caller, actions, [facilityId]);
    const owner = { workspaceId: user.workspaceId, userId: user.id, facilityId };
    const key = { workspaceId_userId_facilityId: owner };
    const before = await write.transaction.facilityAccess.findUnique({ where: key });
    const heldBefore = before?.actions ?? [];
    const named: string[] = actions;
    const held = isGrant
      ? [...new Set([...heldBefore, ...named])]
      : heldBefore.filter((action) => !named.includes(action));
    const taken = heldBefore.filter((each) => !held.includes(each) && !user.roles.includes(each));
    if (user.id !== write.caller.id) assertCanTakeAway(write.caller, taken, facilityId);
    const changes = changedFields({ actions: heldBefore }, { actions: held });
    const access = { userId: user.id, facilityId, actions: held };
    if (isUnchanged(changes)) return access;
    if (held.length > 0) {
      await write.transaction.facilityAccess.upsert({
        where: key,
        create: { ...owner, actions: held },
        update: { actions: held },
      });
    } else if (before) {
      await write.transaction.facilityAccess.delete({ where: key });
    }
    write.emit({ topic: "accessChanged", ids: [user.id] });
    write.auditChange("FacilityAccess", { id: user.id, facilityId }, changes);
    return access;
  });
}
