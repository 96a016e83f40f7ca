import { assertCan } from "../access/permissions.js";
import { assertCanRun } from "../access/strict-permissions.js";
import { type Facility, Prisma } from "../generated/prisma/client.js";
import { assertExpectedVersion } from "../operation/expected-version.js";
import type { RequestContext } from "../operation/request-context.js";
import { changedFields, isUnchanged, type WriteAccess } from "../operation/write.js";
import { badRequest } from "../platform/errors.js";
import { substituteTimeZone } from "../platform/time.js";
import type { CreateFacilityInput, UpdateFacilityInput } from "./facility.input.js";
import type { FacilityRow } from "./facility.loader.js";
import { isOnline, locationOf } from "./facility.service.js";

/**
 * Adds a facility to the caller's workspace. Requires facilities:write in the workspace.
 */
export function createFacility(context: RequestContext, input: CreateFacilityInput): Promise<Facility> {
  return context.write(async (write) => {
    assertCan(write.caller, "facilities:write");
    const { geographicCoordinates, ...columns } = input;
    const facility = await write.transaction.facility.create({
      data: {
        ...columns,
        ...locationColumns(geographicCoordinates),
        workspaceId: write.caller.workspaceId,
      },
    });
    assertIsKnown(facility);
    const changes = changedFields<object>({}, { ...columns, geographicCoordinates });
    write.audit({
      action: "createFacility",
      targetType: "Facility",
      targetId: facility.id,
      facilityId: facility.id,
      changes,
    });
    return facility;
  });
}

type Location = CreateFacilityInput["geographicCoordinates"];

const locationColumns = (location: Location) => ({
  latitude: location?.lat ?? null,
  longitude: location?.lng ?? null,
});

/**
 * Rejects time zones unknown to the database. The database groups alerts by local day,
 * and its list of time zones may be older than that of Node.js.
 */
function assertIsKnown({ timeZoneId, effectiveTimeZoneId }: Facility): void {
  if (timeZoneId === effectiveTimeZoneId) return;
  const hint = effectiveTimeZoneId === substituteTimeZone ? "" : `, which knows it as ${effectiveTimeZoneId}`;
  throw badRequest([
    { path: "input.timeZoneId", message: `is not a time zone known to the database${hint}` },
  ]);
}

/**
 * Updates a facility. Another time zone moves its alerts to other days: a trigger counts
 * them again. Requires facilities:write there.
 */
export function updateFacility(
  context: RequestContext,
  id: string,
  input: UpdateFacilityInput,
): Promise<Facility> {
  const { expectedUpdatedAt: _expected, geographicCoordinates, ...columns } = input;
  return context.write(async (write) => {
    const before = await write.lock("Facility", id);
    assertCan(write.caller, "facilities:write", id);
    assertExpectedVersion(before, input);
    const changes = changedFields<object>(
      { ...before, geographicCoordinates: locationOf(before) },
      { ...columns, ...(geographicCoordinates !== undefined && { geographicCoordinates }) },
    );
    if (isUnchanged(changes)) return before;
    const facility = await write.transaction.facility.update({
      where: write.key(id),
      data: {
        ...columns,
        ...(geographicCoordinates !== undefined && locationColumns(geographicCoordinates)),
        updatedAt: write.now,
      },
    });
    if ("timeZoneId" in changes) assertIsKnown(facility);
    write.audit({ action: "updateFacility", targetType: "Facility", targetId: id, facilityId: id, changes });
    return facility;
  });
}

/**
 * Renames a facility. Requires facilities:read there, as defined by the interface
 * specification.
 */
export function renameFacility(context: RequestContext, id: string, name: string): Promise<Facility> {
  return context.write(async (write) => {
    const before = await write.lock("Facility", id);
    assertCanRun(write.caller, "renameFacility", id, context.services.settings);
    const changes = changedFields(before, { name });
    if (isUnchanged(changes)) return before;
    const facility = await write.transaction.facility.update({
      where: write.key(id),
      data: { name, updatedAt: write.now },
    });
    write.audit({ action: "renameFacility", targetType: "Facility", targetId: id, facilityId: id, changes });
    return facility;
  });
}

/**
 * Hides a facility and all its cameras from every view at once, and ends the accesses to
 * it, also those that invitations hand out. A background worker purges the data. Returns
 * the facility as it was, without cameras. Requires facilities:write, cameras:write and
 * alerts:delete there.
 */
export async function deleteFacility(context: RequestContext, id: string): Promise<FacilityRow> {
  const removed = await context.write(async (write) => {
    // Nobody adds a camera, grants access or records a heartbeat before the end.
    const facility = await write.lock("Facility", id);
    for (const needed of ["facilities:write", "cameras:write", "alerts:delete"] as const)
      assertCan(write.caller, needed, id);
    await write.transaction.facility.update({
      where: write.key(id),
      data: { removedAt: write.now, updatedAt: write.now },
    });
    const cameras = await removeCameras(write, id);
    const holderIds = await endAccesses(write, id);
    await removeFromInvitations(write, id);
    if (holderIds.length > 0) write.emit({ topic: "accessChanged", ids: holderIds });
    write.audit({
      action: "deleteFacility",
      targetType: "Facility",
      targetId: id,
      facilityId: id,
      changes: changedFields<object>(
        { name: facility.name, cameraCount: cameras },
        { name: null, cameraCount: 0 },
      ),
    });
    return facility;
  });
  context.services.wakeWorkers();
  return { ...removed, cameraCount: 0, openAlertCount: 0 };
}

