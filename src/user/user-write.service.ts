import { assertCan, assertCanGrant, assertCanTakeAway, holdsAllOf } from "../access/permissions.js";
import { Prisma, type User } from "../generated/prisma/client.js";
import { assertExpectedVersion } from "../operation/expected-version.js";
import type { RequestContext } from "../operation/request-context.js";
import { changedFields, isUnchanged, type WriteAccess } from "../operation/write.js";
import { badRequest, ServiceError } from "../platform/errors.js";
import { scheduleRemoval } from "../storage/object-removal.js";
import { addUser, deleteUser, moveEmailLookup } from "./auth-id-lookup.js";
import { endSessions } from "./end-sessions.js";
import { heldBy, takenFrom } from "./held-permissions.js";
import { parsePhoneNumber } from "./phone-number.js";
import type { CreateUserInput, PhoneNumberInput, UpdateMeInput, UpdateUserInput } from "./user.input.js";
import type { FacilityAccessRow } from "./user.loader.js";
import { assertIsUser } from "./user.service.js";

/** Changes the calling user's profile. */
export function updateMe(context: RequestContext, input: UpdateMeInput): Promise<User> {
  return changeMe(context, "updateMe", { ...input });
}

/** Changes the calling user's phone number. */
export function updateMyPhoneNumber(context: RequestContext, input: PhoneNumberInput): Promise<User> {
  return changeMe(context, "updateMyPhoneNumber", { phoneNumber: { ...parsePhoneNumber(input) } });
}

/** Changes the language of mails to the calling user. */
export function updateMyLocale(context: RequestContext, locale: string): Promise<User> {
  return changeMe(context, "updateMyLocale", { locale: new Intl.Locale(locale).baseName });
}

function changeMe(context: RequestContext, action: string, data: Prisma.UserUpdateInput): Promise<User> {
  assertIsUser(context.caller);
  return context.write(async (write) => {
    const before = await write.lock<User>("users", write.caller.id);
    const changes = changedFields<object>(before, data);
    if (isUnchanged(changes)) return before;
    const user = await write.transaction.user.update({
      where: write.key(before.id),
      data: { ...data, updatedAt: write.now },
    });
    write.audit({ action, targetType: "User", targetId: user.id, changes });
    return user;
  });
}

/**
 * Records the time up to which the calling user has seen what happened. This does not
 * change the profile, so it leaves `updatedAt` and the audit log alone.
 */
