import type { Permission } from "../../engine/access/permissions.js";

/**
 * The permission to see the target of a delivery and to send it again, and the facility where it is needed.
 * For a mail to a person, that is the whole workspace.
 */
export function managingPermission(
  facilityId: string | null,
): [needed: Permission, facilityId?: string | undefined] {
  return facilityId === null ? ["users:write"] : ["alert-rules:write", facilityId];
}
