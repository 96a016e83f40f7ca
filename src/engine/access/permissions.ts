import { z } from "zod";
import { ServiceError } from "../../platform/errors/errors.js";
import { graphqlField } from "../../platform/input/input-type.js";

/** All permissions that can be granted, for the whole workspace or for one facility. */
export const permissions = [
  "facilities:read",
  "facilities:write",
  "cameras:read",
  "cameras:write",
  "alerts:read",
  "alerts:write",
  "alerts:delete",
  "alert-rules:write",
  "users:read",
  "users:write",
  "api-keys:write",
] as const;

export const permissionNames = permissions.join(", ");

export const permission = z
  .enum(permissions, { error: `must be one of ${permissionNames}` })
  .register(graphqlField, { type: String });

export type Permission = z.infer<typeof permission>;

/** The user or API key of a request, with its permissions. Never modified: the cache keeps callers between requests. */
export interface Caller {
  kind: "user" | "api-key";
  id: string;
  workspaceId: string;
  permissions: ReadonlySet<string>;
  /** Additional permissions at single facilities, by facility id. */
  facilityPermissions: ReadonlyMap<string, ReadonlySet<string>>;
  /** The deleted cameras of the workspace with alerts that have not been purged yet. */
  removedCameraIds: readonly string[];
  /** The deleted facilities of the workspace with data that has not been purged yet. */
  removedFacilityIds: readonly string[];
}

/** Whether the caller holds a permission at a facility or, without a facility, in the whole workspace. */
export const can = (caller: Caller, needed: Permission, facilityId?: string): boolean =>
  holds(caller, needed, facilityId);

/** Like {@link can}, for a stored permission, which a later version may have named. */
function holds(caller: Caller, needed: string, facilityId?: string): boolean {
  if (caller.permissions.has(needed)) return true;
  return facilityId !== undefined && (caller.facilityPermissions.get(facilityId)?.has(needed) ?? false);
}

export type HeldPermissions = Pick<Caller, "permissions" | "facilityPermissions">;

/** Whether the caller holds all of these permissions, which may be their own earlier ones or somebody else's. */
export const holdsAllOf = (caller: Caller, held: HeldPermissions): boolean =>
  missingOf(caller, held) === undefined;

function missingOf(caller: Caller, { permissions, facilityPermissions }: HeldPermissions) {
  const scopes = [[undefined, permissions] as const, ...facilityPermissions];
  return scopes
    .flatMap(([facilityId, held]) => [...held].filter((each) => !holds(caller, each, facilityId)))
    .at(0);
}

/** Throws FORBIDDEN unless the caller holds all permissions of somebody else, which they hand out or take away. */
export function assertHoldsAllOf(caller: Caller, held: HeldPermissions, act: "grant" | "take away"): void {
  const missing = missingOf(caller, held);
  if (missing) throw notHeld(act, missing);
}

const notHeld = (act: "grant" | "take away", permission: string) =>
  new ServiceError("FORBIDDEN", `You cannot ${act} a permission you do not hold: ${permission}`);

/** The caller's permissions at a facility or, if none is given, in the whole workspace; sorted. */
export function heldPermissions(caller: Caller, facilityId?: string): Permission[] {
  return permissions.filter((each) => can(caller, each, facilityId)).sort();
}

/** Throws FORBIDDEN unless the caller holds the permission. Only for visible facilities: all others are NOT_FOUND. */
export function assertCan(caller: Caller, needed: Permission, facilityId?: string): void {
  if (can(caller, needed, facilityId)) return;
  throw new ServiceError(
    "FORBIDDEN",
    `This needs the permission ${needed} ${facilityId ? "at the facility" : "in the workspace"}`,
  );
}

/** The facilities where the caller holds a permission: the whole workspace, or a list of ids. */
export function facilitiesWithPermission(caller: Caller, needed: Permission): "all" | string[] {
  if (caller.permissions.has(needed)) return "all";
  return [...caller.facilityPermissions]
    .filter(([, held]) => held.has(needed))
    .map(([facilityId]) => facilityId);
}

/** Throws FORBIDDEN unless the caller holds the permission at one facility at least. */
export function assertCanSomewhere(caller: Caller, needed: Permission): void {
  if (facilitiesWithPermission(caller, needed).length === 0)
    throw new ServiceError("FORBIDDEN", `This needs the permission ${needed} at a facility`);
}

/**
 * Throws FORBIDDEN unless the caller holds all of the permissions, at each facility or, without any, in the workspace.
 */
export function assertCanGrant(
  caller: Caller,
  permissions: readonly string[],
  facilityIds: readonly string[] | null,
): void {
  const scopes = facilityIds ?? [undefined];
  const missing = permissions.find((each) => scopes.some((facilityId) => !holds(caller, each, facilityId)));
  if (missing) throw notHeld("grant", missing);
}

/** Throws FORBIDDEN unless the caller holds all of the permissions there, and may take them away from somebody else. */
export function assertCanTakeAway(caller: Caller, permissions: Iterable<string>, facilityId?: string): void {
  for (const each of permissions) if (!holds(caller, each, facilityId)) throw notHeld("take away", each);
}

/** Whether the caller sees the alerts that a camera raised at a facility of the workspace. */
export function seesAlertsOf(
  caller: Caller,
  { facilityId, cameraId }: { facilityId: string; cameraId: string },
): boolean {
  const visible = visibleFacilities(caller);
  const isVisible = visible === "all" || visible.includes(facilityId);
  return (
    isVisible &&
    !caller.removedFacilityIds.includes(facilityId) &&
    !caller.removedCameraIds.includes(cameraId)
  );
}

/** Whether the caller sees invitations and digests that were mailed to people of the workspace. */
export const seesPersonalMail = (caller: Caller): boolean =>
  can(caller, "users:read") || can(caller, "users:write");

/** The same caller with access to given facilities alone, of those that they may see. */
export function limitedTo(caller: Caller, facilityIds: readonly string[]): Caller {
  const held = facilityIds.map((id) => [id, new Set<string>(heldPermissions(caller, id))] as const);
  return { ...caller, permissions: new Set(), facilityPermissions: new Map(held) };
}

/** Whether the caller holds a permission at every visible facility. */
export function canWhereverVisible(caller: Caller, needed: Permission): boolean {
  const visible = visibleFacilities(caller);
  return visible === "all"
    ? can(caller, needed)
    : visible.every((facilityId) => can(caller, needed, facilityId));
}

/** The facilities visible to the caller: the whole workspace, or the ids of those where they hold any permission. */
export function visibleFacilities(caller: Caller): "all" | string[] {
  if (caller.permissions.size > 0) return "all";
  return [...caller.facilityPermissions]
    .filter(([, held]) => held.size > 0)
    .map(([facilityId]) => facilityId);
}
