import { defineRecord, defineRecordList, momentsOf, type RecordKind } from "../access/records.js";
import type { RequestContext } from "../access/request-context.js";
import { type Camera, Prisma } from "../generated/prisma/client.js";
import { defineLoader } from "../platform/loader.js";
import type { Selected } from "../platform/selection.js";

/** What is read of a camera whatever was asked. */
export const cameraKeys = ["id"] as const;

export type CameraRow = Selected<Camera, (typeof cameraKeys)[number]>;

const cameras: RecordKind = {
  source: "cameras",
  keys: cameraKeys,
  moments: momentsOf<Camera>({ createdAt: true, updatedAt: true, removedAt: true }),
};

const byName = () => Prisma.sql`ORDER BY item."name", item."id"`;

/** Cameras by id. */
export const cameraById = defineRecord<CameraRow>({ kind: cameras, conditions: (id) => [Prisma.sql`item."id" = ${id}`], order: () => Prisma.empty });

/** All visible cameras by name, under the id of the workspace. */
export const camerasOfWorkspace = defineRecordList<CameraRow>({
  kind: cameras,
  conditions: (workspaceId) => [Prisma.sql`item."workspaceId" = ${workspaceId}`],
  order: byName,
});

/** The cameras of facilities, by name. */
export const camerasByFacility = defineRecordList<CameraRow>({
  kind: cameras,
  conditions: (facilityId) => [Prisma.sql`item."facilityId" = ${facilityId}`],
  order: byName,
});

/** How many cameras facilities have. */
export const cameraCountByFacility = defineLoader<RequestContext, number>(
  async (context, facilityIds) => {
    const rows = await context.visible.query<{ facilityId: string; count: number }>(
      ({ cameras }) => Prisma.sql`
        SELECT camera."facilityId", count(*)::int AS "count" FROM ${cameras} AS camera
        WHERE camera."facilityId" = ANY(${facilityIds}::uuid[]) GROUP BY camera."facilityId"`,
    );
    return new Map(rows.map((row) => [row.facilityId, row.count]));
  },
  () => 0,
);
