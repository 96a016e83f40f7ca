import { z } from "zod";
import { ServiceError } from "../platform/errors.js";

/** Everything that may be allowed to somebody, in the workspace or at one facility. */
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

export const permission = z.enum(permissions, { error: `must be one of ${permissions.join(", ")}` });

export type Permission = z.infer<typeof permission>;

/** Who is asking, and what they may do. */
export interface Caller {
  kind: "user" | "api-key";
  /** The id of the user or of the key. */
  id: string;
  workspaceId: string;
  /** What is held in the whole workspace. */
  permissions: ReadonlySet<string>;
  /** What is held at single facilities besides. */
  facilityPermissions: ReadonlyMap<string, ReadonlySet<string>>;
  /** The workspace's cameras that were deleted and whose alerts are still being purged. */
  removedCameraIds: readonly string[];
}

/** Whether the caller holds a permission at a facility or, without one, in the whole workspace. */
export function can(caller: Caller, needed: Permission, facilityId?: string): boolean {
  if (caller.permissions.has(needed)) return true;
  return facilityId !== undefined && (caller.facilityPermissions.get(facilityId)?.has(needed) ?? false);
}

/** Refuses with FORBIDDEN unless the caller holds the permission there. For what the caller can see: else it is not found. */
export function assertCan(caller: Caller, needed: Permission, facilityId?: string): void {
  if (can(caller, needed, facilityId)) return;
  throw new ServiceError("FORBIDDEN", `This needs the permission ${needed} ${facilityId ? "at the facility" : "in the workspace"}`);
}

/** The facilities where the caller holds a permission: all of the workspace, or some. */
export function facilitiesWhere(caller: Caller, needed: Permission): "all" | string[] {
  if (caller.permissions.has(needed)) return "all";
  return [...caller.facilityPermissions].filter(([, held]) => held.has(needed)).map(([facilityId]) => facilityId);
}

/** Refuses with FORBIDDEN whoever holds a permission nowhere. */
export function assertCanSomewhere(caller: Caller, needed: Permission): void {
  if (facilitiesWhere(caller, needed).length === 0) throw new ServiceError("FORBIDDEN", `This needs the permission ${needed} at some facility`);
}

/** Refuses to hand out what the caller does not hold: at each of the facilities or, without any, in the whole workspace. */
export function assertHolds(caller: Caller, permissions: readonly string[], facilityIds: readonly string[] | null): void {
  const places = facilityIds ?? [undefined];
  const missing = permissions.find((each) => places.some((facilityId) => !can(caller, each as Permission, facilityId)));
  if (missing) throw new ServiceError("FORBIDDEN", `Nobody hands out what they do not hold: ${missing}`);
}

/** The facilities that the caller sees: all of the workspace, or those where any permission is held. */
export function visibleFacilities(caller: Caller): "all" | string[] {
  if (caller.permissions.size > 0) return "all";
  return [...caller.facilityPermissions].filter(([, held]) => held.size > 0).map(([facilityId]) => facilityId);
}
