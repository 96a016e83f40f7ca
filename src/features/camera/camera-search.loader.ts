import { byName } from "../../engine/reading/list-order.js";
import { definePaginatedRelation } from "../../engine/reading/paginated-relation.js";
import type { VisibleSources } from "../../engine/reading/visibility.js";
import { Prisma } from "../../generated/prisma/client.js";
import { type CameraRow, cameras } from "./camera.loader.js";
import type { CameraFilter } from "./camera-search.input.js";
import { cameraState } from "./status/camera-state.js";
import { operationalDetail } from "./status/status-detail.js";

export const cameraSearch = definePaginatedRelation<CameraRow & { name: string }, CameraFilter | null>(
  cameras,
  "workspaceId",
  {
    order: byName,
    filterOf: ({ filter }) => filter ?? null,
    conditions: (filter, sources) => (filter ? conditionsOf(filter, sources) : []),
  },
);

export function conditionsOf(
  { facilityIds, statusDetails, operational, states, text }: CameraFilter,
  sources: VisibleSources,
): Prisma.Sql[] {
  const isOperational = Prisma.sql`item."statusDetail" = ${operationalDetail}`;
  const conditions: Prisma.Sql[] = [];
  if (facilityIds != null) conditions.push(Prisma.sql`item."facilityId" = ANY(${facilityIds}::uuid[])`);
  if (statusDetails != null) conditions.push(Prisma.sql`item."statusDetail" = ANY(${statusDetails}::text[])`);
  if (operational != null) conditions.push(operational ? isOperational : Prisma.sql`NOT ${isOperational}`);
  if (states != null) conditions.push(Prisma.sql`${cameraState(sources)} = ANY(${states}::text[])`);
  // Fold the text once for all cameras. The database folds names when it writes them.
  if (text != null)
    conditions.push(Prisma.sql`strpos(item."foldedName", (SELECT "foldedText"(${text}::text))) > 0`);
  return conditions;
}