/**
 * Marks the cameras of a facility. Locks them in the order of their IDs, as all writers
 * do, which prevents deadlocks.
 */
function removeCameras(write: WriteAccess, facilityId: string): Promise<number> {
  const ofWorkspace = Prisma.sql`"workspaceId" = ${write.caller.workspaceId}::uuid`;
  return write.transaction.$executeRaw(Prisma.sql`
    UPDATE "Camera" SET "removedAt" = ${write.now}::timestamptz WHERE ${ofWorkspace} AND "id" = ANY(ARRAY(
      SELECT "id" FROM "Camera" WHERE ${ofWorkspace} AND "facilityId" = ${facilityId}::uuid AND "removedAt" IS NULL
      ORDER BY "id" FOR UPDATE))`);
}

/**
 * Deletes the users' accesses to a facility, and takes it from the facilities of API
 * keys. Returns the IDs of these users and keys.
 */
async function endAccesses(write: WriteAccess, facilityId: string): Promise<string[]> {
  const ofWorkspace = Prisma.sql`"workspaceId" = ${write.caller.workspaceId}::uuid`;
  const users = await write.transaction.$queryRaw<{ id: string }[]>(Prisma.sql`
    DELETE FROM "FacilityAccess" WHERE ${ofWorkspace} AND "facilityId" = ${facilityId}::uuid RETURNING "userId" AS "id"`);
  const keys = await write.transaction.$queryRaw<{ id: string }[]>(Prisma.sql`
    UPDATE "ApiKey" SET "facilityIds" = array_remove("facilityIds", ${facilityId}::uuid) WHERE ${ofWorkspace} AND "id" = ANY(ARRAY(
      SELECT "id" FROM "ApiKey" WHERE ${ofWorkspace} AND ${facilityId}::uuid = ANY("facilityIds") ORDER BY "id" FOR UPDATE))
    RETURNING "id"`);
  return [...users, ...keys].map(({ id }) => id);
}

/**
 * Takes a facility from what open invitations hand out. Their inviters may have held it
 * there alone, and would otherwise no longer hold all that they hand out.
 */
async function removeFromInvitations(write: WriteAccess, facilityId: string): Promise<void> {
  const ofWorkspace = Prisma.sql`"workspaceId" = ${write.caller.workspaceId}::uuid`;
  const handedOut = Prisma.sql`jsonb_build_array(jsonb_build_object('facilityId', ${facilityId}::text))`;
  await write.transaction.$executeRaw(Prisma.sql`
    UPDATE "Invitation" SET "accesses" = (
      SELECT coalesce(jsonb_agg(access ORDER BY place), '[]') FROM jsonb_array_elements("accesses") WITH ORDINALITY AS each(access, place)
      WHERE access->>'facilityId' <> ${facilityId}::text)
    WHERE ${ofWorkspace} AND "id" = ANY(ARRAY(
      SELECT "id" FROM "Invitation" WHERE ${ofWorkspace} AND "acceptedAt" IS NULL AND "revokedAt" IS NULL AND "accesses" @> ${handedOut}
      ORDER BY "id" FOR UPDATE))`);
}

/**
 * Records a heartbeat of a facility's device. If the facility is online again, records
 * this in the audit log. Requires the facility to be visible.
 */
export function recordHeartbeat(context: RequestContext, id: string): Promise<Facility> {
  return context.write(
    async (write) => {
      const before = await write.lock("Facility", id);
      assertCanRun(write.caller, "recordHeartbeat", id, context.services.settings);
      const isLater =
        before.lastHeartbeatAt &&
        before.lastHeartbeatAt > write.now &&
        isOnline(context, before.lastHeartbeatAt);
      const lastHeartbeatAt = isLater ? before.lastHeartbeatAt : write.now;
      const data = { lastHeartbeatAt, offlineToldAt: null, updatedAt: before.updatedAt };
      const facility = await write.transaction.facility.update({ where: write.key(id), data });
      if (before.offlineToldAt) await context.services.notifications.facilityBack(write, facility);
      write.emit({ topic: "facilityHeartbeat", facilityId: id, ids: [id] });
      const changes = changedFields({ online: isOnline(context, before.lastHeartbeatAt) }, { online: true });
      if (!isUnchanged(changes))
        write.audit({
          action: "recordHeartbeat",
          targetType: "Facility",
          targetId: id,
          facilityId: id,
          changes,
        });
      return facility;
    },
    { keepsAccess: true },
  );
}