export function markSeen(context: RequestContext, at: Date): Promise<User> {
  assertIsUser(context.caller);
  return context.write(
    async (write) => {
      if (at > write.now) throw badRequest([{ path: "at", message: "must not be in the future" }]);
      const user = await write.lock<User>("users", write.caller.id);
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

/**
 * Adds a user to the workspace. Requires users:write in the workspace and every role that
 * the new user gets.
 */
export function createUser(context: RequestContext, input: CreateUserInput): Promise<User> {
  return context.write(async (write) => {
    assertCan(write.caller, "users:write");
    assertCanGrant(write.caller, input.roles, null);
    const { workspaceId } = write.caller;
    const { firstName = null, lastName = null, ...values } = { ...input, roles: [...new Set(input.roles)] };
    const user = await addUser(write.transaction, { workspaceId, firstName, lastName, ...values });
    if (!user) throw new ServiceError("CONFLICT", "This authId cannot be used");
    write.audit({
      action: "createUser",
      targetType: "User",
      targetId: user.id,
      changes: changedFields<object>({}, values),
    });
    return user;
  });
}

/**
 * Changes a user's email address or name. Requires users:write in the workspace. Changing
 * the address of somebody else also requires all permissions that the user holds.
 */
export function updateUser(context: RequestContext, id: string, input: UpdateUserInput): Promise<User> {
  return context.write(async (write) => {
    assertCan(write.caller, "users:write");
    const before = await write.lock<User>("users", id);
    assertExpectedVersion(before, input);
    const { expectedUpdatedAt: _expected, ...values } = input;
    const changes = changedFields<object>(before, values);
    if (isUnchanged(changes)) return before;
    const hasNewEmail = "email" in changes;
    if (hasNewEmail) await assertCanChangeEmail(write, before);
    const user = await write.transaction.user.update({
      where: write.key(id),
      // Nobody has verified the new address yet.
      data: { ...values, ...(hasNewEmail && { emailVerified: false }), updatedAt: write.now },
    });
    if (hasNewEmail) {
      await moveEmailLookup(write.transaction, before, user.email);
      await endSessions(write, id);
    }
    write.audit({ action: "updateUser", targetType: "User", targetId: id, changes });
    return user;
  });
}

/**
 * Throws FORBIDDEN if the caller could take over more permissions than their own: whoever
 * reads the mail to a user's address can become that user.
 */
async function assertCanChangeEmail(write: WriteAccess, user: User): Promise<void> {
  if (user.id === write.caller.id) return;
  for (const held of [await heldBy(write, user), await takenFrom(write, user)])
    if (!holdsAllOf(write.caller, held))
      throw new ServiceError(
        "FORBIDDEN",
        "You cannot change the email address of a user who holds, or held in the last 30 days, permissions that you do not hold",
      );
}

/**
 * Throws CONFLICT if nobody but the user, who must be locked, may manage the users of the
 * workspace. Until the end of the transaction, nobody else can cease to.
 */
async function assertIsNotLastManager(
  { transaction }: WriteAccess,
  { workspaceId, id, roles }: User,
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

/**
 * Sets a user's roles. Requires users:write in the workspace and every role that is
 * added, or taken from somebody else.
 */
export function setUserRoles(
  context: RequestContext,
  userId: string,
  roles: readonly string[],
): Promise<User> {
  return context.write(async (write) => {
    assertCan(write.caller, "users:write");
    const before = await write.lock<User>("users", userId);
    const uniqueRoles = [...new Set(roles)];
    const added = uniqueRoles.filter((role) => !before.roles.includes(role));
    assertCanGrant(write.caller, added, null);
    const taken = before.roles.filter((role) => !uniqueRoles.includes(role));
    if (userId !== write.caller.id) assertCanTakeAway(write.caller, taken);
    const changes = changedFields(before, { roles: uniqueRoles });
    if (isUnchanged(changes)) return before;
    if (taken.includes("users:write")) await assertIsNotLastManager(write, before);
    const user = await write.transaction.user.update({
      where: write.key(userId),
      data: { roles: uniqueRoles, updatedAt: write.now },
    });
    write.emit({ topic: "accessChanged", ids: [userId] });
    write.audit({ action: "setUserRoles", targetType: "User", targetId: userId, changes });
    return user;
  });
}

/**
 * Deletes a user with all accesses. Requires users:write in the workspace, and all
 * permissions that the user holds. CONFLICT if the user is the caller.
 */
export async function removeUser(context: RequestContext, userId: string): Promise<User> {
  const removed = await context.write(async (write) => {
    assertCan(write.caller, "users:write");
    const user = await write.lock<User>("users", userId);
    if (user.id === write.caller.id) throw new ServiceError("CONFLICT", "Users cannot remove themselves");
    const { permissions, facilityPermissions } = await heldBy(write, user);
    assertCanTakeAway(write.caller, permissions);
    for (const [facilityId, actions] of facilityPermissions)
      assertCanTakeAway(write.caller, actions, facilityId);
    await assertIsNotLastManager(write, user);
    await deleteUser(write.transaction, user);
    await scheduleRemoval(write.transaction, user.workspaceId, [user.picture], write.now);
    write.emit({ topic: "accessChanged", ids: [userId] });
    const { authId, email, roles } = user;
    write.audit({
      action: "removeUser",
      targetType: "User",
      targetId: userId,
      changes: changedFields<object>({ authId, email, roles }, { authId: null, email: null, roles: [] }),
    });
    return user;
  });
  context.services.wakeWorkers();
  return removed;
}

/** A change of the actions that a user may take at a facility. */
interface AccessChange {
  facilityId: string;
  actions: readonly string[];
  /** The caller by default. */
  userId?: string | null;
}

/**
 * Grants a user actions at a facility. Requires users:write there and every granted
 * action.
 */
export function grantFacilityAccess(
  context: RequestContext,
  change: AccessChange,
): Promise<FacilityAccessRow> {
  return changeAccess(context, "grantFacilityAccess", change, (held) => [
    ...new Set([...held, ...change.actions]),
  ]);
}

/**
 * Revokes a user's actions at a facility. Requires users:write there, and every action
 * that somebody else really loses.
 */
export function removeFacilityAccess(
  context: RequestContext,
  change: AccessChange,
): Promise<FacilityAccessRow> {
  return changeAccess(context, "removeFacilityAccess", change, (held) =>
    held.filter((action) => !change.actions.includes(action)),
  );
}

async function changeAccess(
  context: RequestContext,
  action: "grantFacilityAccess" | "removeFacilityAccess",
  { facilityId, actions, userId }: AccessChange,
  change: (held: string[]) => string[],
): Promise<FacilityAccessRow> {
  if (userId == null && context.caller.kind !== "user")
    throw badRequest([{ path: "userId", message: "is required if the caller is an API key" }]);
  return context.write(async (write) => {
    await write.lock("facilities", facilityId);
    assertCan(write.caller, "users:write", facilityId);
    // Lock the user to serialize concurrent changes of the same user's access.
    const user = await write.lock<User>("users", userId ?? write.caller.id);
    if (action === "grantFacilityAccess") assertCanGrant(write.caller, actions, [facilityId]);
    const owner = { workspaceId: user.workspaceId, userId: user.id, facilityId };
    const key = { workspaceId_userId_facilityId: owner };
    const before = await write.transaction.facilityAccess.findUnique({ where: key });
    const held = change(before?.actions ?? []);
    const taken = before?.actions.filter((each) => !held.includes(each) && !user.roles.includes(each)) ?? [];
    if (user.id !== write.caller.id) assertCanTakeAway(write.caller, taken, facilityId);
    const changes = changedFields({ actions: before?.actions ?? [] }, { actions: held });
    if (isUnchanged(changes)) return { userId: user.id, facilityId, actions: held };
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
    write.audit({ action, targetType: "FacilityAccess", targetId: user.id, facilityId, changes });
    return { userId: user.id, facilityId, actions: held };
  });
}
