import { Prisma } from "../generated/prisma/client.js";
import { byName } from "../reading/list-order.js";
import { definePaginatedRelation } from "../reading/paginated-relation.js";
import { type CameraRow, cameras } from "./camera.loader.js";
import type { CameraFilter } from "./camera-search.input.js";
import { operationalDetail } from "./status-detail.js";

/** Pages of a workspace's cameras that match a filter. */
export const cameraSearch = definePaginatedRelation<CameraRow & { name: string }, CameraFilter | null>(
  cameras,
  "workspaceId",
  {
    order: byName,
    filterOf: ({ filter }) => (filter ?? null) as CameraFilter | null,
    conditions: (filter) => (filter ? conditionsOf(filter) : []),
  },
);

function conditionsOf({ facilityIds, statusDetails, operational, text }: CameraFilter): Prisma.Sql[] {
  const isOperational = Prisma.sql`item."statusDetail" = ${operationalDetail}`;
  const conditions: Prisma.Sql[] = [];
  if (facilityIds != null) conditions.push(Prisma.sql`item."facilityId" = ANY(${facilityIds}::uuid[])`);
  if (statusDetails != null) conditions.push(Prisma.sql`item."statusDetail" = ANY(${statusDetails}::text[])`);
  if (operational != null) conditions.push(operational ? isOperational : Prisma.sql`NOT ${isOperational}`);
  // Fold the text once for all cameras. The database folds names when it writes them.
  if (text != null)
    conditions.push(Prisma.sql`strpos(item."foldedName", (SELECT "foldedText"(${text}::text))) > 0`);
  return conditions;
}
