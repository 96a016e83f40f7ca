import { type Camera, Prisma } from "../generated/prisma/client.js";
import { countPerParent } from "../reading/count-per-parent.js";
import { defineEntityType, type Selected } from "../reading/entity-type.js";
import { byName } from "../reading/list-order.js";
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

/** A camera by its id. */
export const cameraById = defineToOne<CameraRow>(cameras, "id");

/** A workspace's visible cameras, by name. */
export const camerasByWorkspace = defineToMany<CameraRow>(cameras, "workspaceId", { orderBy: byName.forwards });

/** A facility's cameras, by name. */
export const camerasByFacility = defineToMany<CameraRow>(cameras, "facilityId", { orderBy: byName.forwards });

/** How many cameras a facility has. */
export const cameraCountByFacility = defineLoader<number>(
  async (context, parentIds) => {
    const rows = await context.visible.query<{ parentId: string; count: number }>((sources) =>
      countPerParent({ source: sources.cameras, parentColumn: "facilityId", parentIds, conditions: [] }),
    );
    return new Map(rows.map(({ parentId, count }) => [parentId, count]));
  },
  () => 0,
);
