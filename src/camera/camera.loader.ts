import { type Camera, Prisma } from "../generated/prisma/client.js";
import { defineEntityType, type Selected } from "../reading/entity-type.js";
import { defineLoader } from "../reading/loader.js";
import { defineToMany, defineToOne } from "../reading/relation.js";

/** A camera with the columns that the operation needs. */
export type CameraRow = Selected<Camera, "id">;

export const cameras = defineEntityType<Camera>({
  source: "cameras",
  keys: ["id"],
  columns: Prisma.CameraScalarFieldEnum,
  dateColumns: { createdAt: true, updatedAt: true, removedAt: true },
});

const byName = Prisma.sql`item."name", item."id"`;

/** A camera by its id. */
export const cameraById = defineToOne<CameraRow>({
  entityType: cameras,
  conditions: (id) => [Prisma.sql`item."id" = ${id}`],
});

/** A workspace's visible cameras, by name. */
export const camerasByWorkspace = defineToMany<CameraRow>({
  entityType: cameras,
  conditions: (workspaceId) => [Prisma.sql`item."workspaceId" = ${workspaceId}`],
  orderBy: byName,
});

/** A facility's cameras, by name. */
export const camerasByFacility = defineToMany<CameraRow>({
  entityType: cameras,
  conditions: (facilityId) => [Prisma.sql`item."facilityId" = ${facilityId}`],
  orderBy: byName,
});

/** How many cameras a facility has. */
export const cameraCountByFacility = defineLoader<number>(
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
