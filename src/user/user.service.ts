import { createHmac } from "node:crypto";
import { assertCan, type Caller } from "../access/permissions.js";
import { ServiceError } from "../platform/errors.js";
import type { Selection } from "../reading/selection.js";
import type { RequestContext } from "../request/request-context.js";
import { accessesByFacility, type FacilityAccessRow, type UserRow, userById, usersByWorkspace } from "./user.loader.js";

/** Throws FORBIDDEN if the caller is an API key. */
export function assertIsUser(caller: Caller): void {
  if (caller.kind !== "user") throw new ServiceError("FORBIDDEN", "This needs a user's Bearer token: an API key is not a user");
}

/** The calling user; FORBIDDEN to an API key. */
export async function callingUser(context: RequestContext, selection: Selection): Promise<UserRow> {
  const { caller, services } = context;
  assertIsUser(caller);
  const user = await userById(context, selection).load(caller.id);
  if (!user) throw new Error("The calling user does not exist");
  const supportHash = createHmac("sha256", services.settings.supportHashSecret).update(user.id).digest("hex");
  return { ...user, supportHash };
}

/** The users of the caller's workspace, by email. Requires users:read. */
export async function listUsers(context: RequestContext, selection: Selection): Promise<UserRow[]> {
  assertCan(context.caller, "users:read");
  return usersByWorkspace(context, selection).load(context.caller.workspaceId);
}

/** What users may do at a facility in addition to their roles. Requires users:read there. */
export async function listAccesses(context: RequestContext, facilityId: string, selection: Selection): Promise<FacilityAccessRow[]> {
  assertCan(context.caller, "users:read", facilityId);
  return accessesByFacility(context, selection).load(facilityId);
}
