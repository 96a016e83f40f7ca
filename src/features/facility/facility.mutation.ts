import { Arg, Ctx, Mutation, Resolver } from "type-graphql";
import { assertCan } from "../../engine/access/permissions.js";
import { assertCanRun, strictRemark } from "../../engine/access/strict-permissions.js";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { changedFields, isUnchanged, type WriteAccess } from "../../engine/operation/write.js";
import { Prisma, type Facility as StoredFacility } from "../../generated/prisma/client.js";
import { badRequest, ServiceError } from "../../platform/errors/errors.js";
import { CheckedArgs, IdArg, InputArg } from "../../platform/input/input-type.js";
import { substituteTimeZone } from "../../platform/time.js";
import { contactColumns } from "./contact.js";
import { CreateFacilityInput, RenameFacilityArguments, UpdateFacilityInput } from "./facility.input.js";
import { isMonitored, isOnline, locationOf } from "./facility.service.js";
import { Facility } from "./facility.type.js";

type Location = CreateFacilityInput["geographicCoordinates"];

@Resolver()
export class FacilityMutations {
  @Mutation(() => Facility, {
    description: "Adds a facility to the workspace. Requires facilities:write in the workspace.",
  })
  createFacility(
    @Ctx() context: RequestContext,
    @InputArg(CreateFacilityInput, "The new facility.") input: CreateFacilityInput,
  ) {
    return context.write(async (write) => {
      assertCan(write.caller, "facilities:write");
      const { geographicCoordinates, contacts, ...texts } = input;
      const columns = { ...texts, ...contactColumns(contacts) };
      const facility = await write.transaction.facility.create({
        data: {
          ...columns,
          ...locationColumns(geographicCoordinates),
          workspaceId: write.caller.workspaceId,
        },
      });
      assertIsKnown(facility);
      const changes = changedFields<object>({}, { ...columns, geographicCoordinates });
      write.auditChange("Facility", facility, changes);
      return facility;
    });
  }

  @Mutation(() => Facility, {
    description:
      "Updates a facility. Another time zone moves its alerts to other days, for counts and statistics immediately. Requires facilities:write at the facility.",
  })
  updateFacility(
    @Ctx() context: RequestContext,
    @IdArg("the facility") id: string,
    @InputArg(UpdateFacilityInput, "The fields to change.")
    input: UpdateFacilityInput,
  ) {
    const { expectedUpdatedAt, geographicCoordinates, contacts, ...texts } = input;
    const columns = { ...texts, ...contactColumns(contacts) };
    return context.write(async (write) => {
      const before = await write.lock("Facility", id);
      assertCan(write.caller, "facilities:write", id);
      const isMoved = geographicCoordinates !== undefined;
      const changes = changedFields<object>(
        { ...before, geographicCoordinates: locationOf(before) },
        { ...columns, ...(isMoved && { geographicCoordinates }) },
      );
      const values = {
        expectedUpdatedAt,
        ...columns,
        ...(isMoved && locationColumns(geographicCoordinates)),
      };
      const facility = await write.update("Facility", before, values, { changes });
      if ("timeZoneId" in changes) assertIsKnown(facility);
      return facility;
    });
  }

  @Mutation(() => Facility, {
    description: `Renames a facility. Requires only facilities:read at the facility. ${strictRemark("renameFacility")}`,
  })
  renameFacility(
    @Ctx() context: RequestContext,
    @CheckedArgs(RenameFacilityArguments) { id, name }: RenameFacilityArguments,
  ) {
    return context.write(async (write) => {
      const before = await write.lock("Facility", id);
      assertCanRun(write.caller, "renameFacility", id, context.services.settings);
      return write.update("Facility", before, { name });
    });
  }

  @Mutation(() => Facility, {
    description:
      "Deletes a facility with its cameras, rules and alerts, and returns it as it was, but without cameras. It disappears from every view immediately. Users' permissions there end, and API keys that were limited to it alone see nothing any more. The audit log stays. Requires facilities:write, cameras:write and alerts:delete at the facility.",
  })
  async deleteFacility(@Ctx() context: RequestContext, @IdArg("the facility") id: string) {
    const removed = await context.write(async (write) => {
      // Nobody adds a camera, grants access or records a heartbeat before the end.
      const facility = await write.lock("Facility", id);
      for (const needed of ["facilities:write", "cameras:write", "alerts:delete"] as const)
        assertCan(write.caller, needed, id);
      await write.transaction.facility.update({
        where: write.key(id),
        data: { removedAt: write.now, updatedAt: write.now },
      });
      write.emit({ topic: "workQueued" });
      const cameras = await removeCameras(write, id);
      const holderIds = await endAccesses(write, id);
      await removeFromInvitations(write, id);
      if (holderIds.length > 0) write.emit({ topic: "accessChanged", ids: holderIds });
      const was = { name: facility.name, cameraCount: cameras };
      write.auditChange("Facility", facility, changedFields<object>(was, { name: null, cameraCount: 0 }));
      return facility;
    });
    return { ...removed, cameraCount: 0, openAlertCount: 0 };
  }

