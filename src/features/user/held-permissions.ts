import type { HeldPermissions } from "../../engine/access/permissions.js";
import type { WriteAccess } from "../../engine/operation/write.js";
import type { User } from "../../generated/prisma/client.js";
import { later } from "../../platform/time.js";
import { hasEndedAt } from "./access-end.js";

/** What is taken from a user still counts as held for this time, in milliseconds, when an address is changed. */
export const takenCountsForMs = 30 * 24 * 3_600_000;

/** A grant takes away what a user held whose access had ended. */
export const takingActions = ["setUserRoles", "removeFacilityAccess", "grantFacilityAccess"];

/** The permissions of a user, who must be locked, without those that had ended at the given time. */
export async function heldBy(
  { transaction }: WriteAccess,
  { workspaceId, id: userId, roles, until }: User,
  now: Date,
): Promise<HeldPermissions> {
  if (hasEndedAt(now, until)) return { permissions: new Set(), facilityPermissions: new Map() };
  const accesses = await transaction.facilityAccess.findMany({
    where: {
      workspaceId,
      userId,
      facility: { workspaceId, removedAt: null },
      OR: [{ until: null }, { until: { gt: now } }],
    },
  });
  return {
    permissions: new Set(roles),
    facilityPermissions: new Map(accesses.map(({ facilityId, actions }) => [facilityId, new Set(actions)])),
  };
}

/** The permissions that were taken from a user lately, whoever took them. */
export async function takenFrom(
  { transaction, now }: WriteAccess,
  { workspaceId, id: targetId }: User,
): Promise<HeldPermissions> {
  const entries = await transaction.auditEntry.findMany({
    where: {
      workspaceId,
      targetId,
      action: { in: takingActions },
      createdAt: { gt: later(now, -takenCountsForMs) },
    },
  });
  const facilityIds = entries.flatMap(({ facilityId }) => facilityId ?? []);
  const facilities = await transaction.facility.findMany({
    where: { workspaceId, id: { in: facilityIds }, removedAt: null },
    select: { id: true },
  });
  const permissions = new Set<string>();
  const facilityPermissions = new Map(facilities.map(({ id }) => [id, new Set<string>()]));
  for (const { facilityId, changes } of entries)
    for (const { from, to } of Object.values(changes as Record<string, Record<"from" | "to", unknown>>))
      for (const each of listIn(from))
        if (!listIn(to).includes(each))
          (facilityId === null ? permissions : facilityPermissions.get(facilityId))?.add(each);
  return { permissions, facilityPermissions };
}

/** The permissions in a value of a change, which may also be that of another field. */
const listIn = (value: unknown): string[] => (Array.isArray(value) ? value : []);
