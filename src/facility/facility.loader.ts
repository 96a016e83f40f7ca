import { defineRecord, defineRecordList, momentsOf, type RecordKind } from "../access/records.js";
import { type Facility, Prisma } from "../generated/prisma/client.js";
import type { Selected } from "../platform/selection.js";

/** What is read of a facility whatever was asked. */
export const facilityKeys = ["id"] as const;

export type FacilityRow = Selected<Facility, (typeof facilityKeys)[number]>;

const facilities: RecordKind = {
  source: "facilities",
  keys: facilityKeys,
  moments: momentsOf<Facility>({ createdAt: true, updatedAt: true, lastHeartbeatAt: true }),
};

/** All visible facilities by name, under the id of the workspace. */
export const facilitiesOfWorkspace = defineRecordList<FacilityRow>({
  kind: facilities,
  conditions: (workspaceId) => [Prisma.sql`item."workspaceId" = ${workspaceId}`],
  order: () => Prisma.sql`ORDER BY item."name", item."id"`,
});

/** Facilities by id. */
export const facilityById = defineRecord<FacilityRow>({
  kind: facilities,
  conditions: (id) => [Prisma.sql`item."id" = ${id}`],
  order: () => Prisma.empty,
});
