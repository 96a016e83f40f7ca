import type { RequestContext } from "../access/request-context.js";
import { type Camera, Prisma } from "../generated/prisma/client.js";
import { defineLoader, groupBy } from "../platform/loader.js";
import { type Selected, selectOf } from "../platform/selection.js";

/** What is read of a camera whatever was asked. */
export const cameraKeys = ["id", "workspaceId", "facilityId"] as const;

export type CameraRow = Selected<Camera, (typeof cameraKeys)[number]>;

/** Cameras by id, with the columns that the variant names. */
export const cameraById = defineLoader<RequestContext, CameraRow | undefined, string[]>(
  async (context, ids, columns) => {
    const rows = await context.visible.camera.findMany({ where: { id: { in: [...ids] } }, select: selectOf(columns) });
    return new Map((rows as unknown as CameraRow[]).map((row) => [row.id, row]));
  },
  () => undefined,
);

/** All visible cameras by name, under the id of the workspace. */
export const camerasOfWorkspace = defineLoader<RequestContext, CameraRow[], string[]>(
  async (context, _workspaceIds, columns) => {
    const rows = await context.visible.camera.findMany({ select: selectOf(columns), orderBy: [{ name: "asc" }, { id: "asc" }] });
    return groupBy(rows as unknown as CameraRow[], (camera) => camera.workspaceId);
  },
  () => [],
);

/** The cameras of facilities, by name. */
export const camerasByFacility = defineLoader<RequestContext, CameraRow[], string[]>(
  async (context, facilityIds, columns) => {
    const rows = await context.visible.camera.findMany({
      where: { facilityId: { in: [...facilityIds] } },
      select: selectOf(columns),
      orderBy: [{ name: "asc" }, { id: "asc" }],
    });
    return groupBy(rows as unknown as CameraRow[], (camera) => camera.facilityId);
  },
  () => [],
);

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
