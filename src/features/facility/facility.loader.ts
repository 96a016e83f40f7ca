import { defineEntityType, type Selected } from "../../engine/reading/entity-type.js";
import { byName } from "../../engine/reading/list-order.js";
import { defineToMany, defineToOne } from "../../engine/reading/relation.js";
import { type Facility, Prisma } from "../../generated/prisma/client.js";

export type FacilityRow = Selected<Facility, "id"> & { cameraCount?: number; openAlertCount?: number };

export const facilities = defineEntityType<Facility>({
  source: "facilities",
  keys: ["id"],
  columns: Prisma.FacilityScalarFieldEnum,
  dateColumns: {
    createdAt: true,
    updatedAt: true,
    lastHeartbeatAt: true,
    offlineToldAt: true,
    snoozedAt: true,
    snoozedUntil: true,
    removedAt: true,
  },
  computedColumns: {
    cameraCount: ({ cameras }) =>
      Prisma.sql`(SELECT count(*)::int FROM ${cameras} AS camera WHERE camera."facilityId" = item."id")`,
    openAlertCount: ({ openAlertCounts }) =>
      Prisma.sql`(SELECT coalesce(sum(kept."count"), 0)::int FROM ${openAlertCounts} AS kept WHERE kept."facilityId" = item."id")`,
  },
});

/** The time zone for local times and days of the facility with the alias `facility`. The server knows this zone. */
export const facilityTimeZone = Prisma.sql`facility."effectiveTimeZoneId"`;

export const facilityById = defineToOne<FacilityRow>(facilities, "id");

export const facilitiesByWorkspace = defineToMany<FacilityRow>(facilities, "workspaceId", {
  orderBy: byName.forwards,
});
