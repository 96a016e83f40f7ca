import { createHmac } from "node:crypto";
import { assertCan, type Caller } from "../access/permissions.js";
import type { RequestContext } from "../access/request-context.js";
import type { User } from "../generated/prisma/client.js";
import { ServiceError } from "../platform/errors.js";
import { defineLoader, groupBy } from "../platform/loader.js";
import { type Selected, selectOf } from "../platform/selection.js";

/** What is read of a user whatever was asked. */
export const userKeys = ["id", "workspaceId"] as const;

export type UserRow = Selected<User, (typeof userKeys)[number]> & { supportHash?: string };

/** Users by id, with the columns that the variant names. */
export const userById = defineLoader<RequestContext, UserRow | undefined, string[]>(
  async (context, ids, columns) => {
    const rows = await context.visible.user.findMany({ where: { id: { in: [...ids] } }, select: selectOf(columns) });
    return new Map((rows as unknown as UserRow[]).map((row) => [row.id, row]));
  },
  () => undefined,
);

/** Refuses an API key where a user is needed. */
export function assertIsUser(caller: Caller): void {
  if (caller.kind !== "user") throw new ServiceError("FORBIDDEN", "An API key is no user: this needs a user's Bearer token");
}

/** The user who asks; FORBIDDEN to an API key, which is none. */
export async function callingUser(context: RequestContext, columns: string[]): Promise<UserRow> {
  const { caller, services } = context;
  assertIsUser(caller);
  const user = await userById(context, columns).load(caller.id);
  if (!user) throw new Error("The calling user does not exist");
  const supportHash = createHmac("sha256", services.settings.supportHashSecret).update(user.id).digest("hex");
  return { ...user, supportHash };
}

/** The users of the caller's workspace, by e-mail. Needs users:read. */
export async function listUsers(context: RequestContext, columns: string[]): Promise<UserRow[]> {
  assertCan(context.caller, "users:read");
  return usersOfWorkspace(context, columns).load(context.caller.workspaceId);
}

const usersOfWorkspace = defineLoader<RequestContext, UserRow[], string[]>(
  async (context, _workspaceIds, columns) => {
    const rows = await context.visible.user.findMany({ select: selectOf(columns), orderBy: [{ email: "asc" }, { id: "asc" }] });
    return groupBy(rows as unknown as UserRow[], (user) => user.workspaceId);
  },
  () => [],
);

/** A user's actions at a facility. */
export interface FacilityAccessRow {
  userId: string;
  facilityId: string;
  actions: string[];
}

const accessesByFacility = defineLoader<RequestContext, FacilityAccessRow[]>(
  async (context, facilityIds) => {
    const rows = await context.visible.facilityAccess.findMany({
      where: { facilityId: { in: [...facilityIds] } },
      select: { userId: true, facilityId: true, actions: true },
      orderBy: { userId: "asc" },
    });
    return groupBy(rows, (access) => access.facilityId);
  },
  () => [],
);

/** Who may do what at a facility beyond their roles. Needs users:read there. */
export async function listAccesses(context: RequestContext, facilityId: string): Promise<FacilityAccessRow[]> {
  assertCan(context.caller, "users:read", facilityId);
  return accessesByFacility(context, undefined).load(facilityId);
}