  @Mutation(() => Facility, {
    description:
      "Says whether heartbeats decide about a facility, as `Facility.monitored` tells. False holds whatever heartbeats follow, until it is set to true; CONFLICT for true if the facility never sent a heartbeat. Requires facilities:write at the facility.",
  })
  monitorFacility(
    @Ctx() context: RequestContext,
    @IdArg("the facility") id: string,
    @Arg("monitored", () => Boolean, { description: "Whether silence means that the facility is offline." })
    monitored: boolean,
  ) {
    return context.write(async (write) => {
      const before = await write.lock("Facility", id);
      assertCan(write.caller, "facilities:write", id);
      if (monitored && !before.lastHeartbeatAt)
        throw new ServiceError("CONFLICT", "The facility never sent a heartbeat");
      const changes = changedFields({ monitored: isMonitored(before) }, { monitored });
      // If it is silent when it is monitored again, that is told again.
      const silence = monitored ? {} : { offlineToldAt: null };
      return write.update("Facility", before, { heartbeatsIgnored: !monitored, ...silence }, { changes });
    });
  }

  @Mutation(() => Facility, {
    description: `Records a heartbeat of the facility's device, which makes the facility \`online\`. Requires the facility to be visible to the caller. ${strictRemark("recordHeartbeat")}`,
  })
  recordHeartbeat(@Ctx() context: RequestContext, @IdArg("the facility", "facilityId") facilityId: string) {
    return recordHeartbeat(context, facilityId);
  }
}

const locationColumns = (location: Location) => ({
  latitude: location?.lat ?? null,
  longitude: location?.lng ?? null,
});

/** Rejects time zones unknown to the database, which groups alerts by local day, and may know fewer than Node.js. */
function assertIsKnown({ timeZoneId, effectiveTimeZoneId }: StoredFacility): void {
  if (timeZoneId === effectiveTimeZoneId) return;
  const hint = effectiveTimeZoneId === substituteTimeZone ? "" : `, which knows it as ${effectiveTimeZoneId}`;
  throw badRequest([
    { path: "input.timeZoneId", message: `is not a time zone known to the database${hint}` },
  ]);
}

/**
 * Marks the cameras of a facility. Locks them in the order of their IDs, as all writers do, which prevents
 * deadlocks.
 */
async function removeCameras(write: WriteAccess, facilityId: string): Promise<number> {
  const ofWorkspace = Prisma.sql`"workspaceId" = ${write.caller.workspaceId}::uuid`;
  // Those that were deleted before can no longer be restored.
  await write.transaction.$executeRaw(Prisma.sql`
    UPDATE "Camera" SET "keptUntil" = NULL
    WHERE ${ofWorkspace} AND "facilityId" = ${facilityId}::uuid AND "keptUntil" IS NOT NULL`);
  return write.transaction.$executeRaw(Prisma.sql`
    UPDATE "Camera" SET "removedAt" = ${write.now}::timestamptz WHERE ${ofWorkspace} AND "id" = ANY(ARRAY(
      SELECT "id" FROM "Camera" WHERE ${ofWorkspace} AND "facilityId" = ${facilityId}::uuid AND "removedAt" IS NULL
      ORDER BY "id" FOR UPDATE))`);
}

/** Deletes accesses to a facility, and takes it from API keys. Returns the IDs of the affected users and keys. */
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

/** Takes a facility from open invitations: inviters must hold what these hand out, and may have held it only there. */
async function removeFromInvitations(write: WriteAccess, facilityId: string): Promise<void> {
  const ofWorkspace = Prisma.sql`"workspaceId" = ${write.caller.workspaceId}::uuid`;
  const handedOut = Prisma.sql`jsonb_build_array(jsonb_build_object('facilityId', ${facilityId}::text))`;
  await write.transaction.$executeRaw(Prisma.sql`
    UPDATE "Invitation" SET "accesses" = (
      SELECT coalesce(jsonb_agg(access ORDER BY number), '[]') FROM jsonb_array_elements("accesses") WITH ORDINALITY AS each(access, number)
      WHERE access->>'facilityId' <> ${facilityId}::text)
    WHERE ${ofWorkspace} AND "id" = ANY(ARRAY(
      SELECT "id" FROM "Invitation" WHERE ${ofWorkspace} AND "acceptedAt" IS NULL AND "revokedAt" IS NULL AND "accesses" @> ${handedOut}
      ORDER BY "id" FOR UPDATE))`);
}

/** Records a heartbeat of a facility's device; audited if it was offline. Requires the facility to be visible. */
export function recordHeartbeat(context: RequestContext, id: string) {
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
      write.emit({ topic: "facilityHeartbeat", facilityId: id, ids: [id], subject: before });
      const changes = changedFields({ online: isOnline(context, before.lastHeartbeatAt) }, { online: true });
      if (!isUnchanged(changes)) write.auditChange("Facility", facility, changes);
      return facility;
    },
    { action: "recordHeartbeat", keepsAccess: true },
  );
}
