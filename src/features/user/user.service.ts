import { createHmac } from "node:crypto";
import { type Caller, can, facilitiesWithPermission } from "../../engine/access/permissions.js";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { loadReferenced } from "../../engine/reading/load-referenced.js";
import { columnsOnly, type Selection } from "../../engine/reading/selection/selection.js";
import { defined } from "../../platform/defined.js";
import { ServiceError } from "../../platform/errors/errors.js";
import {
  accessesByFacility,
  type FacilityAccessRow,
  facilityAccesses,
  presentAccessesByFacility,
  presentUserById,
  type UserRow,
  userById,
} from "./user.loader.js";

/** Throws FORBIDDEN if the caller is an API key. */
export function assertIsUser(caller: Caller): void {
  if (caller.kind !== "user")
    throw new ServiceError("FORBIDDEN", "This needs a user's Bearer token: an API key is not a user");
}

/** The calling user. FORBIDDEN for an API key. */
export async function callingUser(context: RequestContext, selection: Selection): Promise<UserRow> {
  const { caller, services } = context;
  assertIsUser(caller);
  const user = await loadReferenced(context, userById, selection, caller.id);
  const supportHash = createHmac("sha256", services.settings.supportHashSecret).update(user.id).digest("hex");
  return { ...user, supportHash };
}

/** A user's first and last name; null if neither is known. */
export function fullNameOf({ firstName, lastName }: Pick<UserRow, "firstName" | "lastName">): string | null {
  return [firstName, lastName].filter(Boolean).join(" ") || null;
}

/** What a user is called: the name or, as long as it is not known, the email address. */
export const nameOf = (user: Pick<UserRow, "firstName" | "lastName" | "email">): string =>
  fullNameOf(user) ?? defined(user.email);

/** The user who performed an action; null for an API key, a removed user, and a user whom the caller may not see. */
export async function actingUser(
  context: RequestContext,
  selection: Selection,
  id: string | null | undefined,
): Promise<UserRow | null> {
  return id && (await seesUser(context, id)) ? userById(context, selection).load(id) : null;
}

/** A user of the caller's workspace by id; null for a user whom the caller may not see. */
export async function findUser(
  context: RequestContext,
  selection: Selection,
  id: string,
): Promise<UserRow | null> {
  const { caller } = context;
  if (caller.kind === "user" && id === caller.id) return callingUser(context, selection);
  if (!(await seesUser(context, id))) return null;
  return (can(caller, "users:write") ? userById : presentUserById)(context, selection).load(id);
}

/** The accesses of users at a facility. Only whoever may prolong them sees those that have ended. */
export const accessesAt = (
  context: RequestContext,
  selection: Selection,
  facilityId: string,
): Promise<FacilityAccessRow[]> =>
  (can(context.caller, "users:write", facilityId) ? accessesByFacility : presentAccessesByFacility)(
    context,
    selection,
  ).load(facilityId);

/**
 * Whether the caller may see a user. Callers see themselves. With users:read in the workspace, they see all users; with
 * users:read at facilities, the users with a grant there.
 */
async function seesUser(context: RequestContext, id: string): Promise<boolean> {
  const { caller } = context;
  if (id === caller.id) return true;
  const facilityIds = facilitiesWithPermission(caller, "users:read");
  return facilityIds === "all" || isGrantedAny(context, id, facilityIds);
}

const accessKeys = columnsOnly(facilityAccesses.keys);

async function isGrantedAny(
  context: RequestContext,
  userId: string,
  facilityIds: readonly string[],
): Promise<boolean> {
  const accesses = await Promise.all(
    facilityIds.map((facilityId) => accessesAt(context, accessKeys, facilityId)),
  );
  return accesses.flat().some((access) => access.userId === userId);
}
