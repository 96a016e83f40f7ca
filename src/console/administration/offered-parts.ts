import { keysOf } from "../../platform/record.js";
import { useWorkspace } from "../viewer/viewer.js";

/**
 * The parts of the settings by their names in the address (`/?view=settings&part=keys`), each with the permission in
 * the workspace without which it is not offered.
 */
const partPermissions = {
  facilities: undefined,
  people: "users:read",
  keys: "api-keys:write",
  connectors: "api-keys:write",
  notifications: undefined,
  audit: "users:read",
  workspace: "facilities:write",
  profile: undefined,
} as const;

export type PartName = keyof typeof partPermissions;

/** The part that the address of the settings needs not name. */
export const firstPart: PartName = "facilities";

/** The parts of the settings that are offered to the viewer, in their order. */
export function useOfferedParts(): PartName[] {
  const permissions = useWorkspace()?.viewerPermissions ?? [];
  return keysOf(partPermissions).filter((name) => {
    const permission = partPermissions[name];
    return permission === undefined || permissions.includes(permission);
  });
}
